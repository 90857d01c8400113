//! What people want tried, between the queue in the folder and the store.
//!
//! The wish, the configuration and the state of a search that will race it are stored together; the
//! file goes when they are on disk. Killed in between, the campaign finds the file's name in its store.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use engine::{Configuration, Space};

use crate::queue::{Queue, QueueError};
use store::StoredEvent;

/// How stored events about wishes are called; their text is the name of the file.
const KIND: &str = "request";
/// Between two looks into the folder.
const PAUSE: Duration = Duration::from_millis(100);

/// The wishes of a campaign.
#[derive(Debug)]
pub(crate) struct Requests {
    queue: Queue,
    /// In the store by what an earlier session has said.
    stored: BTreeSet<String>,
    /// On the way to the disk, with the number of the batch that holds them.
    underway: BTreeMap<String, u64>,
    looked: Option<Instant>,
}

/// A file of the queue, looked at.
pub(crate) enum Wish {
    /// To be raced.
    Race(String, Configuration),
    /// Not a configuration of this space, where the file is now, and why.
    Refused(String, String),
}

impl Requests {
    pub(crate) fn new(queue: Queue, events: &[StoredEvent]) -> Self {
        let stored = events.iter().filter(|event| event.kind == KIND).map(|event| event.text.clone());
        Self { queue, stored: stored.collect(), underway: BTreeMap::new(), looked: None }
    }

    /// What has come in since the last look, which was a while ago; `committed` batches are on disk.
    pub(crate) fn look(&mut self, committed: u64, space: &Space) -> Result<Vec<Wish>, QueueError> {
        self.tidy(committed)?;
        if self.looked.is_some_and(|looked| looked.elapsed() < PAUSE) {
            return Ok(Vec::new());
        }
        self.looked = Some(Instant::now());
        let mut wishes = Vec::new();
        for name in self.queue.waiting()? {
            if self.stored.contains(&name) {
                self.queue.remove(&name)?;
            } else if !self.underway.contains_key(&name) {
                wishes.push(match self.queue.read(&name, space)? {
                    Ok(configuration) => Wish::Race(name, configuration),
                    Err(why) => {
                        Wish::Refused(self.queue.set_aside(&name)?.to_string_lossy().into_owned(), why)
                    }
                });
            }
        }
        Ok(wishes)
    }

    /// The event that stores a wish.
    pub(crate) fn event(at: f64, name: &str) -> StoredEvent {
        StoredEvent { at, kind: KIND.to_owned(), text: name.to_owned() }
    }

    /// A wish is in the batch of this number.
    pub(crate) fn submitted(&mut self, name: String, batch: u64) {
        self.underway.insert(name, batch);
    }

    /// Removes the files of wishes that are on disk.
    pub(crate) fn tidy(&mut self, committed: u64) -> Result<(), QueueError> {
        while let Some(entry) = self.underway.first_entry().filter(|entry| *entry.get() <= committed) {
            self.queue.remove(entry.key())?;
            let name = entry.remove_entry().0;
            self.stored.insert(name);
        }
        Ok(())
    }
}
