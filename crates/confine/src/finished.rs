//! The record of one run: how it ended, why it was stopped, what it used.
//!
//! A value that could not be measured is absent, never zero.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limits::Limit;
use crate::tier::Tier;

/// How the main process itself ended, whoever caused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It returned this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// Why we stopped it, if we did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It met a limit.
    Limit(Limit),
    /// The caller asked for it.
    Cancelled,
}

/// Exit and stop in one word, for callers who need to tell only these apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It returned this code by itself.
    Exited(i32),
    /// This signal ended it, and it was not ours.
    Signalled(i32),
    /// It met a limit.
    Stopped(Limit),
    /// The caller asked for it.
    Cancelled,
}

/// CPU time of the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// In the program's own code.
    pub user: Duration,
    /// In the kernel on its behalf.
    pub system: Duration,
    /// False when processes were seen, outside the cgroup tier, whose time nobody accounts for as
    /// their parent ignores SIGCHLD: then the true time is at least this. True means that no such
    /// loss was noticed.
    pub complete: bool,
}

impl CpuTime {
    /// User and system together.
    pub fn total(&self) -> Duration {
        self.user + self.system
    }
}

/// The part of an output stream that was kept: its beginning and its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// The first bytes.
    #[serde(with = "serde_bytes")]
    pub head: Vec<u8>,
    /// The last bytes, beginning after `head`.
    #[serde(with = "serde_bytes")]
    pub tail: Vec<u8>,
    /// How many bytes were written in all.
    pub written: u64,
    /// False when the file that was to hold the whole stream could not take it all.
    pub file_complete: bool,
}

impl Captured {
    /// How many bytes between head and tail were not kept.
    pub fn dropped(&self) -> u64 {
        self.written - (self.head.len() + self.tail.len()) as u64
    }

    /// Everything kept, with a line in place of what was dropped.
    pub fn joined(&self) -> Vec<u8> {
        let mut all = self.head.clone();
        if self.dropped() > 0 {
            all.extend_from_slice(format!("\n[... {} bytes dropped ...]\n", self.dropped()).as_bytes());
        }
        all.extend_from_slice(&self.tail);
        all
    }
}

/// Why a file that the target should have written was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unread {
    /// There is none.
    #[error("it does not exist")]
    Missing,
    /// It is a folder, a pipe or the like.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is longer than [`Unread::LONGEST`].
    #[error("it has more than 1 MiB")]
    TooLong,
    /// Its path leads out of the target's folder.
    #[error("it lies outside the target's folder")]
    Outside,
    /// The system refused, with this error number.
    #[error("{}", std::io::Error::from_raw_os_error(*.0))]
    Refused(i32),
}

impl Unread {
    /// Longest file that is read, in bytes.
    pub const LONGEST: u64 = 1 << 20;
}

/// The record of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// How the main process ended.
    pub exit: Exit,
    /// Why it was stopped; `None` if it ended by itself.
    pub stopped: Option<Stop>,
    /// CPU time of the whole tree.
    pub cpu: Option<CpuTime>,
    /// From the start of the main process to its end.
    pub wall: Duration,
    /// Largest memory of the tree in bytes: exact by the cgroup's memory controller; otherwise the
    /// largest sum of resident sets sampled (in which shared pages count for each process) or the
    /// largest single process, whichever is more.
    pub peak_memory: Option<u64>,
    /// Orphans of the tree that came to the supervisor; unknown in the group tier.
    pub adopted: Option<u32>,
    /// Processes still alive when the main process had ended by itself, and then killed; unknown in
    /// the group tier, and when we ended the main process ourselves.
    pub stragglers: Option<u32>,
    /// How the tree was held together.
    pub tier: Tier,
    /// What was kept of standard output.
    pub stdout: Captured,
    /// What was kept of standard error.
    pub stderr: Captured,
    /// The files asked for by [`crate::Command::read_file`], in that order.
    pub files: Vec<Result<Vec<u8>, Unread>>,
    /// The private folder, if it could not be removed.
    #[serde(with = "crate::wire::path_bytes")]
    pub left_behind: Option<PathBuf>,
}

impl Finished {
    /// Exit and stop in one word.
    pub fn end(&self) -> End {
        match (self.stopped, self.exit) {
            (Some(Stop::Limit(limit)), _) => End::Stopped(limit),
            (Some(Stop::Cancelled), _) => End::Cancelled,
            (None, Exit::Code(code)) => End::Exited(code),
            (None, Exit::Signal(signal)) => End::Signalled(signal),
        }
    }
}
