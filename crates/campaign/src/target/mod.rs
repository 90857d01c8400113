//! What is tuned: a program, or a function of this one.

mod function;
mod leash;

pub use function::{FunctionTarget, Said};
pub use leash::{Leash, Pull};

use confine::Cores;
use engine::{Cap, Observation, TrialRequest};

/// What happened in a trial: what the engine learns from, and what people want to know.
#[derive(Clone, PartialEq, Debug)]
pub struct Account {
    /// For the engine.
    pub observation: Observation,
    /// For people.
    pub detail: Detail,
}

/// What a trial used, and how it failed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Detail {
    /// CPU seconds; `None` if they could not be measured.
    pub cpu: Option<f64>,
    /// Wall seconds.
    pub wall: f64,
    /// Largest memory in bytes.
    pub memory: Option<u64>,
    /// Exit code, or minus the number of the signal that ended it.
    pub exit: Option<i32>,
    /// For a failure, its signature in one line.
    pub reason: Option<String>,
    /// The end of what a failed trial printed.
    pub stdout_tail: Vec<u8>,
    /// The end of what a failed trial complained.
    pub stderr_tail: Vec<u8>,
}

/// Where a trial runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Slot {
    /// The cores it may use; all allowed ones if `None`.
    pub cores: Option<Cores>,
}

/// A trial could not be run at all: no other one can, either.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct TargetError {
    /// What went wrong, with the command.
    pub message: String,
}

/// Something whose cost depends on settings.
pub trait Target: Send + Sync {
    /// Runs one trial to its end or to the end of its leash.
    fn run(&self, trial: &TrialRequest, leash: &Leash, slot: &Slot) -> Result<Account, TargetError>;

    /// The leash for a trial that starts with this cap.
    fn leash(&self, cap: Cap) -> Leash {
        Leash::new(cap, Pull::Nothing)
    }
}
