//! A function of this program as the target, for benchmarks, demonstrations and embedding.
//!
//! CPU time is that of the thread that runs the function.

use engine::{Observation, Status, TrialRequest};
use rustix::time::{ClockId, clock_gettime};

use super::{Account, Detail, Leash, Slot, Target, TargetError};
use crate::panics::caught;

/// Runs a function in the worker's own thread. The function should check the leash regularly, and stop when
/// its cost passes the cap or the trial is cancelled. A function that panics has crashed.
pub struct FunctionTarget<F> {
    function: F,
    cutoff: Option<f64>,
}

/// How a function's trial ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    /// Finished at this cost.
    Finished(f64),
    /// Stopped when the cost had reached this.
    Stopped(f64),
    /// Failed after using this.
    Crashed(f64),
}

impl<F: Fn(&TrialRequest, &Leash) -> Outcome + Send + Sync> FunctionTarget<F> {
    /// Creates a target that calls this function. A trial stopped at or above `cutoff` is a timeout; others
    /// are capped.
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
            Ok(outcome) => (self.observation(outcome), None),
            // What it has spent is unknown.
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
