//! The part of a search's state that its history does not contain, serialised for the store.
//!
//! The format is MessagePack with field names, so a later version can add fields with defaults and still
//! resume a campaign in the middle of its races. Before version 7 of the store, the format was `postcard`,
//! which has no field names.

use std::collections::BTreeMap;

use engine::racing::{Snapshot, SnapshotOfVersion6};
use engine::{Cap, TrialId};
use serde::{Deserialize, Serialize};

use store::State;

/// Numbers of the two formats, as stored.
const POSTCARD: u32 = 1;
const NAMED: u32 = 2;

/// State of the main loop, except for the history.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bookmark {
    pub(crate) snapshot: Snapshot,
    /// Data about the running trials.
    #[serde(default)]
    pub(crate) marks: BTreeMap<TrialId, Mark>,
}

/// Stored data about a running trial. After an interruption in simulated time, the trial runs again with this
/// data and has the same result.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// Campaign time in seconds at which the trial started.
    pub since: f64,
    /// Cost at which the trial was cancelled, if it was.
    pub cancelled: Option<Cap>,
}

#[derive(Serialize, Deserialize)]
struct BookmarkOfVersion6 {
    snapshot: SnapshotOfVersion6,
    marks: BTreeMap<TrialId, Mark>,
}

/// Reason why the state of a search cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum BookmarkError {
    #[error("cannot write the state of the search: {0}")]
    Write(#[from] rmp_serde::encode::Error),
    #[error("cannot read the state of the search: {0}")]
    Read(#[from] rmp_serde::decode::Error),
    #[error("cannot read the state of the search, which an earlier version wrote: {0}")]
    Old(#[from] postcard::Error),
    #[error("a later version of captune wrote the state of the search, in format {0}")]
    Later(u32),
}

impl Bookmark {
    /// Serialises the bookmark for the store. `told` is the number of trials that have been reported to the
    /// optimizer.
    pub(crate) fn write(&self, told: u64) -> Result<State, BookmarkError> {
        Ok(State { snapshot: rmp_serde::to_vec_named(self)?, format: NAMED, told })
    }

    /// Reads a bookmark from a store.
    pub(crate) fn read(state: &State) -> Result<Self, BookmarkError> {
        match state.format {
            POSTCARD => {
                let BookmarkOfVersion6 { snapshot, marks } = postcard::from_bytes(&state.snapshot)?;
                Ok(Self { snapshot: snapshot.into(), marks })
            }
            NAMED => Ok(rmp_serde::from_slice(&state.snapshot)?),
            later => Err(BookmarkError::Later(later)),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::History;
    use serde_json::{Value, json};
    use space::format::{Format, read};

    use super::*;

    fn bookmark() -> Bookmark {
        let space = read("x = { integer = [1, 9] }\n", "space", Format::Toml).unwrap();
        let mut history = History::new();
        let default = history.intern(&space.default_configuration());
        let snapshot = Snapshot::of_incumbent(default, &history);
        let mark = Mark { since: 1.5, cancelled: Some(Cap::NONE) };
        Bookmark { snapshot, marks: [(TrialId(7), mark)].into() }
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let state = bookmark().write(3).unwrap();
        assert_eq!((Bookmark::read(&state).unwrap(), state.told), (bookmark(), 3));
        assert!(matches!(Bookmark::read(&State { format: 9, ..state }), Err(BookmarkError::Later(9))));
    }

    #[test]
    fn versions_with_more_or_fewer_fields_are_read() {
        let whole = Bookmark { marks: BTreeMap::new(), ..bookmark() };
        let bytes = whole.write(0).unwrap().snapshot;
        let mut fields: Value = rmp_serde::from_slice(&bytes).unwrap();
        fields["weather"] = json!("fair");
        fields["snapshot"]["mood"] = json!([1, 2]);
        for since_version_7 in ["requested", "losses"] {
            fields["snapshot"].as_object_mut().unwrap().remove(since_version_7).unwrap();
        }
        let snapshot = rmp_serde::to_vec_named(&fields).unwrap();
        assert_eq!(Bookmark::read(&State { snapshot, format: NAMED, told: 0 }).unwrap(), whole);
    }
}
