//! The interface of targets, and the result of a trial.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use confine::{Cores, LaunchError, Tier};
use engine::{Cap, InstanceId, Observation, TrialRequest};
use scenario::Measure;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Leash;

/// A target, which runs the trials of a campaign.
pub trait Target: Send + Sync {
    /// Runs a trial to its end in a slot. Another thread can cancel the trial through its leash.
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, slot: &Slot) -> Result<Account, TargetError>;

    /// Runs a trial to its end in a separate slot, which may use any cores.
    fn run(&self, trial: &TrialRequest, leash: &Leash) -> Result<Account, TargetError> {
        self.run_on(trial, leash, &Slot::default())
    }

    /// Lowers the cap of the trial on a leash. If the target does not support this, the first cap applies
    /// until the trial ends.
    fn lower_cap(&self, leash: &Leash, cap: Cap) {
        leash.lower(cap);
    }

    /// Returns a lower bound on the cost that the trial on a leash has reached after `seconds`; `None` if
    /// unknown.
    fn reached(&self, _leash: &Leash, _seconds: f64) -> Option<f64> {
        None
    }

    /// Returns the time in seconds that a trial's command takes if it runs to its cap; `None` if unknown.
    fn longest(&self, _trial: &TrialRequest) -> Option<f64> {
        None
    }
}

/// The result of a trial.
#[derive(Clone, PartialEq, Debug)]
pub struct Account {
    /// The observation of the configuration.
    pub observation: Observation,
    /// Further details.
    pub detail: Detail,
}

/// Details of a trial in addition to its observation, for the store, displays and reruns.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    /// CPU time in seconds, if it could be measured.
    pub cpu: Option<f64>,
    /// Wall-clock time in seconds, if it was measured.
    pub wall: Option<f64>,
    /// Peak memory in bytes, if it could be measured.
    pub memory: Option<u64>,
    /// Exit code of the main process, or the negated signal number if a signal ended the process.
    pub exit: Option<i32>,
    /// The outputs of the scenario that were found, by name. Stopped trials have them, too.
    #[serde(with = "math::json_number::by_name")]
    pub outputs: BTreeMap<String, f64>,
    /// Reason for the trial's failure, in one line that is the same for the same cause.
    pub reason: Option<String>,
    /// The end of standard output, for failures only.
    pub stdout_tail: Vec<u8>,
    /// The end of standard error, for failures only.
    pub stderr_tail: Vec<u8>,
    /// Tier that held the process tree together; empty if unknown.
    pub tier: Cow<'static, str>,
    /// Problem in the teardown, in one line that is the same for the same cause. The result of the trial
    /// still counts.
    pub teardown: Option<String>,
    /// Path of the trial's private folder, if it could not be removed.
    pub left_behind: Option<PathBuf>,
    /// A problem with the server that this trial did not cause, in one line that is the same for the same
    /// cause. The result of the trial still counts.
    pub server: Option<String>,
}

impl Detail {
    /// Returns all numbers that were measured, by their names in scenarios: the outputs and what the trial used.
    pub fn measured(&self) -> Vec<(String, f64)> {
        let used = Measure::NAMED.into_iter().filter_map(|(name, measure)| {
            let value = match measure {
                Measure::CpuTime => self.cpu,
                Measure::WallTime => self.wall,
                Measure::Memory => self.memory.map(|bytes| bytes as f64),
                Measure::Output(_) => None,
            };
            Some((name.to_owned(), value?))
        });
        self.outputs.iter().map(|(name, value)| (name.clone(), *value)).chain(used).collect()
    }
}

/// Returns an error's message followed by the messages of all its causes, for places that accept only text.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The reason why no trial can be run. The campaign then stops.
#[derive(Debug, Error)]
pub enum TargetError {
    /// The command cannot be started.
    #[error("could not start the target: {command}")]
    Launch {
        /// The command, ready to paste.
        command: String,
        /// The cause.
        source: LaunchError,
    },
    /// The objective or a constrained output cannot be measured on this machine.
    #[error("the {what} of the target cannot be measured exactly in the {tier} tier")]
    Unmeasured {
        /// Name of the measure.
        what: &'static str,
        /// The tier that held the process tree together.
        tier: Tier,
    },
    /// The configuration file cannot be written.
    #[error("cannot write the configuration to {}", path.display())]
    ConfigFile {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A run still failed after as many repetitions as the scenario allows.
    #[error("{reason}: still failing after the {times} repetitions that `target.retry` allows")]
    Unavailable {
        /// The reason why the run was withdrawn each time.
        reason: String,
        /// Number of repetitions.
        times: u32,
    },
    /// The target reported that no trial can succeed.
    #[error("the target reported that no trial can succeed: {message}")]
    Aborted {
        /// The target's own message.
        message: String,
    },
    /// A trial failed, and the file of its instance no longer exists.
    #[error("the instance {} no longer exists", path.display())]
    InstanceGone {
        /// Path of the file.
        path: PathBuf,
    },
    /// A worker on another machine could not run the trial.
    #[error("a trial could not be run on {host}: {message}")]
    Remote {
        /// The machine.
        host: String,
        /// The worker's message.
        message: String,
    },
    /// The target is a function in this program, and it panicked.
    #[error("the target panicked: {message}")]
    Panicked {
        /// The first line of the panic message.
        message: String,
    },
    /// The requested instance does not exist in the target's list.
    #[error("there is no instance {wanted}: the target has only {count} instances")]
    NoInstance {
        /// The requested instance.
        wanted: InstanceId,
        /// Number of instances in the list.
        count: usize,
    },
}

impl TargetError {
    /// Returns a hint for the user on how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Launch { source, .. } => source.hint(),
            Self::Unmeasured { tier: Tier::Cgroup, .. } => None,
            Self::Unmeasured { .. } => {
                Some("`captune doctor` shows how to get the cgroup tier, which measures everything".into())
            }
            Self::Unavailable { .. } => {
                Some("nothing is lost: fix the cause and run the same command again".into())
            }
            Self::Aborted { .. } => Some("`captune check` calls the target once and shows its answer".into()),
            Self::Remote { host, .. } => {
                Some(format!("`captune check` on {host} shows whether the target runs there"))
            }
            Self::InstanceGone { .. } => Some("restore the file".into()),
            Self::ConfigFile { .. } | Self::Panicked { .. } | Self::NoInstance { .. } => None,
        }
    }

    /// Returns the message, its causes and the hint, for places that accept only text.
    pub fn explained(&self) -> String {
        let message = with_causes(self);
        match self.hint() {
            Some(hint) => format!("{message}; {hint}"),
            None => message,
        }
    }
}

/// Environment variable that lists the GPUs that a program may use.
pub const GPUS: &str = "CUDA_VISIBLE_DEVICES";

/// A place in which one trial at a time runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Slot {
    /// Number of the slot, from 0. Trials that run at the same time have different slots.
    pub number: usize,
    /// The cores that its trials may use; `None` means any cores.
    pub cores: Option<Cores>,
    /// The GPUs that its trials may use, by number or name.
    pub gpus: Vec<String>,
}
