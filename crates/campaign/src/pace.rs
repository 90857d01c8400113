//! Determines the number of trials to request ahead, so that no slot waits for the disk.
//!
//! When a trial ends, its slot would be idle until the trial is committed and the next one is requested. If a
//! trial takes time t and this delay is d, about d / t more trials per slot fill the gap. If trials are long,
//! none are requested ahead, because the cap of a trial that is requested later is more up to date.

/// Delay in seconds in addition to the commit: the time that threads take to wake each other.
const HAND_OVER: f64 = 2e-4;
/// Length of trials, in delays, above which nothing is gained by requesting trials ahead.
const LONG: f64 = 50.0;
/// Largest number of trials to request ahead per slot.
const MOST: usize = 16;
/// Weight of the newest measurement in the running means.
const NEWEST: f64 = 0.2;

/// Running means of trial times and commit times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    trial: Option<f64>,
    commit: Option<f64>,
}

fn mean(old: Option<f64>, new: f64) -> Option<f64> {
    Some(old.map_or(new, |old| old + NEWEST * (new - old)))
}

impl Pace {
    pub(crate) fn trial(&mut self, seconds: f64) {
        self.trial = mean(self.trial, seconds.max(1e-6));
    }

    pub(crate) fn commit(&mut self, seconds: f64) {
        self.commit = mean(self.commit, seconds);
    }

    /// Returns the number of trials to request in addition to one per slot.
    pub(crate) fn ahead(&self, workers: usize) -> usize {
        let Some(trial) = self.trial.filter(|_| workers > 0) else { return 0 };
        let delay = HAND_OVER + self.commit.unwrap_or(0.0);
        if trial > LONG * delay {
            return 0;
        }
        let wanted = (workers as f64 * delay / trial).ceil() as usize;
        wanted.clamp(1, MOST * workers)
    }
}
