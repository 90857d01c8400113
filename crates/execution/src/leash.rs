//! The hand on a running trial: its cap, which may be lowered, and the order to stop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use confine::Control;
use engine::Cap;

/// Holds one trial.
#[derive(Debug)]
pub struct Leash {
    /// The lowest cap ordered so far, as bits: a number that any thread may lower.
    cap: AtomicU64,
    cancelled: Mutex<bool>,
    cancelling: Condvar,
    /// Steers the trial's own command.
    control: Control,
    /// Steers what is set up before it, which knows no cap.
    setup: Control,
    /// When the command began, and what had passed when it ended.
    running: Mutex<Option<(Instant, Option<Duration>)>>,
    /// What the process has used, in CPU seconds, and when it is to be asked again, in seconds of the
    /// trial, both as bits.
    used: AtomicU64,
    ask_at: AtomicU64,
    /// Steers the check of its answer.
    check: Control,
}

/// Seconds between two questions to the supervisor.
const ASKED_EVERY: f64 = 0.05;

impl Default for Leash {
    fn default() -> Self {
        Self {
            cap: AtomicU64::new(Cap::NONE.cost().to_bits()),
            cancelled: Mutex::new(false),
            cancelling: Condvar::new(),
            control: Control::new(),
            setup: Control::new(),
            check: Control::new(),
            running: Mutex::new(None),
            used: AtomicU64::new(0),
            ask_at: AtomicU64::new(ASKED_EVERY.to_bits()),
        }
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
        *lock(&self.cancelled)
    }

    /// Waits; true, at once, if the trial is to stop.
    pub fn wait(&self, time: Duration) -> bool {
        let going_on = |cancelled: &mut bool| !*cancelled;
        let waited = self.cancelling.wait_timeout_while(lock(&self.cancelled), time, going_on);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// The side of it that steers the trial's own command.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The side of it that steers what is set up before that.
    pub fn setup_control(&self) -> &Control {
        &self.setup
    }

    /// The side of it that steers the check of its answer, which is not to be stopped at the cap.
    pub(super) fn check_control(&self) -> &Control {
        &self.check
    }

    /// Says that the trial's own command begins.
    pub(super) fn begin(&self) {
        *lock(&self.running) = Some((Instant::now(), None));
    }

    /// Says that it has ended.
    pub(super) fn end(&self) {
        if let Some((began, passed)) = &mut *lock(&self.running) {
            *passed = Some(began.elapsed());
        }
    }

    /// Seconds for which the trial's own command has run; `None` before it began.
    pub fn run_time(&self) -> Option<f64> {
        let (began, passed) = (*lock(&self.running))?;
        Some(passed.unwrap_or_else(|| began.elapsed()).as_secs_f64())
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
        *lock(&self.cancelled) = true;
        self.cancelling.notify_all();
        self.setup.cancel();
        self.control.cancel();
        self.check.cancel();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
