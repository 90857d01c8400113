//! Moves configurations that the user wants tried from the queue in the folder to the store.
//!
//! The request, its configuration and the state of the search that will race it are stored together. The file
//! is removed once they are on disk. If the campaign is killed before that, it finds the name of the file in
//! its store when it resumes, so the request does not count twice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use engine::{Configuration, Space};

use crate::queue::{Queue, QueueError};
use store::StoredEvent;

/// Kind of the events that store requests. The text of such an event is the name of the file.
const KIND: &str = "request";
/// Shortest time between two reads of the folder.
const PAUSE: Duration = Duration::from_millis(100);

/// The requests of a campaign.
#[derive(Debug)]
pub(crate) struct Requests {
    queue: Queue,
    /// Names of the files whose requests are in the store.
    stored: BTreeSet<String>,
    /// Names of the files being stored, with the number of the batch that holds them.
    underway: BTreeMap<String, u64>,
    last_poll: Option<Instant>,
}

/// A file from the queue that has been read.
pub(crate) enum QueueEntry {
    /// The name of the file, and the configuration to race.
    Race(String, Configuration),
    /// An invalid request: the new path of its file, and the reason.
    Refused(String, String),
}

impl Requests {
    pub(crate) fn new(queue: Queue, events: &[StoredEvent]) -> Self {
        let stored = events.iter().filter(|event| event.kind == KIND).map(|event| event.text.clone());
        Self { queue, stored: stored.collect(), underway: BTreeMap::new(), last_poll: None }
    }

    /// Reads the files queued since the last call; does nothing if that call was less than `PAUSE` ago.
    /// `committed` is the number of batches on disk.
    pub(crate) fn poll(&mut self, committed: u64, space: &Space) -> Result<Vec<QueueEntry>, QueueError> {
        self.tidy(committed)?;
        if self.last_poll.is_some_and(|last| last.elapsed() < PAUSE) {
            return Ok(Vec::new());
        }
        self.last_poll = Some(Instant::now());
        let mut entries = Vec::new();
        for name in self.queue.waiting()? {
            if self.stored.contains(&name) {
                self.queue.remove(&name)?;
            } else if !self.underway.contains_key(&name) {
                entries.push(match self.queue.read(&name, space)? {
                    Ok(configuration) => QueueEntry::Race(name, configuration),
                    Err(why) => {
                        QueueEntry::Refused(self.queue.set_aside(&name)?.to_string_lossy().into_owned(), why)
                    }
                });
            }
        }
        Ok(entries)
    }

    /// Returns the event that stores a request.
    pub(crate) fn event(at: f64, name: &str) -> StoredEvent {
        StoredEvent { at, kind: KIND.to_owned(), text: name.to_owned() }
    }

    /// Records that a request is in the batch with this number.
    pub(crate) fn submitted(&mut self, name: String, batch: u64) {
        self.underway.insert(name, batch);
    }

    /// Removes the files of requests that are on disk.
    pub(crate) fn tidy(&mut self, committed: u64) -> Result<(), QueueError> {
        while let Some(entry) = self.underway.first_entry().filter(|entry| *entry.get() <= committed) {
            self.queue.remove(entry.key())?;
            let name = entry.remove_entry().0;
            self.stored.insert(name);
        }
        Ok(())
    }
}
