//! Resumes a campaign.

use std::collections::BTreeMap;

use engine::TrialId;
use engine::history::{History, Trial};
use engine::racing::Snapshot;

use crate::bookmark::{Bookmark, BookmarkError, Mark};
use store::Loaded;

/// The stored state of a campaign to resume.
#[derive(Debug, Default)]
pub struct Resumed {
    /// All trials that had been reported to the search.
    pub history: History,
    /// The state of the search; `None` if the search starts again from the history alone.
    pub snapshot: Option<Snapshot>,
    /// Trials on disk that had not been reported to the search.
    pub untold: Vec<Trial>,
    /// Trials that were running when the campaign stopped.
    pub marks: BTreeMap<TrialId, Mark>,
    /// Campaign time spent, in seconds.
    pub wall: f64,
    /// CPU seconds used by trials.
    pub cpu: f64,
    /// Number of trials lost.
    pub lost: u64,
}

impl Resumed {
    /// Restores the state from the contents of a store.
    pub fn of_store(loaded: Loaded) -> Result<Self, BookmarkError> {
        let Loaded { mut history, state, spent, incumbents, lost, .. } = loaded;
        let (snapshot, untold, marks) = match state {
            Some(state) => {
                let Bookmark { snapshot, marks } = Bookmark::read(&state)?;
                (Some(snapshot), history.take_after(state.told as usize), marks)
            }
            // No readable state is stored, for example because an earlier version wrote it. The incumbent is
            // kept.
            None => {
                let best = incumbents.last().map(|last| Snapshot::of_incumbent(last.config, &history));
                (best, Vec::new(), BTreeMap::new())
            }
        };
        Ok(Self { history, snapshot, untold, marks, wall: spent.wall, cpu: spent.cpu, lost })
    }
}
