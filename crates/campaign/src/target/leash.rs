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
    /// What the process has used, in CPU seconds, and when it is to be asked again, in seconds of the
    /// trial, both as bits.
    used: AtomicU64,
    ask_at: AtomicU64,
    /// Steers the check of its answer.
    check: Control,
    /// The cost of a trial whose answer is being checked, as bits; not a number before.
    settled: AtomicU64,
}

/// Seconds between two questions to the supervisor.
const ASKED_EVERY: f64 = 0.05;

impl Default for Leash {
    fn default() -> Self {
        let cap = AtomicU64::new(Cap::NONE.cost().to_bits());
        let (used, ask_at) = (AtomicU64::new(0), AtomicU64::new(ASKED_EVERY.to_bits()));
        let settled = AtomicU64::new(f64::NAN.to_bits());
        let (control, check) = (Control::new(), Control::new());
        Self { cap, cancelled: AtomicBool::new(false), control, used, ask_at, check, settled }
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

    /// The side of it that steers the check of its answer, which is not to be stopped at the cap.
    pub(super) fn check(&self) -> &Control {
        &self.check
    }

    /// The trial has ended at a cost, and its answer is being checked.
    pub(super) fn settle(&self, cost: f64) {
        self.settled.store(cost.to_bits(), Ordering::Relaxed);
    }

    /// What the trial cost, if it has ended and its answer is being checked.
    pub(super) fn settled(&self) -> Option<f64> {
        Some(f64::from_bits(self.settled.load(Ordering::Relaxed))).filter(|cost| !cost.is_nan())
    }

    /// CPU seconds the process is known to have used after so many seconds of the trial.
    pub fn used_cpu(&self, seconds: f64) -> Option<f64> {
        if seconds >= f64::from_bits(self.ask_at.load(Ordering::Relaxed)) {
            self.ask_at.store((seconds + ASKED_EVERY).to_bits(), Ordering::Relaxed);
            if let Some(used) = self.control.used_cpu() {
                self.used.store(used.as_secs_f64().to_bits(), Ordering::Relaxed);
            }
        }
        Some(f64::from_bits(self.used.load(Ordering::Relaxed))).filter(|&used| used > 0.0)
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
        self.check.cancel();
    }
}
