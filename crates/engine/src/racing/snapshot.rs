//! The state of a racer as plain data.

use serde::{Deserialize, Serialize};

use super::balance::Balance;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, Why};

/// Everything a racer must remember beside the history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) next_trial: u64,
    pub(super) incumbent: ConfigId,
    pub(super) incumbent_pairs: Vec<Pair>,
    pub(super) gain_due: bool,
    pub(super) exhausted: bool,
    pub(super) balance: Balance,
    pub(super) races: Vec<OpenRace>,
    /// Trials asked for and not told.
    pub pending: Vec<PendingTrial>,
}

/// A race that is going on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct OpenRace {
    pub(super) config: ConfigId,
    pub(super) order: Vec<Pair>,
    pub(super) batches: u32,
}

/// A trial asked for and not told.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PendingTrial {
    /// Its number.
    pub id: TrialId,
    /// What it executes.
    pub key: TrialKey,
    /// Where it is stopped.
    pub cap: Cap,
    /// Why it was asked for.
    pub why: Why,
    /// The cost this pair was known to exceed before.
    pub(super) prior: f64,
}

impl Snapshot {
    /// The best so far.
    pub fn incumbent(&self) -> ConfigId {
        self.incumbent
    }
}
