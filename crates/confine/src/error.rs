//! Errors that keep a command from running. Once a command runs, every outcome is a [`crate::Finished`].

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::{Cores, LimitError};
use crate::tier::Tier;

/// The reason why a command did not run.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The program's name is empty.
    #[error("there is no program to run")]
    NoProgram,
    /// An argument contains a NUL byte, which no program can receive.
    #[error("argument {index} contains a NUL byte")]
    NulInArgument {
        /// The argument's index; the program has index 0.
        index: usize,
    },
    /// An invalid environment variable.
    #[error("the environment variable `{name}` {why}")]
    BadVariable {
        /// Its name.
        name: String,
        /// The reason why it is invalid.
        why: &'static str,
    },
    /// The program does not exist.
    #[error("program `{program}` not found{searched}")]
    ProgramNotFound {
        /// The name or path that the caller gave.
        program: String,
        /// The end of the message, which lists the places that were searched; empty if `program` is a path.
        searched: String,
    },
    /// The file exists but cannot be executed.
    #[error("`{}` cannot be executed: {why}", program.display())]
    NotExecutable {
        /// The file.
        program: PathBuf,
        /// The reason.
        why: String,
    },
    /// The working folder cannot be used.
    #[error("working folder `{}` cannot be used", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file for a standard stream cannot be used.
    #[error("{stream} file `{}` cannot be used", path.display())]
    Stream {
        /// stdin, stdout or stderr.
        stream: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// An invalid limit.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The limits name cores that this process may not use.
    #[error("cores {wanted} cannot be used: this process may only use cores {allowed}")]
    Cores {
        /// The requested cores.
        wanted: Cores,
        /// The cores that may be used.
        allowed: Cores,
    },
    /// The requested tier does not work here. If none was requested, no tier works here.
    #[error("the {tier} tier does not work here: {why}")]
    Tier {
        /// The tier.
        tier: Tier,
        /// The reason.
        why: String,
    },
    /// A step before the target's first instruction failed.
    #[error("the target could not be started: {step} failed")]
    Start {
        /// The step.
        step: Step,
        /// The system's error.
        source: io::Error,
    },
    /// The guardian could not be started.
    #[error("the guardian `{}` could not be started", path.display())]
    Guardian {
        /// Its executable.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The supervisor was killed or failed. Its whole tree is gone, and its measurements are lost.
    #[error("the supervisor was lost before it could report")]
    SupervisorLost,
}

impl LaunchError {
    /// Returns a hint on what the user can do about the error, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ProgramNotFound { program, .. } if program.contains('/') => {
                "check the path; a relative path is resolved from the current folder".into()
            }
            Self::ProgramNotFound { .. } => "give its path, or add its folder to PATH".into(),
            Self::NotExecutable { program, .. } if lacks_permission(program) => {
                format!("run `chmod +x {}` if it is a program", program.display())
            }
            Self::Cores { allowed, .. } => format!("choose from cores {allowed}"),
            Self::Tier { tier, .. } => match tier {
                Tier::Cgroup => "run under `systemd-run --user --scope -p Delegate=yes`, or leave out --tier",
                Tier::Namespace => "enable unprivileged user namespaces, or leave out --tier",
                Tier::Subreaper | Tier::Group => "`captune doctor` shows what this machine can enforce",
            }
            .into(),
            Self::Guardian { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "mount /proc, which is needed to start the guardian".into()
            }
            Self::SupervisorLost => {
                "run the command again; if this repeats, check the kernel log for out-of-memory kills".into()
            }
            _ => return None,
        })
    }

    /// Returns whether the cause is the current state of the system, not the command or its limits.
    pub fn is_system_failure(&self) -> bool {
        matches!(self, Self::Start { .. } | Self::Guardian { .. } | Self::SupervisorLost)
    }

    /// Returns whether the cause is a limit or a tier that this machine cannot enforce.
    pub fn is_unenforceable(&self) -> bool {
        matches!(self, Self::Cores { .. } | Self::Tier { .. })
    }
}

/// Returns whether the program is a file that nobody may execute.
fn lacks_permission(program: &Path) -> bool {
    std::fs::metadata(program).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 == 0)
}

/// A step between the caller's request and the target's first instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Step {
    /// Creating the control group for the run.
    Cgroup,
    /// Setting a limit on the control group.
    CgroupLimit,
    /// Starting a process in the control group.
    CgroupFork,
    /// Creating user and PID namespaces.
    Namespace,
    /// Mounting a /proc that shows only the namespace.
    MountProc,
    /// Becoming the reaper of orphans.
    Subreaper,
    /// Reading the process tree in /proc.
    ReadTree,
    /// Opening pipes, timers and process descriptors.
    Descriptors,
    /// Creating the target's process.
    Fork,
    /// Setting up the target's session, streams and signals.
    Session,
    /// Setting the target's resource limits.
    ResourceLimits,
    /// Setting the cores that the target may use.
    Affinity,
    /// Entering the target's working folder.
    Chdir,
    /// Executing the program.
    Exec,
}

impl Step {
    /// All steps, in order.
    const ALL: [Self; 14] = [
        Self::Cgroup,
        Self::CgroupLimit,
        Self::CgroupFork,
        Self::Namespace,
        Self::MountProc,
        Self::Subreaper,
        Self::ReadTree,
        Self::Descriptors,
        Self::Fork,
        Self::Session,
        Self::ResourceLimits,
        Self::Affinity,
        Self::Chdir,
        Self::Exec,
    ];

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&step| step as u8 == byte)
    }

    /// Returns whether the step belongs to the tier rather than to the command.
    pub(crate) fn is_tier_step(self) -> bool {
        (self as u8) <= Self::ReadTree as u8
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cgroup => "creating a control group",
            Self::CgroupLimit => "limiting the control group",
            Self::CgroupFork => "starting a process in a control group",
            Self::Namespace => "creating user and PID namespaces",
            Self::MountProc => "mounting a private /proc",
            Self::Subreaper => "becoming the reaper of orphans",
            Self::ReadTree => "reading the process tree in /proc",
            Self::Descriptors => "opening pipes and timers",
            Self::Fork => "creating a process",
            Self::Session => "setting up session and streams",
            Self::ResourceLimits => "setting resource limits",
            Self::Affinity => "setting the cores",
            Self::Chdir => "entering the working folder",
            Self::Exec => "executing the program",
        })
    }
}

/// A step that failed, with the system's error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) step: Step,
    pub(crate) errno: i32,
}

impl Failure {
    pub(crate) fn new(step: Step, error: impl Into<io::Error>) -> Self {
        Self { step, errno: error.into().raw_os_error().unwrap_or(libc::EIO) }
    }
}

/// A conversion of an error from a system call into a [`Failure`] that names the step.
pub(crate) trait DuringStep<T> {
    fn during(self, step: Step) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> DuringStep<T> for Result<T, E> {
    fn during(self, step: Step) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(step, error))
    }
}
