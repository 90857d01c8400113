//! Campaign time, which stands still while no worker is connected.
//!
//! Otherwise, a campaign that waits for its workers in a queue would spend its budget on waiting.

/// A clock that can be stopped. Moments are seconds since the coordinator started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Campaign time until the clock was last started.
    before: f64,
    /// The moment at which it was started; `None` while it stands still.
    started: Option<f64>,
}

impl Clock {
    /// Creates a stopped clock that shows this campaign time.
    pub(super) fn stopped(before: f64) -> Self {
        Self { before, started: None }
    }

    /// Returns the campaign time.
    pub(super) fn at(&self, now: f64) -> f64 {
        self.before + self.started.map_or(0.0, |started| (now - started).max(0.0))
    }

    /// Starts or stops the clock.
    pub(super) fn run(&mut self, runs: bool, now: f64) {
        if runs != self.started.is_some() {
            *self = Self { before: self.at(now), started: runs.then_some(now) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_while_the_clock_runs() {
        let mut clock = Clock::stopped(5.0);
        assert_eq!(clock.at(100.0), 5.0);
        clock.run(true, 100.0);
        clock.run(true, 101.0);
        assert_eq!(clock.at(102.0), 7.0);
        clock.run(false, 103.0);
        assert_eq!(clock.at(200.0), 8.0);
        clock.run(true, 200.0);
        assert_eq!(clock.at(201.5), 9.5);
    }
}
