//! The record of one run: how it ended, why it was stopped, and what it used.
//!
//! A value that could not be measured is `None`, never zero.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limits::Limit;
use crate::tier::Tier;

/// The exit code or signal with which the main process ended, whatever the cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// The process exited with this code.
    Code(i32),
    /// This signal ended the process.
    Signal(i32),
}

/// The reason why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The run reached a limit.
    Limit(Limit),
    /// The caller cancelled the run.
    Cancelled,
}

/// Exit and stop combined into one value, for callers that need to distinguish only these cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The main process exited by itself with this code.
    Exited(i32),
    /// This signal, which the supervisor did not send, ended the main process.
    Signalled(i32),
    /// The run reached a limit.
    Stopped(Limit),
    /// The caller cancelled the run.
    Cancelled,
}

/// CPU time of the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// Time spent in the programs' own code.
    pub user: Duration,
    /// Time spent in the kernel on their behalf.
    pub system: Duration,
    /// False if the time of some processes is missing because their parent ignores SIGCHLD, which can happen
    /// outside the cgroup tier. The CPU time is then a lower bound. True means that no such loss was
    /// detected.
    pub complete: bool,
}

impl CpuTime {
    /// Returns the sum of user and system time.
    pub fn total(&self) -> Duration {
        self.user + self.system
    }
}

/// The part of an output stream that was kept: its start and its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// The first bytes.
    #[serde(with = "serde_bytes")]
    pub head: Vec<u8>,
    /// The last bytes, not including those in `head`.
    #[serde(with = "serde_bytes")]
    pub tail: Vec<u8>,
    /// Total number of bytes written.
    pub written: u64,
    /// False if the file for the whole stream is incomplete.
    pub file_complete: bool,
}

impl Captured {
    /// Returns the number of bytes between head and tail that were not kept.
    pub fn dropped(&self) -> u64 {
        self.written - (self.head.len() + self.tail.len()) as u64
    }

    /// Returns the head and the tail, with a line between them in place of any dropped bytes.
    pub fn joined(&self) -> Vec<u8> {
        let mut all = self.head.clone();
        if self.dropped() > 0 {
            all.extend_from_slice(format!("\n[... {} bytes dropped ...]\n", self.dropped()).as_bytes());
        }
        all.extend_from_slice(&self.tail);
        all
    }
}

/// The reason why a file requested from the target was not read or measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unread {
    /// The file does not exist.
    #[error("it does not exist")]
    Missing,
    /// The path leads to a folder, a pipe or something else that is not a regular file.
    #[error("it is not a regular file")]
    NotAFile,
    /// The file is longer than [`Unread::MAX_LENGTH`].
    #[error("it is larger than 1 MiB")]
    TooLong,
    /// The path leads out of the target's folder.
    #[error("it is outside the target's folder")]
    Outside,
    /// A system call failed with this error number.
    #[error("{}", std::io::Error::from_raw_os_error(*.0))]
    Refused(i32),
}

impl Unread {
    /// Maximum length of a requested file, in bytes.
    pub const MAX_LENGTH: u64 = 1 << 20;
}

/// The record of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// Exit code or signal of the main process.
    pub exit: Exit,
    /// Reason why the run was stopped; `None` if it ended by itself.
    pub stopped: Option<Stop>,
    /// CPU time of the whole tree.
    pub cpu: Option<CpuTime>,
    /// Time from the start of the main process to its end.
    pub wall: Duration,
    /// Peak memory use of the whole tree, in bytes. The memory controller of a control group measures it
    /// exactly. Without that controller, and for all but the first command of a sequence, this is the larger of
    /// two values: the largest sampled sum of resident sets (in which shared pages count once for each process),
    /// and the largest resident set of a single process. A program that is smaller than the supervisor and ends
    /// within 50 ms counts as being as large as the supervisor.
    pub peak_memory: Option<u64>,
    /// Number of orphans that the supervisor adopted; unknown in the group tier.
    pub adopted: Option<u32>,
    /// Number of processes that were still alive when the main process ended by itself, and were then
    /// killed. Unknown in the group tier, and if the run was stopped.
    pub stragglers: Option<u32>,
    /// Tier that held the process tree together.
    pub tier: Tier,
    /// The part of standard output that was kept.
    pub stdout: Captured,
    /// The part of standard error that was kept.
    pub stderr: Captured,
    /// Contents of the files requested with [`crate::Command::read_file`], in the order of the requests.
    pub files: Vec<Result<Vec<u8>, Unread>>,
    /// Sizes in bytes of the files requested with [`crate::Command::measure_file`], in the order of the requests.
    pub sizes: Vec<Result<u64, Unread>>,
    /// The private folder, if it could not be removed.
    #[serde(with = "crate::path_bytes")]
    pub left_behind: Option<PathBuf>,
}

impl Finished {
    /// Returns exit and stop combined into one value.
    pub fn end(&self) -> End {
        match (self.stopped, self.exit) {
            (Some(Stop::Limit(limit)), _) => End::Stopped(limit),
            (Some(Stop::Cancelled), _) => End::Cancelled,
            (None, Exit::Code(code)) => End::Exited(code),
            (None, Exit::Signal(signal)) => End::Signalled(signal),
        }
    }
}
