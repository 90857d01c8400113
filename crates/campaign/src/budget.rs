//! The budget of a campaign, and the amount spent so far.

use execution::Record;
use serde::{Deserialize, Serialize};

use store::StoredEvent;

/// Limits for a whole campaign. The campaign stops when it reaches the first of them.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Seconds of campaign time, which does not include interruptions.
    pub wall: Option<f64>,
    /// CPU seconds of all trials together.
    pub cpu: Option<f64>,
    /// Number of trials.
    pub trials: Option<u64>,
}

impl Budget {
    /// Returns the number of trials that the budget covers if all trials use as much as `record`; `None` if
    /// the budget has no limit.
    pub fn trials_like(&self, record: &Record, workers: u64) -> Option<f64> {
        let limits = [
            self.wall.map(|wall| wall * workers.max(1) as f64 / record.duration()),
            self.cpu.zip(record.detail.cpu).map(|(budget, cpu)| budget / cpu),
            self.trials.map(|trials| trials as f64),
        ];
        limits.into_iter().flatten().filter(|trials| trials.is_finite()).reduce(f64::min)
    }
}

/// The amount that a campaign has spent so far.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Seconds of campaign time.
    pub wall: f64,
    /// CPU seconds of all trials, including withdrawn ones.
    pub cpu: f64,
    /// Number of trials that have been reported to the optimizer.
    pub trials: u64,
}

/// One of the limits of a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Campaign time.
    Wall,
    /// CPU time of the trials.
    Cpu,
    /// The number of trials.
    Trials,
}

impl Limit {
    /// Returns the name of the limit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall time",
            Self::Cpu => "CPU time",
            Self::Trials => "trials",
        }
    }
}

/// Kind of the event that stores a session's budget.
const EVENT: &str = "budget";

impl Budget {
    /// Returns the event that stores a session's budget. The scenario does not always contain this budget,
    /// because the user can set it on the command line.
    pub(crate) fn event(&self, at: f64) -> Result<StoredEvent, serde_json::Error> {
        Ok(StoredEvent { at, kind: EVENT.to_owned(), text: serde_json::to_string(self)? })
    }

    /// Returns the budget of the last session, read from the stored events.
    pub fn of_events(events: &[StoredEvent]) -> Option<Self> {
        let last = events.iter().rev().find(|event| event.kind == EVENT)?;
        serde_json::from_str(&last.text).ok()
    }

    /// Returns the limit that has been reached, if any.
    pub fn reached(&self, spent: &Spent) -> Option<Limit> {
        let over = |limit: Option<f64>, used: f64| limit.is_some_and(|limit| used >= limit);
        if over(self.wall, spent.wall) {
            Some(Limit::Wall)
        } else if over(self.cpu, spent.cpu) {
            Some(Limit::Cpu)
        } else if self.trials.is_some_and(|limit| spent.trials >= limit) {
            Some(Limit::Trials)
        } else {
            None
        }
    }

    /// Returns the used share of the limit that is closest to being reached; 0 if there are no limits.
    pub fn fraction(&self, spent: &Spent) -> f64 {
        let parts = [
            self.wall.map(|limit| spent.wall / limit),
            self.cpu.map(|limit| spent.cpu / limit),
            self.trials.map(|limit| spent.trials as f64 / limit as f64),
        ];
        parts.into_iter().flatten().fold(0.0, f64::max).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_budget_event_counts() {
        let given = |wall, trials| Budget { wall, cpu: Some(0.1), trials };
        let first = given(Some(60.0), None);
        let last = given(None, Some(7));
        let other = StoredEvent { at: 3.0, kind: "warning".to_owned(), text: "{}".to_owned() };
        let events = [first.event(0.0).unwrap(), last.event(2.0).unwrap(), other];
        assert_eq!(Budget::of_events(&events), Some(last));
        assert_eq!(Budget::of_events(&events[2..]), None);
    }
}
