//! Every best so far, and what each changed of the default.

use scenario::Sense;
use serde::Serialize;
use store::StoredIncumbent;

use crate::records::Records;
use crate::values::{Change, changes};

/// A configuration that became the best.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Incumbent {
    /// Its number.
    pub configuration: u32,
    /// How many pairs it had met.
    pub pairs: u32,
    /// Its mean compared cost on them.
    pub cost: f64,
    /// Seconds of campaign time by then.
    pub wall: f64,
    /// CPU seconds of trials by then.
    pub cpu: f64,
    /// How many trials had been told by then.
    pub after: u64,
    /// What it changes of the default.
    pub changes: Vec<Change>,
}

/// Every best of a campaign, in the order of succession.
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
