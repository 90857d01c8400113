//! One thread that writes, with group commit.
//!
//! A commit waits for the disk, several milliseconds on most. Batches are therefore queued; the thread
//! takes whatever has queued up into one transaction, commits, and then says how many batches are on
//! disk. Nothing is acknowledged before that.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use execution::panics::caught;
use rusqlite::Connection;

use super::insert::{Numbers, insert};
use super::lock::{WriterLock, host_name};
use super::open::{begin_journal, set_journal};
use super::record::Batch;
use super::{Journal, StoreError};

/// So that a flood of batches is acknowledged from time to time.
const MOST_BATCHES: usize = 10_000;

/// How long the end of a session waits for readers.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the writing thread has to say.
#[derive(Debug)]
pub enum Acknowledgement {
    /// So many of the batches submitted to this writer, counted from the first, are on disk.
    Committed {
        /// Never less than said before.
        batches: u64,
    },
    /// The rest will never be on disk. Said once, as the last thing.
    Failed(StoreError),
}

/// Takes batches for a store; holds the lock against other writers.
#[derive(Debug)]
pub struct Writer {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<Ended>>,
    /// How the thread has ended, if it has failed.
    failed: Option<Ended>,
    submitted: u64,
    session: u32,
}

#[derive(Debug)]
enum Order {
    Write(Batch),
    Finish(String),
}

/// The lock stays with the writer until it is dropped, even if the thread has ended in failure.
#[derive(Debug)]
struct Ended {
    _lock: WriterLock,
    /// Why it failed, where that is known.
    outcome: Result<(), Option<String>>,
}

impl Writer {
    /// Begins a session.
    pub(super) fn start(
        path: PathBuf,
        connection: Connection,
        journal: Journal,
        lock: WriterLock,
        acknowledge: impl Fn(Acknowledgement) + Send + 'static,
    ) -> Result<Self, StoreError> {
        let begin = || Ok((begin_journal(&connection, journal)?, begin_session(&connection)?));
        let (journal, numbers) = begin().map_err(|error| StoreError::sqlite(&path, error))?;
        let (orders, queue) = channel();
        let file = identity(&path);
        let mut thread = Thread { path, file, connection, journal, numbers, queue, committed: 0 };
        let work = move || {
            // Whoever waits for the word that a batch is on disk must not wait for ever.
            let outcome = caught(|| thread.work(&acknowledge)).unwrap_or(Err(StoreError::Stopped));
            // Before the word is out: whoever has heard it finds the queue closed.
            drop(thread);
            let outcome = outcome.map_err(|error| {
                let said = (!matches!(error, StoreError::Stopped)).then(|| error.with_causes());
                acknowledge(Acknowledgement::Failed(error));
                said
            });
            Ended { _lock: lock, outcome }
        };
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(work);
        let thread = thread.map_err(StoreError::file("start a thread for", "the store".as_ref()))?;
        let (orders, thread) = (Some(orders), Some(thread));
        Ok(Self { orders, thread, failed: None, submitted: 0, session: numbers.session })
    }

    /// Queues a batch without waiting, and says its number: it is on disk when an acknowledgement
    /// counts that many.
    pub fn submit(&mut self, batch: Batch) -> Result<u64, StoreError> {
        if self.orders.as_ref().is_none_or(|orders| orders.send(Order::Write(batch)).is_err()) {
            return Err(self.failure());
        }
        self.submitted += 1;
        Ok(self.submitted)
    }

    /// How many batches were submitted.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// The number of this session.
    pub fn session(&self) -> u32 {
        self.session
    }

