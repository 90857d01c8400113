//! Going on where a campaign was left.

use std::collections::BTreeMap;

use engine::TrialId;
use engine::history::{History, Trial};
use engine::racing::Snapshot;

use crate::bookmark::{Bookmark, BookmarkError, Mark};
use store::Loaded;

/// Where a campaign was left.
#[derive(Debug, Default)]
pub struct Resumed {
    /// Everything the search had been told.
    pub history: History,
    /// Its state then; `None` if it begins anew with what is known.
    pub snapshot: Option<Snapshot>,
    /// Trials on disk that it had not been told.
    pub untold: Vec<Trial>,
    /// Trials that were out.
    pub marks: BTreeMap<TrialId, Mark>,
    /// Campaign time gone by.
    pub wall: f64,
    /// CPU seconds used by trials.
    pub cpu: f64,
    /// Trials that were lost.
    pub lost: u64,
}

impl Resumed {
    /// Goes on with what a store holds.
    pub fn of_store(loaded: Loaded) -> Result<Self, BookmarkError> {
        let Loaded { mut history, state, spent, incumbents, lost, .. } = loaded;
        let (snapshot, untold, marks) = match state {
            Some(state) => {
                let Bookmark { snapshot, marks } = Bookmark::read(&state)?;
                (Some(snapshot), history.take_after(state.told as usize), marks)
            }
            // That of an earlier version of the store, which could not be read: the best stays the best.
            None => {
                let best = incumbents.last().map(|last| Snapshot::of_incumbent(last.config, &history));
                (best, Vec::new(), BTreeMap::new())
            }
        };
        Ok(Self { history, snapshot, untold, marks, wall: spent.wall, cpu: spent.cpu, lost })
    }
}
