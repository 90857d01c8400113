//! Numbers of trials, by status, and of configurations.
//!
//! All of them come from the history, so that a running campaign and its store later show the same numbers.

use engine::Status;
use engine::history::History;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// Numbers of trials and of configurations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Trials that have ended, by status.
    pub trials: ByStatus,
    /// Trials that were lost, without those cancelled on purpose, which have the same status.
    pub lost: u64,
    /// Configurations with a trial that has ended.
    pub configurations: u64,
}

/// Numbers in the order of [`Status::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByStatus(pub [u64; Status::ALL.len()]);

impl Tally {
    /// Counts the trials of a history, of which `lost` were lost.
    pub fn of(history: &History, lost: u64) -> Self {
        let trials = ByStatus(Status::ALL.map(|status| history.count(status)));
        Self { trials, lost, configurations: history.tried() as u64 }
    }
}

impl ByStatus {
    /// Number of all trials.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Number of trials with one of these statuses.
    pub fn count(&self, statuses: &[Status]) -> u64 {
        statuses.iter().map(|&status| self.0[status as usize]).sum()
    }

    /// Number of failed trials.
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
