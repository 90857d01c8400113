//! Targets that are functions in this program, for benchmarks, demonstrations and embedding.
//!
//! The CPU time of a trial is that of the thread that runs the function.

use engine::{Observation, Status, TrialRequest};
use rustix::time::{ClockId, clock_gettime};

use super::{Account, Detail, Leash, Slot, Target, TargetError};
use crate::panics::caught;

/// A target that runs a function in the worker's own thread. The function should check the leash regularly.
/// The function should stop when its cost exceeds the cap or when the trial is cancelled. If the function
/// panics, or returns a cost that is not finite, the trial counts as crashed.
pub struct FunctionTarget<F> {
    function: F,
    cutoff: Option<f64>,
}

/// The way in which a function's trial ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    /// Finished at this cost.
    Finished(f64),
    /// Stopped when the cost had reached this value.
    Stopped(f64),
    /// Failed when the cost had reached this value.
    Crashed(f64),
}

impl Outcome {
    /// Returns the cost reached.
    pub fn cost(self) -> f64 {
        match self {
            Self::Finished(cost) | Self::Stopped(cost) | Self::Crashed(cost) => cost,
        }
    }
}

impl<F: Fn(&TrialRequest, &Leash) -> Outcome + Send + Sync> FunctionTarget<F> {
    /// Creates a target that calls this function. A trial that was stopped at or above `cutoff` is a timeout;
    /// below it, the trial is capped.
    pub fn new(cutoff: Option<f64>, function: F) -> Self {
        Self { function, cutoff }
    }

    fn observation(&self, outcome: Outcome) -> Observation {
        match outcome {
            Outcome::Finished(cost) => Observation::finished(cost),
            Outcome::Stopped(at) if self.cutoff.is_some_and(|cutoff| at >= cutoff) => {
                Observation::timeout(at)
            }
            Outcome::Stopped(at) => Observation::capped(at),
            Outcome::Crashed(spent) => Observation::failed(Status::Crashed, spent),
        }
    }
}

impl<F: Fn(&TrialRequest, &Leash) -> Outcome + Send + Sync> Target for FunctionTarget<F> {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, _slot: &Slot) -> Result<Account, TargetError> {
        let cpu = || seconds(clock_gettime(ClockId::ThreadCPUTime));
        let wall = || seconds(clock_gettime(ClockId::Monotonic));
        let (cpu_before, wall_before) = (cpu(), wall());
        let (observation, reason) = match caught(|| (self.function)(trial, leash)) {
            Ok(outcome) if !outcome.cost().is_finite() => {
                let reason = format!("the cost is {}", outcome.cost());
                (Observation::failed(Status::Crashed, 0.0), Some(reason))
            }
            Ok(outcome) => (self.observation(outcome), None),
            // After a panic, it is unknown what the trial has spent.
            Err(message) => (Observation::failed(Status::Crashed, 0.0), Some(format!("panic: {message}"))),
        };
        let (cpu, wall) = (Some(cpu() - cpu_before), wall() - wall_before);
        let detail = Detail { cpu, wall: Some(wall), reason, ..Detail::default() };
        Ok(Account { observation, detail })
    }
}

fn seconds(time: rustix::time::Timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
