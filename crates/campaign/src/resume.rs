//! Going on where a campaign was left.

use std::collections::BTreeMap;

use engine::TrialId;
use engine::history::{History, Trial};
use engine::racing::Snapshot;

use crate::ledger::Bookmark;
use crate::store::Loaded;

/// Where a campaign was left.
#[derive(Debug, Default)]
pub struct Resumed {
    /// Everything the search had been told.
    pub history: History,
    /// Its state then; `None` if it starts anew with what is known.
    pub snapshot: Option<Snapshot>,
    /// Trials on disk that it had not been told.
    pub untold: Vec<Trial>,
    /// Campaign time at which trials that were out had been started.
    pub starts: BTreeMap<TrialId, f64>,
    /// Campaign time gone by.
    pub wall: f64,
    /// CPU seconds used by trials.
    pub cpu: f64,
}

impl Resumed {
    /// Goes on with what a store holds.
    pub fn of_store(loaded: Loaded) -> Result<Self, postcard::Error> {
        let Loaded { mut history, state, spent, .. } = loaded;
        let (snapshot, untold, starts) = match state {
            Some(state) => {
                let Bookmark { snapshot, starts } = postcard::from_bytes(&state.snapshot)?;
                (Some(snapshot), history.take_after(state.told as usize), starts)
            }
            None => (None, Vec::new(), BTreeMap::new()),
        };
        Ok(Self { history, snapshot, untold, starts, wall: spent.wall, cpu: spent.cpu })
    }
}
