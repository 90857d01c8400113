//! The hand on a running trial: its cap, which may be lowered, and the order to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::Cap;

/// What a lowered cap means to the process that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pull {
    /// Less CPU time.
    Cpu,
    /// Less wall time.
    Wall,
    /// Nothing that the process could be told.
    Nothing,
}

/// Holds one trial.
#[derive(Debug)]
pub struct Leash {
    /// The cap's bits: a number that any thread may lower.
    cap: AtomicU64,
    cancelled: AtomicBool,
    pull: Pull,
    control: confine::Control,
}

impl Leash {
    /// A leash of this length.
    pub fn new(cap: Cap, pull: Pull) -> Self {
        let cap = AtomicU64::new(cap.cost().to_bits());
        Self { cap, cancelled: AtomicBool::new(false), pull, control: confine::Control::new() }
    }

    /// The cap as it is now.
    pub fn cap(&self) -> Cap {
        Cap::at(f64::from_bits(self.cap.load(Ordering::Relaxed)))
    }

    /// Whether the trial is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The process's side of it.
    pub fn control(&self) -> &confine::Control {
        &self.control
    }

    /// Lowers the cap.
    pub fn tighten(&self, cap: Cap) {
        self.cap.store(cap.cost().min(self.cap().cost()).to_bits(), Ordering::Relaxed);
        let Ok(time) = Duration::try_from_secs_f64(cap.cost()) else { return };
        match self.pull {
            Pull::Cpu => self.control.lower_cpu(time),
            Pull::Wall => self.control.lower_wall(time),
            Pull::Nothing => {}
        }
    }

    /// Stops the trial.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.control.cancel();
    }

    /// The cost that has surely been reached after so many seconds, if that can be said.
    pub fn reached(&self, seconds: f64) -> Option<f64> {
        (self.pull == Pull::Wall).then_some(seconds)
    }
}
