//! The hand on a running trial: its cap, which may be lowered, and the order to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use confine::Control;
use engine::Cap;

/// Holds one trial.
#[derive(Debug)]
pub struct Leash {
    /// The lowest cap ordered so far, as bits: a number that any thread may lower.
    cap: AtomicU64,
    cancelled: AtomicBool,
    control: Control,
}

impl Default for Leash {
    fn default() -> Self {
        let cap = AtomicU64::new(Cap::NONE.cost().to_bits());
        Self { cap, cancelled: AtomicBool::new(false), control: Control::new() }
    }
}

impl Leash {
    /// A leash that has not been pulled.
    pub fn new() -> Self {
        Self::default()
    }

    /// The lowest cap ordered so far; none if the trial's own holds.
    pub fn cap(&self) -> Cap {
        Cap::at(f64::from_bits(self.cap.load(Ordering::Relaxed)))
    }

    /// Whether the trial is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The side of it that steers a process.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Lowers the cap, for whoever looks at it.
    pub fn lower(&self, cap: Cap) {
        // Positive numbers are ordered as their bits are.
        self.cap.fetch_min(cap.cost().to_bits(), Ordering::Relaxed);
    }

    /// Stops the trial.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.control.cancel();
    }
}
