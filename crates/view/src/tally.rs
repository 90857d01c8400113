//! Counts of trials by status, and of configurations.
//!
//! All counts come from the history, so they are the same while a campaign runs and when its store is read
//! later.

use engine::Status;
use engine::history::History;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// Counts of trials and of configurations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Number of trials that have ended, by status.
    pub trials: ByStatus,
    /// Number of lost trials, excluding trials that were cancelled on purpose, which have the same status.
    pub lost: u64,
    /// Number of configurations for which at least one trial has ended.
    pub configurations: u64,
}

/// Counts in the order of [`Status::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByStatus(pub [u64; Status::ALL.len()]);

impl Tally {
    /// Counts the trials in a history. `lost` is the number of lost trials.
    pub fn of(history: &History, lost: u64) -> Self {
        let trials = ByStatus(Status::ALL.map(|status| history.count(status)));
        Self { trials, lost, configurations: history.tried() as u64 }
    }
}

impl ByStatus {
    /// Returns the total number of trials.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of trials with one of these statuses.
    pub fn count(&self, statuses: &[Status]) -> u64 {
        statuses.iter().map(|&status| self.0[status as usize]).sum()
    }

    /// Returns the number of failed trials.
    pub fn failed(&self) -> u64 {
        let failed = Status::ALL.into_iter().filter(|status| status.is_failure());
        failed.map(|status| self.0[status as usize]).sum()
    }
}

impl Serialize for ByStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (status, number) in Status::ALL.iter().zip(self.0) {
            map.serialize_entry(status.name(), &number)?;
        }
        map.end()
    }
}
