//! Why a command did not run. Once it runs, whatever happens is a [`crate::Finished`].

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::{Cores, LimitError};
use crate::tier::Tier;

/// Why a command did not run.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The program's name is empty.
    #[error("there is no program to run")]
    NoProgram,
    /// An argument holds a NUL byte, which no program can receive.
    #[error("argument {index} holds a NUL byte")]
    NulInArgument {
        /// Its place, the program being 0.
        index: usize,
    },
    /// A variable that no environment can hold.
    #[error("the environment variable `{name}` {why}")]
    BadVariable {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No such program.
    #[error("program `{program}` not found{searched}")]
    ProgramNotFound {
        /// As the caller wrote it.
        program: String,
        /// Where it was looked for.
        searched: String,
    },
    /// There is such a file, but it cannot be executed.
    #[error("`{}` cannot be executed: {why}", program.display())]
    NotExecutable {
        /// The file.
        program: PathBuf,
        /// Why not.
        why: String,
    },
    /// The working folder cannot be used.
    #[error("working folder `{}` cannot be used", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file for a standard stream cannot be used.
    #[error("{stream} file `{}` cannot be used", path.display())]
    Stream {
        /// stdin, stdout or stderr.
        stream: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A limit that makes no sense.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Cores this process may not use.
    #[error("cores {wanted} cannot be used: this process is allowed cores {allowed}")]
    Cores {
        /// What was asked for.
        wanted: Cores,
        /// What is there.
        allowed: Cores,
    },
    /// The tier asked for does not work here, or none does.
    #[error("the {tier} tier does not work here: {why}")]
    Tier {
        /// Which.
        tier: Tier,
        /// Why not.
        why: String,
    },
    /// A step before the target's first instruction failed.
    #[error("the target could not be started: {step} failed")]
    Start {
        /// Which step.
        step: Step,
        /// What the system said.
        source: io::Error,
    },
    /// The guardian could not be started.
    #[error("the guardian `{}` could not be started", path.display())]
    Guardian {
        /// Its executable.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The supervisor was killed or broke. Its whole tree is gone, and so is what it had measured.
    #[error("the supervisor was lost before it could report")]
    SupervisorLost,
}

impl LaunchError {
    /// What the user may do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ProgramNotFound { program, .. } if program.contains('/') => {
                "a relative path is taken from the current folder".into()
            }
            Self::ProgramNotFound { .. } => "give its path, or add its folder to PATH".into(),
            Self::NotExecutable { program, .. } if lacks_permission(program) => {
                format!("`chmod +x {}` if it is a program", program.display())
            }
            Self::Cores { allowed, .. } => format!("choose among cores {allowed}"),
            Self::Tier { tier, .. } => match tier {
                Tier::Cgroup => "run under `systemd-run --user --scope -p Delegate=yes`, or leave --tier out",
                Tier::Namespace => "ask for unprivileged user namespaces, or leave --tier out",
                Tier::Subreaper | Tier::Group => "`captune doctor` shows what this machine can enforce",
            }
            .into(),
            Self::Guardian { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "/proc must be mounted".into()
            }
            Self::SupervisorLost => {
                "run it again; if it happens again, look for the kernel's out-of-memory killer".into()
            }
            _ => return None,
        })
    }

    /// Whether the cause lies in the system at this moment, and not in what was asked for.
    pub fn is_of_system(&self) -> bool {
        matches!(self, Self::Start { .. } | Self::Guardian { .. } | Self::SupervisorLost)
    }

    /// Whether the cause is a limit or a tier that this machine cannot enforce.
    pub fn is_unenforceable(&self) -> bool {
        matches!(self, Self::Cores { .. } | Self::Tier { .. })
    }
}

/// Whether it is a file that nobody may execute.
fn lacks_permission(program: &Path) -> bool {
    std::fs::metadata(program).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 == 0)
}

/// A step between the caller's wish and the target's first instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Step {
    /// Making the control group of the run.
    Cgroup,
    /// Setting a limit on the control group.
    CgroupLimit,
    /// Having a process born in the control group.
    CgroupBirth,
    /// Making user and PID namespaces.
    Namespace,
    /// Mounting a /proc that shows only the namespace.
    MountProc,
    /// Becoming the reaper of orphans.
    Subreaper,
    /// Reading the process tree in /proc.
    ReadTree,
    /// Pipes, timers and process descriptors.
    Descriptors,
    /// Creating the process.
    Fork,
    /// Its session, streams and signals.
    Session,
    /// Its resource limits.
    ResourceLimits,
    /// Its cores.
    Affinity,
    /// Its folder.
    Chdir,
    /// Executing the program.
    Exec,
}

impl Step {
    /// All steps, in order.
    const ALL: [Self; 14] = [
        Self::Cgroup,
        Self::CgroupLimit,
        Self::CgroupBirth,
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

    /// Whether it is the tier that failed rather than the command.
    pub(crate) fn is_of_tier(self) -> bool {
        (self as u8) <= Self::ReadTree as u8
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cgroup => "making a control group",
            Self::CgroupLimit => "limiting the control group",
            Self::CgroupBirth => "having a process born in a control group",
            Self::Namespace => "making user and PID namespaces",
            Self::MountProc => "mounting a private /proc",
            Self::Subreaper => "becoming the reaper of orphans",
            Self::ReadTree => "reading the process tree in /proc",
            Self::Descriptors => "opening pipes and timers",
            Self::Fork => "creating a process",
            Self::Session => "setting up session and streams",
            Self::ResourceLimits => "setting resource limits",
            Self::Affinity => "choosing cores",
            Self::Chdir => "entering the working folder",
            Self::Exec => "executing the program",
        })
    }
}
