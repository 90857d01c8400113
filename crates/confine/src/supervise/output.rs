//! One output stream: its beginning and end in memory, all of it in a file if asked.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::command::Keep;
use crate::finished::Captured;

/// At most this much is taken from a stream before the limits are looked at again.
const ONE_TURN: usize = 1 << 20;

/// Our end of a target's output.
pub(super) struct Stream {
    pipe: OwnedFd,
    keep: Keep,
    kept: Captured,
    file: Option<File>,
    ended: bool,
}

impl Stream {
    /// A pipe: our end as a stream, and the target's.
    pub(super) fn open(keep: Keep, file: Option<OwnedFd>) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
        let kept = Captured { file_complete: true, ..Captured::default() };
        Ok((Self { pipe: ours, keep, kept, file: file.map(File::from), ended: false }, theirs))
    }

    /// Whether nobody can write to it any more.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// How many bytes have come so far.
    pub(super) fn written(&self) -> u64 {
        self.kept.written
    }

    /// Takes what is there, without waiting, and no more than a turn's worth.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) {
        let mut taken = 0;
        while taken < ONE_TURN && !self.ended {
            match rustix::io::read(&self.pipe, &mut *buffer) {
                Ok(0) => self.ended = true,
                Ok(bytes) => {
                    taken += bytes;
                    self.take(&buffer[..bytes]);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.ended = true,
            }
        }
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
        // Cut at twice the size, so that each byte is moved once at most.
        if self.kept.tail.len() > 2 * self.keep.tail {
            self.cut_tail();
        }
    }

    fn cut_tail(&mut self) {
        let surplus = self.kept.tail.len().saturating_sub(self.keep.tail);
        self.kept.tail.drain(..surplus);
    }

    /// What was kept.
    pub(super) fn finish(mut self) -> Captured {
        self.cut_tail();
        self.kept
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
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
        assert!(stream.ended());
        let kept = stream.finish();
        assert_eq!((&kept.head[..], &kept.tail[..], kept.written), (&b"abc"[..], &b"nopq"[..], 17));
        assert_eq!(kept.dropped(), 10);
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let (mut stream, theirs) = Stream::open(Keep { head: 3, tail: 4 }, None).unwrap();
        File::from(theirs).write_all(b"abcdef").unwrap();
        stream.drain(&mut [0; 64]);
        assert_eq!(stream.finish().joined(), b"abcdef");
    }
}
