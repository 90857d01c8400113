//! A function of this program as the target: for benchmarks, demonstrations and embedding.
//!
//! Its CPU time is that of the thread that runs it.

use engine::{Observation, Status, TrialRequest};
use rustix::time::{ClockId, clock_gettime};

use super::{Account, Detail, Leash, Slot, Target, TargetError};
use crate::panics::caught;

/// Runs a function in the worker's own thread. The function looks at the leash now and then: a cost
/// that passes its cap, or a cancelled trial, is the moment to stop. One that panics has crashed.
pub struct FunctionTarget<F> {
    function: F,
    cutoff: Option<f64>,
}

/// What a function says of a trial.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Said {
    /// Finished at this cost.
    Finished(f64),
    /// Stopped when the cost had reached this.
    Stopped(f64),
    /// Failed after using this.
    Crashed(f64),
}

impl<F: Fn(&TrialRequest, &Leash) -> Said + Send + Sync> FunctionTarget<F> {
    /// A target that calls this function; `cutoff` tells a timeout from a capped trial.
    pub fn new(cutoff: Option<f64>, function: F) -> Self {
        Self { function, cutoff }
    }

    fn observation(&self, said: Said) -> Observation {
        match said {
            Said::Finished(cost) => Observation::finished(cost),
            Said::Stopped(at) if self.cutoff.is_some_and(|cutoff| at >= cutoff) => Observation::timeout(at),
            Said::Stopped(at) => Observation::capped(at),
            Said::Crashed(spent) => Observation::failed(Status::Crashed, spent),
        }
    }
}

impl<F: Fn(&TrialRequest, &Leash) -> Said + Send + Sync> Target for FunctionTarget<F> {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, _slot: &Slot) -> Result<Account, TargetError> {
        let cpu = || seconds(clock_gettime(ClockId::ThreadCPUTime));
        let wall = || seconds(clock_gettime(ClockId::Monotonic));
        let (cpu_before, wall_before) = (cpu(), wall());
        let (observation, reason) = match caught(|| (self.function)(trial, leash)) {
            Ok(said) => (self.observation(said), None),
            // What it has spent it cannot say any more.
            Err(said) => (Observation::failed(Status::Crashed, 0.0), Some(format!("panic: {said}"))),
        };
        let (cpu, wall) = (Some(cpu() - cpu_before), wall() - wall_before);
        let detail = Detail { cpu, wall: Some(wall), reason, ..Detail::default() };
        Ok(Account { observation, detail })
    }
}

fn seconds(time: rustix::time::Timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
