//! The thread that writes to the store, with group commit.
//!
//! A commit waits for the disk, which takes several milliseconds on most machines. So batches are queued. The
//! thread writes all queued batches in one transaction, commits, and then acknowledges the number of batches
//! on disk. A batch is never acknowledged before the commit.
//!
//! If all queued batches are [expendable](Batch::is_expendable), the commit does not wait for the disk. The next one
//! that does also writes them.

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

/// Maximum number of batches per commit. The limit ensures regular acknowledgements even if very many batches
/// are queued.
const MAX_BATCHES: usize = 10_000;

/// Time to wait for readers at the end of a session.
const PATIENCE: Duration = Duration::from_millis(500);

/// A message from the writing thread.
#[derive(Debug)]
pub enum Acknowledgement {
    /// Batches submitted to this writer are on disk.
    Committed {
        /// Number of batches on disk, counted from the first one submitted. This number never decreases.
        batches: u64,
    },
    /// The remaining batches will never reach the disk. This message is sent once, as the last one.
    Failed(StoreError),
}

/// A writer that accepts batches for a store and holds the writer's lock.
#[derive(Debug)]
pub struct Writer {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<Ended>>,
    /// Result of the thread, if it has failed.
    failed: Option<Ended>,
    submitted: u64,
    session: u32,
}

#[derive(Debug)]
enum Order {
    Write(Box<Batch>),
    Finish(String),
}

/// Result of the thread. The result contains the lock, so that the writer keeps the lock until it is dropped,
/// even if the thread has failed.
#[derive(Debug)]
struct Ended {
    _lock: WriterLock,
    /// An error if the thread failed, with the cause if it is known.
    outcome: Result<(), Option<String>>,
}

impl Writer {
    /// Starts a session.
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
        let mut thread =
            Thread { path, file, connection, journal, numbers, queue, committed: 0, waits: true };
        let work = move || {
            // Even if the thread panics, a caller that waits for an acknowledgement must not wait forever.
            let outcome = caught(|| thread.work(&acknowledge)).unwrap_or(Err(StoreError::Stopped));
            // Close the queue before sending the failure, so that a caller that has received the failure
            // cannot submit more batches.
            drop(thread);
            let outcome = outcome.map_err(|error| {
                let message = (!matches!(error, StoreError::Stopped)).then(|| execution::with_causes(&error));
                acknowledge(Acknowledgement::Failed(error));
                message
            });
            Ended { _lock: lock, outcome }
        };
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(work);
        let thread = thread.map_err(StoreError::file("start a thread for", "the store".as_ref()))?;
        let (orders, thread) = (Some(orders), Some(thread));
        Ok(Self { orders, thread, failed: None, submitted: 0, session: numbers.session })
    }

    /// Queues a batch without waiting, and returns its number. The batch is on disk when the number of
    /// acknowledged batches has reached that number.
    pub fn submit(&mut self, batch: Batch) -> Result<u64, StoreError> {
        if self.orders.as_ref().is_none_or(|orders| orders.send(Order::Write(Box::new(batch))).is_err()) {
            return Err(self.failure());
        }
        self.submitted += 1;
        Ok(self.submitted)
    }

    /// Returns the number of submitted batches.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Returns the number of this session.
    pub fn session(&self) -> u32 {
        self.session
    }

    /// Waits until all queued batches are on disk, ends the session with this reason, and tidies the folder
    /// so that the campaign is a single file.
    pub fn finish(mut self, reason: &str) -> Result<(), StoreError> {
        // If the thread has failed, sending fails, too. The thread's outcome is handled below.
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

    /// Returns the reason why the writer accepts no more batches, which the caller may not have received yet.
    fn failure(&mut self) -> StoreError {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            self.failed = thread.join().ok();
        }
        match self.failed.as_ref().map(|ended| &ended.outcome) {
            Some(Err(Some(message))) => StoreError::Failed { message: message.clone() },
            _ => StoreError::Stopped,
        }
    }
}