    /// Waits until everything queued is on disk, ends the session for this reason and tidies the
    /// folder: the campaign is one file then.
    pub fn finish(mut self, reason: &str) -> Result<(), StoreError> {
        // A thread that has failed does not listen; its outcome says so.
        if let Some(orders) = self.orders.take() {
            let _ = orders.send(Order::Finish(reason.to_owned()));
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Ended { outcome: Ok(()), .. })) => Ok(()),
            ended => {
                self.failed = ended.and_then(Result::ok).or(self.failed.take());
                Err(self.failure())
            }
        }
    }

    /// Why the writer takes no more batches. The caller may not have received the failure yet.
    fn failure(&mut self) -> StoreError {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            self.failed = thread.join().ok();
        }
        match self.failed.as_ref().map(|ended| &ended.outcome) {
            Some(Err(Some(said))) => StoreError::Failed { said: said.clone() },
            _ => StoreError::Stopped,
        }
    }
}

/// Writes what is queued and lets go of the lock; the session stays without an end, as if killed.
impl Drop for Writer {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported there.
            let _ = thread.join();
        }
    }
}

fn begin_session(connection: &Connection) -> rusqlite::Result<Numbers> {
    connection.execute(
        "INSERT INTO session (began_at, host, pid, version)
         VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?)",
        (host_name(), std::process::id(), env!("CARGO_PKG_VERSION")),
    )?;
    Numbers::next(connection, connection.last_insert_rowid() as u32)
}

/// What tells a file from another under the same name: its device and its number there.
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

struct Thread {
    path: PathBuf,
    /// The file that is written.
    file: Option<(u64, u64)>,
    connection: Connection,
    journal: Journal,
    numbers: Numbers,
    queue: Receiver<Order>,
    committed: u64,
}

impl Thread {
    /// Writes until told to finish, or until nobody is left to tell it.
    fn work(&mut self, acknowledge: &impl Fn(Acknowledgement)) -> Result<(), StoreError> {
        let mut group = Vec::new();
        while let Ok(first) = self.queue.recv() {
            let mut finish = None;
            for order in std::iter::once(first).chain(self.queue.try_iter()).take(MOST_BATCHES) {
                match order {
                    Order::Write(batch) => group.push(batch),
                    Order::Finish(reason) => finish = Some(reason),
                }
            }
            if !group.is_empty() {
                self.commit(&group)?;
                group.clear();
                acknowledge(Acknowledgement::Committed { batches: self.committed });
            }
            if let Some(reason) = finish {
                return self.end_session(&reason).map_err(|error| self.error(error));
            }
        }
        Ok(())
    }

    fn commit(&mut self, group: &[Batch]) -> Result<(), StoreError> {
        let transaction = self.connection.unchecked_transaction();
        let transaction = transaction.map_err(|error| self.error(error))?;
        for batch in group {
            let inserted = insert(&transaction, &self.path, batch, &mut self.numbers);
            inserted.map_err(|error| self.check_file().err().unwrap_or(error))?;
        }
        transaction.commit().map_err(|error| self.error(error))?;
        // SQLite goes on writing to a file that has no name any more, and nobody would find it.
        self.check_file()?;
        self.committed += group.len() as u64;
        Ok(())
    }

    /// Refuses to go on if the file is not where it was.
    fn check_file(&self) -> Result<(), StoreError> {
        if self.file.is_some() && identity(&self.path) == self.file {
            return Ok(());
        }
        Err(StoreError::Gone { path: self.path.clone() })
    }

    /// The error that SQLite met, or what lies behind it.
    fn error(&self, error: rusqlite::Error) -> StoreError {
        self.check_file().err().unwrap_or_else(|| StoreError::sqlite(&self.path, error))
    }

    fn end_session(&self, reason: &str) -> rusqlite::Result<()> {
        self.connection.execute(
            "UPDATE session SET ended_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), reason = ? WHERE id = ?",
            (reason, self.numbers.session),
        )?;
        if self.journal == Journal::WriteAhead {
            self.connection.busy_timeout(PATIENCE)?;
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            // A file without a log can be read from where nobody may write. A reader who is at it
            // prevents this; then the log stays.
            match set_journal(&self.connection, Journal::Rollback) {
                Err(error) if error.sqlite_error_code() != Some(rusqlite::ErrorCode::DatabaseBusy) => {
                    return Err(error);
                }
                _ => {}
            }
        }
        Ok(())
    }
}
