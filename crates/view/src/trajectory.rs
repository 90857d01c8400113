//! All incumbents so far, with their differences from the default.

use scenario::Sense;
use serde::Serialize;
use store::StoredIncumbent;

use crate::records::Records;
use crate::values::{Change, changes};

/// A configuration that became the incumbent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Incumbent {
    /// Its number.
    pub configuration: u32,
    /// Number of pairs on which the configuration had been tried.
    pub pairs: u32,
    /// Its mean compared cost on these pairs.
    pub cost: f64,
    /// Campaign time in seconds when the configuration took over.
    pub wall: f64,
    /// CPU seconds of all trials when the configuration took over.
    pub cpu: f64,
    /// Number of trials that had ended when it took over.
    pub after: u64,
    /// Its differences from the default.
    pub changes: Vec<Change>,
}

/// Returns all incumbents of a campaign, in order.
pub(crate) fn trajectory(records: &Records<'_>, sense: Sense) -> Vec<Incumbent> {
    let one = |stored: &StoredIncumbent| {
        let configuration =
            records.is_known(stored.config).then(|| records.history().configuration(stored.config));
        Incumbent {
            configuration: stored.config.0,
            pairs: stored.pairs,
            cost: sense.shown(stored.cost),
            wall: stored.spent.wall,
            cpu: stored.spent.cpu,
            after: stored.after,
            changes: configuration.map_or_else(Vec::new, |own| changes(records.default(), own)),
        }
    };
    records.loaded().incumbents.iter().map(one).collect()
}
