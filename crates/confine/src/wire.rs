//! Messages between the processes of this crate. The caller asks the guardian for supervisors. The caller
//! sends each supervisor one or more jobs, one after the other, and orders for the running job. The
//! supervisor sends one report for each job, and the CPU time used so far whenever the caller asks for it.
//!
//! A frame is a four-byte length and a `postcard` body. Both ends are the same executable, so the
//! format needs no version. The open files of a job are sent along with its first byte.

#[cfg(fuzzing)]
pub mod fuzzing;

use std::ffi::{CString, OsStr};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::command::Keep;
use crate::error::Failure;
use crate::finished::Finished;
use crate::limits::{Cores, Limits};
use crate::tier::{Tier, cgroup};

/// Information about a run for the guardian: how to fork its supervisor, and what to clean up if the
/// supervisor is killed. The run's control socket is sent along with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RunSpec {
    pub(crate) tier: Tier,
    /// The group that the cgroup tier creates.
    pub(crate) cgroup: Option<cgroup::Plan>,
    /// The private folder, which must be removed after the run.
    pub(crate) private: Option<CString>,
}

impl RunSpec {
    pub(crate) fn private_folder(&self) -> Option<PathBuf> {
        self.private.as_ref().map(|path| PathBuf::from(OsStr::from_bytes(path.to_bytes())))
    }
}

/// Information about one job for the supervisor. The caller has checked all of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) program: CString,
    pub(crate) arguments: Vec<CString>,
    pub(crate) environment: Vec<CString>,
    pub(crate) folder: CString,
    pub(crate) limits: Limits,
    /// The cores to run on: those in the limits, or the caller's cores if the limits name none.
    pub(crate) cores: Option<Cores>,
    pub(crate) keep: Keep,
    /// Files to read at the end, from `folder`.
    pub(crate) read_files: Vec<CString>,
    /// Files whose size is measured at the end, from `folder`.
    pub(crate) measured_files: Vec<CString>,
    /// Whether a file is sent with the job for each of stdin, stdout and stderr, in this order.
    pub(crate) attached: [bool; 3],
    pub(crate) at_end: Killed,
}

/// The processes to kill when the main process of a job has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Killed {
    /// Everything: no other job follows.
    All,
    /// The processes that this job has started. Processes of earlier jobs keep running.
    Own,
    /// None, unless the job was stopped. The output streams go directly to their files, because processes
    /// that keep running may write to them.
    Nothing,
}

/// A message from a caller to a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Runs a job; answered with a [`Report`].
    Run(Box<Job>),
    /// An order for the running job.
    Order(Order),
    /// No other job follows: the supervisor kills everything and exits.
    End,
}

/// An order from the caller during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Order {
    LowerCpu(Duration),
    LowerWall(Duration),
    Cancel,
    /// Asks for the CPU time; answered with [`Reply::Used`].
    ReportCpu,
}

/// A message from a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// CPU time of the tree so far.
    Used(Duration),
    /// The outcome of a job.
    Report(Report),
}

/// The outcome of a job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    Finished(Box<Finished>),
    NotStarted(Failure),
}

/// Maximum number of open files sent along with a job.
const MAX_FILES: usize = 3;

/// Size of the chunks in which memory for a body is allocated as its bytes arrive. The announced length may
/// be wrong, so the memory is not allocated all at once.
const CHUNK: usize = 64 << 10;

/// Sends one frame.
pub(crate) fn send(socket: impl AsFd, message: &impl Serialize, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let body = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes();
    let mut frame = Vec::with_capacity(length.len() + body.len());
    frame.extend_from_slice(&length);
    frame.extend_from_slice(&body);

    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::other("too many files are attached"));
    }
    let mut sent = 0;
    while sent < frame.len() {
        match sendmsg(&socket, &[IoSlice::new(&frame[sent..])], &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(bytes) => sent += bytes,
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        ancillary.clear();
    }
    Ok(())
}

/// Receives one frame; `None` if the other end is closed.
pub(crate) fn receive<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut files = Vec::new();
    let mut length = [0; 4];
    if !fill(&socket, &mut length, &mut files)? {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length) as usize;
    let mut body = Vec::new();
    while body.len() < length {
        let filled = body.len();
        body.resize(length.min(filled + CHUNK), 0);
        if !fill(&socket, &mut body[filled..], &mut files)? {
            return Ok(None);
        }
    }
    Ok(Some((postcard::from_bytes(&body).map_err(io::Error::other)?, files)))
}

/// Fills `bytes` from the socket. Returns false if the socket was closed before `bytes` was full.
fn fill(socket: impl AsFd, bytes: &mut [u8], files: &mut Vec<OwnedFd>) -> io::Result<bool> {
    let mut filled = 0;
    while filled < bytes.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut target = [IoSliceMut::new(&mut bytes[filled..])];
        match recvmsg(&socket, &mut target, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) if received.bytes == 0 => return Ok(false),
            Ok(received) => filled += received.bytes,
            Err(rustix::io::Errno::INTR) => continue,
            Err(rustix::io::Errno::CONNRESET) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                files.extend(received);
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn frames_arrive_whole_and_in_order() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        send(&ours, &Order::LowerCpu(Duration::from_millis(7)), &[]).unwrap();
        send(&ours, &Order::Cancel, &[]).unwrap();
        drop(ours);
        let next = || receive::<Order>(&theirs).unwrap().map(|(order, _)| order);
        assert_eq!(next(), Some(Order::LowerCpu(Duration::from_millis(7))));
        assert_eq!(next(), Some(Order::Cancel));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_long_frame_arrives_whole() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let text = "x".repeat(3 * CHUNK + 1);
        let sent = text.clone();
        let sender = std::thread::spawn(move || send(&ours, &sent, &[]).unwrap());
        assert!(receive::<String>(&theirs).unwrap().unwrap().0 == text);
        sender.join().unwrap();
    }

    /// Returns the peak address space of this process, in bytes.
    fn peak_address_space() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmPeak:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
    }

    #[test]
    fn a_wrong_length_does_not_allocate_memory() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&u32::MAX.to_le_bytes()).unwrap();
        ours.write_all(b"short").unwrap();
        drop(ours);
        let before = peak_address_space();
        assert!(receive::<Order>(&theirs).unwrap().is_none());
        let more = peak_address_space() - before;
        assert!(more < 1 << 30, "{more} bytes");
    }

    #[test]
    fn open_files_are_sent_along() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let path = std::env::temp_dir().join(format!("confine-wire-{}", std::process::id()));
        let mut file =
            std::fs::File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.write_all(b"carried").unwrap();
        file.rewind().unwrap();
        send(&ours, &Order::Cancel, &[file.as_fd()]).unwrap();
        let (_, files) = receive::<Order>(&theirs).unwrap().unwrap();
        let mut text = String::new();
        std::fs::File::from(files.into_iter().next().unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "carried");
    }
}
