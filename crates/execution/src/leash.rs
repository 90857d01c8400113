//! Controls a running trial: lowers its cap or cancels it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use confine::Control;
use engine::Cap;

/// A handle for controlling one trial.
#[derive(Debug)]
pub struct Leash {
    /// The lowest cap set so far, stored as the bits of an `f64` so that any thread can lower it.
    cap: AtomicU64,
    cancelled: Mutex<bool>,
    cancelling: Condvar,
    /// Control for the trial's own command.
    control: Control,
    /// Control for the set-up, to which the cap does not apply.
    setup: Control,
    /// Start of the command, and its run time once it has ended.
    running: Mutex<Option<(Instant, Option<Duration>)>>,
    /// CPU seconds used so far, as the bits of an `f64`.
    used: AtomicU64,
    /// Time at which to query the CPU time again, in seconds since the start of the trial, as the bits of an
    /// `f64`.
    next_query: AtomicU64,
    /// Control for the command that checks the answer.
    check: Control,
}

/// Seconds between two queries to the supervisor.
const QUERY_INTERVAL: f64 = 0.05;

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
            next_query: AtomicU64::new(QUERY_INTERVAL.to_bits()),
        }
    }
}

impl Leash {
    /// Creates a leash that sets no cap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the lowest cap set so far; [`Cap::NONE`] if only the trial's own cap applies.
    pub fn cap(&self) -> Cap {
        Cap::at(f64::from_bits(self.cap.load(Ordering::Relaxed)))
    }

    /// Returns whether the trial was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *lock(&self.cancelled)
    }

    /// Waits for this time. If the trial is cancelled, returns true at once.
    pub fn wait(&self, time: Duration) -> bool {
        let is_active = |cancelled: &mut bool| !*cancelled;
        let waited = self.cancelling.wait_timeout_while(lock(&self.cancelled), time, is_active);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Returns the control for the trial's own command.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Returns the control for the set-up.
    pub fn setup_control(&self) -> &Control {
        &self.setup
    }

    /// Returns the control for the check of the answer. The cap does not apply to this check.
    pub(super) fn check_control(&self) -> &Control {
        &self.check
    }

    /// Records that the trial's own command starts now.
    pub(super) fn begin(&self) {
        *lock(&self.running) = Some((Instant::now(), None));
    }

    /// Records that the trial's own command has ended now.
    pub(super) fn end(&self) {
        if let Some((started, elapsed)) = &mut *lock(&self.running) {
            *elapsed = Some(started.elapsed());
        }
    }

    /// Returns how long the trial's own command has run, in seconds; `None` if it has not started.
    pub fn run_time(&self) -> Option<f64> {
        let (started, elapsed) = (*lock(&self.running))?;
        Some(elapsed.unwrap_or_else(|| started.elapsed()).as_secs_f64())
    }

    /// Returns the CPU seconds that the process is known to have used after the trial has run for `seconds`.
    pub fn used_cpu(&self, seconds: f64) -> Option<f64> {
        if seconds >= f64::from_bits(self.next_query.load(Ordering::Relaxed)) {
            self.next_query.store((seconds + QUERY_INTERVAL).to_bits(), Ordering::Relaxed);
            if let Some(used) = self.control.used_cpu() {
                self.used.store(used.as_secs_f64().to_bits(), Ordering::Relaxed);
            }
        }
        Some(f64::from_bits(self.used.load(Ordering::Relaxed))).filter(|&used| used > 0.0)
    }

    /// Lowers the cap that [`Self::cap`] returns.
    pub fn lower(&self, cap: Cap) {
        // The bits of positive floating-point numbers have the same order as the numbers.
        self.cap.fetch_min(cap.cost().to_bits(), Ordering::Relaxed);
    }

    /// Cancels the trial.
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
