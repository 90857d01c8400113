//! One output stream: its start and end in memory, and all of it in a file if requested.
//!
//! The stream is normally a pipe. After the job, nobody reads the pipe any more. So if processes of the job
//! may keep running, they write directly to a file instead, which is read when the job has ended.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::command::Keep;
use crate::finished::Captured;

/// Maximum number of bytes to read from a stream before the limits are checked again.
const MAX_DRAINED: usize = 1 << 20;

/// Our end of a target's output.
pub(super) struct Stream {
    /// `None` if the target writes directly to the file.
    pipe: Option<OwnedFd>,
    keep: Keep,
    kept: Captured,
    file: Option<File>,
    ended: bool,
}

impl Stream {
    /// Opens a pipe; returns our end as a stream, and the target's end.
    pub(super) fn open(keep: Keep, file: Option<OwnedFd>) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
        let kept = Captured { file_complete: true, ..Captured::default() };
        Ok((Self { pipe: Some(ours), keep, kept, file: file.map(File::from), ended: false }, theirs))
    }

    /// Lets the target write directly to a file; returns our stream, and the target's descriptor.
    pub(super) fn direct(keep: Keep, file: OwnedFd) -> io::Result<(Self, OwnedFd)> {
        let theirs = file.try_clone()?;
        let kept = Captured { file_complete: true, ..Captured::default() };
        Ok((Self { pipe: None, keep, kept, file: Some(file.into()), ended: true }, theirs))
    }

    /// Returns the number of bytes written so far.
    pub(super) fn written(&self) -> u64 {
        match (&self.pipe, &self.file) {
            (None, Some(file)) => file.metadata().map_or(0, |data| data.len()),
            _ => self.kept.written,
        }
    }

    /// Returns the descriptor to poll for more output; `None` if there is nothing to wait for.
    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().filter(|_| !self.ended).map(AsFd::as_fd)
    }

    /// Reads what is available without waiting, up to about [`MAX_DRAINED`] bytes.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) {
        let Some(pipe) = self.pipe.take() else { return };
        let mut taken = 0;
        while taken < MAX_DRAINED && !self.ended {
            match rustix::io::read(&pipe, &mut *buffer) {
                Ok(0) => self.ended = true,
                Ok(bytes) => {
                    taken += bytes;
                    self.take(&buffer[..bytes]);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => self.ended = true,
            }
        }
        self.pipe = Some(pipe);
    }

    fn take(&mut self, bytes: &[u8]) {
        self.kept.written += bytes.len() as u64;
        if let Some(file) = &mut self.file
            && file.write_all(bytes).is_err()
        {
            self.kept.file_complete = false;
            self.file = None;
        }
        let into_head = bytes.len().min(self.keep.head - self.kept.head.len());
        self.kept.head.extend_from_slice(&bytes[..into_head]);
        self.kept.tail.extend_from_slice(&bytes[into_head..]);
        // The tail is cut only when it is longer than twice its final length, so each byte moves at most
        // once.
        if self.kept.tail.len() > 2 * self.keep.tail {
            self.cut_tail();
        }
    }

    fn cut_tail(&mut self) {
        let surplus = self.kept.tail.len().saturating_sub(self.keep.tail);
        self.kept.tail.drain(..surplus);
    }

    /// Returns the kept parts of the stream.
    pub(super) fn finish(mut self) -> Captured {
        if let (None, Some(file)) = (&self.pipe, self.file.take()) {
            self.kept.file_complete = self.read_back(file).is_ok();
        }
        self.cut_tail();
        self.kept
    }

    /// Reads the start and the end of what was written directly to the file.
    fn read_back(&mut self, mut file: File) -> io::Result<()> {
        let written = file.metadata()?.len();
        file.rewind()?;
        // Use the length from above, because a process may still be writing to the file.
        let head = written.min(self.keep.head as u64);
        (&file).take(head).read_to_end(&mut self.kept.head)?;
        let tail = (written - head).min(self.keep.tail as u64);
        file.seek(SeekFrom::Start(written - tail))?;
        file.take(tail).read_to_end(&mut self.kept.tail)?;
        self.kept.written = written;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_kept_and_the_rest_counted() {
        let (mut stream, theirs) = Stream::open(Keep { head: 3, tail: 4 }, None).unwrap();
        let mut writer = File::from(theirs);
        let mut buffer = [0; 7];
        for chunk in ["ab", "cdef", "ghijklmnop", "q"] {
            writer.write_all(chunk.as_bytes()).unwrap();
            stream.drain(&mut buffer);
        }
        drop(writer);
        stream.drain(&mut buffer);
        assert!(stream.source().is_none());
        let kept = stream.finish();
        assert_eq!((&kept.head[..], &kept.tail[..], kept.written), (&b"abc"[..], &b"nopq"[..], 17));
        assert_eq!(kept.dropped(), 10);
    }

    #[test]
    fn output_written_directly_to_a_file_is_read_back() {
        let path = std::env::temp_dir().join(format!("confine-direct-{}", std::process::id()));
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (mut stream, theirs) = Stream::direct(Keep { head: 3, tail: 4 }, file.into()).unwrap();
        let mut writer = File::from(theirs);
        writer.write_all(b"abcdefghij").unwrap();
        stream.drain(&mut [0; 7]);
        assert_eq!(stream.written(), 10);
        let kept = stream.finish();
        assert_eq!((&kept.head[..], &kept.tail[..], kept.written), (&b"abc"[..], &b"ghij"[..], 10));
        // A process that keeps running can still write, because the stream is not a closed pipe.
        writer.write_all(b"more").unwrap();
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let (mut stream, theirs) = Stream::open(Keep { head: 3, tail: 4 }, None).unwrap();
        File::from(theirs).write_all(b"abcdef").unwrap();
        stream.drain(&mut [0; 64]);
        assert_eq!(stream.finish().joined(), b"abcdef");
    }
}