/// Writes the queued batches and releases the lock. The stored session has no end time, as if it had been
/// killed.
impl Drop for Writer {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been reported.
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

/// Returns the device and inode number of a file, which distinguish it from another file with the same name.
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

struct Thread {
    path: PathBuf,
    /// Identity of the file that is being written.
    file: Option<(u64, u64)>,
    connection: Connection,
    journal: Journal,
    numbers: Numbers,
    queue: Receiver<Order>,
    committed: u64,
    /// Whether commits wait for the disk.
    waits: bool,
}

/// Returns whether the commit of these batches must wait for the disk. Without a write-ahead log, a commit that does
/// not wait could damage the file.
fn must_wait(group: &[Batch], journal: Journal) -> bool {
    journal != Journal::WriteAhead || !group.iter().all(Batch::is_expendable)
}

impl Thread {
    /// Writes until it receives the order to finish, or until the writer is dropped.
    fn work(&mut self, acknowledge: &impl Fn(Acknowledgement)) -> Result<(), StoreError> {
        let mut group = Vec::new();
        while let Ok(first) = self.queue.recv() {
            let mut finish = None;
            for order in std::iter::once(first).chain(self.queue.try_iter()).take(MAX_BATCHES) {
                match order {
                    Order::Write(batch) => group.push(*batch),
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
        let waits = must_wait(group, self.journal);
        if waits != self.waits {
            let level = if waits { "full" } else { "normal" };
            let changed = self.connection.pragma_update(None, "synchronous", level);
            changed.map_err(|error| self.error(error))?;
            self.waits = waits;
        }
        let transaction = self.connection.unchecked_transaction();
        let transaction = transaction.map_err(|error| self.error(error))?;
        for batch in group {
            let inserted = insert(&transaction, &self.path, batch, &mut self.numbers);
            inserted.map_err(|error| self.check_file().err().unwrap_or(error))?;
        }
        transaction.commit().map_err(|error| self.error(error))?;
        // SQLite would keep writing to a file even after it was removed or renamed.
        self.check_file()?;
        self.committed += group.len() as u64;
        Ok(())
    }

    /// Returns an error if the path no longer refers to the file that is being written.
    fn check_file(&self) -> Result<(), StoreError> {
        if self.file.is_some() && identity(&self.path) == self.file {
            return Ok(());
        }
        Err(StoreError::Gone { path: self.path.clone() })
    }

    /// Returns the SQLite error or, if the file was removed or replaced, an error about that.
    fn error(&self, error: rusqlite::Error) -> StoreError {
        self.check_file().err().unwrap_or_else(|| StoreError::sqlite(&self.path, error))
    }

    fn end_session(&self, reason: &str) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "synchronous", "full")?;
        self.connection.execute(
            "UPDATE session SET ended_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), reason = ? WHERE id = ?",
            (reason, self.numbers.session),
        )?;
        if self.journal == Journal::WriteAhead {
            self.connection.busy_timeout(PATIENCE)?;
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            // A file without a log can be read without write access to its folder. If a reader is active, the
            // log cannot be merged and stays.
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

#[cfg(test)]
mod tests {
    use engine::TrialId;
    use execution::executor::Lease;

    use super::*;

    #[test]
    fn only_leases_do_not_wait_for_the_disk() {
        let lease =
            Lease { id: 1, trial: TrialId(1), worker: "w".to_owned(), slot: 1, since: 0.0, until: 1.0 };
        let leases = || Batch { leases: vec![lease.clone()], ..Batch::default() };
        let renewed = || Batch { renewed: Some((vec![TrialId(1)], 2.0)), ..Batch::default() };
        let released = || Batch { released: vec![TrialId(1)], ..Batch::default() };
        for (group, waits) in [
            (vec![leases(), renewed()], false),
            (vec![leases(), released()], true),
            (vec![Batch { released: vec![TrialId(2)], ..leases() }], true),
        ] {
            assert_eq!(must_wait(&group, Journal::WriteAhead), waits, "{group:?}");
            assert!(must_wait(&group, Journal::Rollback));
        }
    }
}
