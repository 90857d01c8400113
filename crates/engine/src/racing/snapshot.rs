//! The state of a racer as plain data.

use serde::{Deserialize, Serialize};

use super::again::Again;
use super::race::Race;
use crate::history::History;
use crate::observation::Status;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, Why};

/// Everything a racer must remember beside the history. News and the costs that running trials have
/// reached are not part of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) next_trial: u64,
    pub(super) incumbent: ConfigId,
    pub(super) incumbent_pairs: Vec<Pair>,
    pub(super) earlier: Vec<ConfigId>,
    pub(super) again: Again,
    pub(super) challengers: usize,
    pub(super) races: Vec<Race>,
    pub(super) orders: Vec<Order>,
    /// Trials asked for and not told.
    pub pending: Vec<PendingTrial>,
}

/// Something to be done with a running trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Lower its cap.
    Tighten(TrialId, Cap),
    /// Stop it.
    Cancel(TrialId),
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
    /// The cost this pair was known to exceed before, if it was met before.
    pub(super) prior: Option<f64>,
}

impl Snapshot {
    /// The state of races that begin anew with an incumbent, which has the pairs that the history tells its
    /// cost on.
    pub fn of_incumbent(incumbent: ConfigId, history: &History) -> Self {
        let tells = |status: Status| status != Status::Capped && !status.says_nothing();
        let readings = history.readings(incumbent).filter(|(_, it)| tells(it.observation.status()));
        Self {
            next_trial: history.trials().iter().map(|trial| trial.id.0 + 1).max().unwrap_or(0),
            incumbent,
            incumbent_pairs: readings.map(|(_, trial)| trial.key.pair).collect(),
            earlier: Vec::new(),
            again: Again::default(),
            challengers: 0,
            races: Vec::new(),
            orders: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The best so far.
    pub fn incumbent(&self) -> ConfigId {
        self.incumbent
    }

    /// The pairs on which the incumbent is known, in the order gained.
    pub fn incumbent_pairs(&self) -> &[Pair] {
        &self.incumbent_pairs
    }
}
