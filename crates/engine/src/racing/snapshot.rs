//! The state of a racer as plain data.

use serde::{Deserialize, Serialize};

use super::again::Again;
use super::losses::Losses;
use super::race::Race;
use crate::history::History;
use crate::observation::Status;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, Why};

/// Everything a racer must remember beside the history. News and the costs that running trials have
/// reached are not part of it.
///
/// It is stored with the names of its fields. A field that comes later has `#[serde(default)]`, so that campaigns
/// stored before go on in the midst of their races.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) next_trial: u64,
    pub(super) incumbent: ConfigId,
    pub(super) incumbent_pairs: Vec<Pair>,
    pub(super) earlier: Vec<ConfigId>,
    /// How many of these were asked for.
    #[serde(default)]
    pub(super) requested: usize,
    pub(super) again: Again,
    #[serde(default)]
    pub(super) losses: Losses,
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

/// The snapshot of stores up to version 6, which were written without names: its fields and their order are fixed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SnapshotOfVersion6 {
    next_trial: u64,
    incumbent: ConfigId,
    incumbent_pairs: Vec<Pair>,
    earlier: Vec<ConfigId>,
    again: Again,
    challengers: usize,
    races: Vec<Race>,
    orders: Vec<Order>,
    pending: Vec<PendingTrial>,
}

impl From<SnapshotOfVersion6> for Snapshot {
    fn from(old: SnapshotOfVersion6) -> Self {
        let SnapshotOfVersion6 { next_trial, incumbent, incumbent_pairs, earlier, again, .. } = old;
        let SnapshotOfVersion6 { challengers, races, orders, pending, .. } = old;
        Self {
            next_trial,
            incumbent,
            incumbent_pairs,
            earlier,
            requested: 0,
            again,
            losses: Losses::default(),
            challengers,
            races,
            orders,
            pending,
        }
    }
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
            requested: 0,
            again: Again::default(),
            losses: Losses::default(),
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
