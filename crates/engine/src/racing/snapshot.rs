//! The state of a racer as serialisable data.

use serde::{Deserialize, Serialize};

use super::losses::Losses;
use super::race::Race;
use super::rematches::Rematches;
use crate::history::History;
use crate::observation::Status;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, Why};

/// The state of a racer without the history. The state contains neither news nor the costs that running
/// trials have reached.
///
/// The state is stored with field names. A field added later needs `#[serde(default)]`, so that campaigns
/// stored by earlier versions can still be resumed in the middle of their races.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) next_trial: u64,
    pub(super) incumbent: ConfigId,
    pub(super) incumbent_pairs: Vec<Pair>,
    pub(super) earlier: Vec<ConfigId>,
    /// Number of configurations in `earlier` that the user requested.
    #[serde(default)]
    pub(super) requested: usize,
    pub(super) again: Rematches,
    #[serde(default)]
    pub(super) losses: Losses,
    pub(super) challengers: usize,
    pub(super) races: Vec<Race>,
    pub(super) orders: Vec<Order>,
    /// Trials that were requested and have not ended yet.
    pub pending: Vec<PendingTrial>,
}

/// An order about a running trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Lower its cap.
    Tighten(TrialId, Cap),
    /// Stop it.
    Cancel(TrialId),
}

/// A trial that was requested and has not ended yet.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PendingTrial {
    /// Its number.
    pub id: TrialId,
    /// Its configuration and pair.
    pub key: TrialKey,
    /// The cost at which it is stopped.
    pub cap: Cap,
    /// The reason for requesting it.
    pub why: Why,
    /// The lower bound on the cost from an earlier trial on this pair, if there is one.
    pub(super) prior: Option<f64>,
}

/// The snapshot in stores up to version 6. Such snapshots were written without field names, so the fields and
/// their order must not change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SnapshotOfVersion6 {
    next_trial: u64,
    incumbent: ConfigId,
    incumbent_pairs: Vec<Pair>,
    earlier: Vec<ConfigId>,
    again: Rematches,
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
    /// Returns the state with this incumbent and without open races. The incumbent has the pairs on
    /// which the history contains its cost.
    pub fn of_incumbent(incumbent: ConfigId, history: &History) -> Self {
        let is_known = |status: Status| status != Status::Capped && !status.is_uninformative();
        let readings = history.readings(incumbent).filter(|(_, it)| is_known(it.observation.status()));
        Self {
            next_trial: history.trials().iter().map(|trial| trial.id.0 + 1).max().unwrap_or(0),
            incumbent,
            incumbent_pairs: readings.map(|(_, trial)| trial.key.pair).collect(),
            earlier: Vec::new(),
            requested: 0,
            again: Rematches::default(),
            losses: Losses::default(),
            challengers: 0,
            races: Vec::new(),
            orders: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Returns the best configuration so far.
    pub fn incumbent(&self) -> ConfigId {
        self.incumbent
    }

    /// Returns the pairs on which the incumbent's cost is known, in the order in which it gained them.
    pub fn incumbent_pairs(&self) -> &[Pair] {
        &self.incumbent_pairs
    }
}
