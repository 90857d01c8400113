//! The time by which a campaign must end, whatever its budget, because the surrounding job ends.
//!
//! A trial starts only if it would end in time even if it ran to its cap. A trial that is still running when
//! the time is up is withdrawn, so that nothing is killed in the middle of writing.

use std::time::{Duration, SystemTime};

use execution::Record;
use scenario::Scenario;

/// Time reserved for storing the state, and for the caller to react to the end of the campaign.
const MARGIN: Duration = Duration::from_secs(10);

/// Returns the time between the deadline and the end of the job: 10 s, plus the time that it may take to kill
/// a trial and run its teardown.
pub fn margin(scenario: &Scenario) -> Duration {
    let grace = scenario.limits.grace.unwrap_or_default();
    let teardown = scenario.target.teardown.as_ref().map_or(Duration::ZERO, |step| step.limit);
    MARGIN.saturating_add(grace).saturating_add(teardown)
}

/// Returns the seconds for which a campaign may continue; 0 if the deadline has passed.
pub fn left(scenario: &Scenario, end: SystemTime, now: SystemTime) -> f64 {
    let left = end.duration_since(now).unwrap_or_default();
    left.saturating_sub(margin(scenario)).as_secs_f64()
}

/// The deadline of one session. It records the time needed by the last trial that could not start or finish
/// before it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Deadline {
    at: f64,
    /// The longest time in seconds that any trial took in addition to the run time of its command.
    overhead: f64,
    ended: u64,
    refused: Option<f64>,
}

impl Deadline {
    /// Creates a deadline at this [job time](execution::executor::Executor::job_time).
    pub fn at(at: f64) -> Self {
        Self { at, overhead: 0.0, ended: 0, refused: None }
    }

    /// Returns the seconds until the deadline.
    pub fn left(&self, now: f64) -> f64 {
        (self.at - now).max(0.0)
    }

    /// Returns whether there is time for a trial that takes at most `longest` seconds. A trial of unknown
    /// length may start as long as any time is left. The deadline remembers a refusal.
    pub fn has_time_for(&mut self, now: f64, longest: Option<f64>) -> bool {
        let needed = longest.unwrap_or(0.0) + self.overhead;
        let has_time = self.left(now) > needed;
        if !has_time {
            self.refused = Some(needed);
        }
        has_time
    }

    /// If the time is up, remembers that running trials had to be stopped.
    pub fn note_what_runs(&mut self, now: f64) {
        if self.left(now) <= 0.0 {
            self.refused = self.refused.or(Some(self.overhead));
        }
    }

    /// Forgets the last refusal.
    pub fn forget(&mut self) {
        self.refused = None;
    }

    /// Updates the overhead from a trial that has ended: the time that it took in addition to the run time of
    /// its command.
    pub fn learn(&mut self, record: &Record) {
        self.ended += 1;
        let own = record.detail.wall.unwrap_or(0.0);
        self.overhead = self.overhead.max(record.ended - record.started - own);
    }

    /// Returns the number of trials that have ended in this session.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// Returns the seconds that the last refused or stopped trial would have needed; `None` if there was time
    /// for every trial.
    pub fn refused(&self) -> Option<f64> {
        self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Observation;
    use execution::Detail;
    use execution::testkit::record;

    #[test]
    fn a_trial_must_end_in_time_with_its_overhead() {
        let mut deadline = Deadline::at(100.0);
        assert!(deadline.has_time_for(50.0, Some(49.0)) && deadline.has_time_for(99.0, None));
        assert_eq!(deadline.refused(), None);
        assert!(!deadline.has_time_for(50.0, Some(51.0)) && !deadline.has_time_for(100.0, None));
        let detail = Detail { wall: Some(2.0), ..Detail::default() };
        let record = record(0, 0, 1, Observation::finished(2.0));
        deadline.learn(&Record { detail, started: 10.0, ended: 15.0, ..record });
        assert!(deadline.has_time_for(50.0, Some(46.0)), "each trial has an overhead of three seconds");
        assert!(!deadline.has_time_for(50.0, Some(48.0)));
        assert_eq!((deadline.ended(), deadline.refused()), (1, Some(51.0)));
    }

    #[test]
    fn the_margin_covers_grace_and_teardown() {
        let text = "[target]\ncommand = [\"true\", \"{params}\"]\n[objective]\nminimise = \"cpu_time\"\n\
            cutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
        let margin_of =
            |text: &str| margin(&scenario::read(text, std::path::Path::new("."), "test.toml").unwrap());
        assert_eq!(margin_of(text), MARGIN);
        let longer = text
            .replace("[objective]", "teardown = [\"true\"]\nteardown_limit = \"7s\"\n[objective]")
            + "[limits]\ngrace = \"2s\"\n";
        assert_eq!(margin_of(&longer), MARGIN + Duration::from_secs(9));
        let scenario = scenario::read(text, std::path::Path::new("."), "test.toml").unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        assert_eq!(left(&scenario, now + Duration::from_secs(60), now), 50.0);
        assert_eq!(left(&scenario, now - Duration::from_secs(60), now), 0.0);
    }
}
