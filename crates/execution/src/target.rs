//! What a trial executes, and what it tells.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use confine::{Cores, LaunchError, Tier};
use engine::{Cap, InstanceId, Observation, TrialRequest};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Leash;

/// What a campaign runs its trials on.
pub trait Target: Send + Sync {
    /// Runs a trial to its end in a slot. By its leash the trial can be cancelled from another thread.
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, slot: &Slot) -> Result<Account, TargetError>;

    /// Runs a trial to its end in a slot of its own, on any cores.
    fn run(&self, trial: &TrialRequest, leash: &Leash) -> Result<Account, TargetError> {
        self.run_on(trial, leash, &Slot::default())
    }

    /// Lowers the cap of the trial on a leash, if this target can be stopped earlier while it runs;
    /// otherwise the cap it began with holds.
    fn lower_cap(&self, leash: &Leash, cap: Cap) {
        leash.lower(cap);
    }

    /// The cost that the trial on a leash has surely reached after so many seconds, if that can be
    /// said.
    fn reached(&self, _leash: &Leash, _seconds: f64) -> Option<f64> {
        None
    }

    /// Seconds that the command of a trial takes if it runs to its cap, if that can be said.
    fn longest(&self, _trial: &TrialRequest) -> Option<f64> {
        None
    }
}

/// What a trial told.
#[derive(Clone, PartialEq, Debug)]
pub struct Account {
    /// What it says of the configuration.
    pub observation: Observation,
    /// What happened besides.
    pub detail: Detail,
}

/// What really happened in a trial besides its observation: for the store, the screen and rerun.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    /// CPU time in seconds, if it could be measured.
    pub cpu: Option<f64>,
    /// Time on the clock in seconds, if it was measured.
    pub wall: Option<f64>,
    /// Largest memory in bytes, if it could be measured.
    pub memory: Option<u64>,
    /// How the main process ended: its exit code, or minus the number of the signal that ended it.
    pub exit: Option<i32>,
    /// The outputs of the scenario that were found, by name; also of trials that were stopped.
    #[serde(with = "math::json_number::by_name")]
    pub outputs: BTreeMap<String, f64>,
    /// Why it failed, in one line that is the same for the same cause.
    pub reason: Option<String>,
    /// The end of standard output; of failures only.
    pub stdout_tail: Vec<u8>,
    /// The end of standard error; of failures only.
    pub stderr_tail: Vec<u8>,
    /// How the process tree was held together; empty if that is not known.
    pub tier: Cow<'static, str>,
    /// What went wrong when the trial was taken down, in one line that is the same for the same cause:
    /// what it told counts all the same.
    pub teardown: Option<String>,
    /// Its private folder, if that could not be removed.
    pub left_behind: Option<PathBuf>,
    /// What went wrong with a server that lives on between trials and was not this trial's doing, in one line
    /// that is the same for the same cause: what the trial told counts all the same.
    pub server: Option<String>,
}

/// Why a trial could not be run at all, as no other could: the campaign stops.
#[derive(Debug, Error)]
pub enum TargetError {
    /// The command does not start.
    #[error("the target cannot be run: {command}")]
    Launch {
        /// The command, ready to paste.
        command: String,
        /// Why not.
        source: LaunchError,
    },
    /// What is minimised or bounded is not measured here.
    #[error("the {what} of the target cannot be measured exactly in the {tier} tier")]
    Unmeasured {
        /// What.
        what: &'static str,
        /// How the tree was held together.
        tier: Tier,
    },
    /// The file of the configuration cannot be written.
    #[error("cannot write the configuration to {}", path.display())]
    ConfigFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A run was repeated as often as the scenario allows.
    #[error("{reason}: the same again after {times} repetitions, which `target.retry` allows")]
    Unavailable {
        /// Why each was withdrawn.
        reason: String,
        /// How many times it was repeated.
        times: u32,
    },
    /// The target said that no trial can succeed.
    #[error("the target says that no trial can succeed: {said}")]
    Aborted {
        /// In these words.
        said: String,
    },
    /// The target is code of this program, and panicked.
    #[error("the target panicked: {said}")]
    Panicked {
        /// The first line of its message.
        said: String,
    },
    /// A trial on an instance that the target was not given.
    #[error("there is no instance {wanted}: the target has {count}")]
    NoInstance {
        /// The instance asked for.
        wanted: InstanceId,
        /// How many there are.
        count: usize,
    },
}

impl TargetError {
    /// What the user may do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Launch { source, .. } => source.hint(),
            Self::Unmeasured { .. } => {
                Some("`captune doctor` shows how to get the cgroup tier, which measures everything".into())
            }
            Self::Unavailable { .. } => {
                Some("nothing is lost: run the same command when it is mended".into())
            }
            Self::Aborted { .. } => Some("`captune check` makes one call and shows what it answers".into()),
            Self::ConfigFile { .. } | Self::Panicked { .. } | Self::NoInstance { .. } => None,
        }
    }
}

/// The variable that names the GPUs a program may use.
pub const GPUS: &str = "CUDA_VISIBLE_DEVICES";

/// Where a trial runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Slot {
    /// Its number, from 0: no two trials that run at one time have the same.
    pub number: usize,
    /// The cores it may use; any if `None`.
    pub cores: Option<Cores>,
    /// The GPUs it may use, by number or name.
    pub gpus: Vec<String>,
}
