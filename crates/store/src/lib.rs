//! The durable record of a campaign.
//!
//! Each campaign has a folder. In that folder, `campaign.sqlite` contains every trial that has ended and
//! everything needed to resume after a power cut. Only one process writes: it opens a [`Store`] and turns it
//! into a [`Writer`]. All other processes use a [`StoreReader`], even while the campaign runs. `schema.sql`
//! describes the tables; users may query them.
//!
//! Guarantee: when a [`Writer`] has acknowledged a batch, that batch is on disk, exactly once and in the
//! order of submission.

mod checksum;
mod create;
mod crew;
mod digest;
mod each;
mod error;
pub mod fingerprint;
mod insert;
mod journal;
mod load;
mod lock;
mod lookup;
mod migrate;
mod open;
mod record;
mod summary;
mod tables;
mod trial;
mod update;
mod values;
mod writer;

pub use create::NewCampaign;
pub use error::StoreError;
pub use journal::Journal;
pub use load::Loaded;
pub use lock::{Holder, host_name};
pub use lookup::Failures;
pub use open::is_store;
pub use record::{
    Batch, Charter, Elapsed, Session, State, StoredConfiguration, StoredEvent, StoredIncumbent,
    StoredValidation, StoredWorker, WorkerChange,
};
pub use summary::{Leader, Summary};
pub use tables::{FIRST_ABLATION, FIRST_VALIDATION};
pub use writer::{Acknowledgement, Writer};

#[cfg(test)]
mod rollback_tests;

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use lock::WriterLock;

/// A campaign's record, open for writing. No other process can write at the same time.
#[derive(Debug)]
pub struct Store {
    reader: StoreReader,
    journal: Journal,
    lock: WriterLock,
}

/// A campaign's record, open for reading.
#[derive(Debug)]
pub struct StoreReader {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Creates a new campaign in a folder. Creates the folder if necessary.
    pub fn create(folder: &Path, charter: &Charter) -> Result<Self, StoreError> {
        Self::create_with(folder, &NewCampaign::of(charter.clone()))
    }

    /// Creates a new campaign with its initial contents.
    pub fn create_with(folder: &Path, campaign: &NewCampaign) -> Result<Self, StoreError> {
        fs::create_dir_all(folder).map_err(StoreError::file("create", folder))?;
        Self::create_using(folder, campaign, Journal::of_folder(folder)?)
    }

    fn create_using(folder: &Path, campaign: &NewCampaign, journal: Journal) -> Result<Self, StoreError> {
        let lock = WriterLock::take(folder)?;
        let path = folder.join(open::FILE);
        create::create(&path, campaign)?;
        let connection = open::open_to_write(&path, journal)?;
        Ok(Self { reader: StoreReader { path, connection }, journal, lock })
    }

    /// Opens an existing campaign to resume it. Migrates the store if it has an earlier version.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        if !folder.join(open::FILE).exists() {
            return Err(StoreError::Missing { folder: folder.to_owned() });
        }
        Self::open_using(folder, Journal::of_folder(folder)?)
    }

    fn open_using(folder: &Path, journal: Journal) -> Result<Self, StoreError> {
        let lock = WriterLock::take(folder)?;
        let path = folder.join(open::FILE);
        create::tidy(&path)?;
        let connection = open::open_to_write(&path, journal)?;
        Ok(Self { reader: StoreReader { path, connection }, journal, lock })
    }

    /// Opens an existing campaign for reading, even while it runs.
    pub fn read(folder: &Path) -> Result<StoreReader, StoreError> {
        Self::read_file(&folder.join(open::FILE))
    }

    /// Opens a store by its own path, for reading only: `campaign-1.sqlite` contains the trials of a campaign that a
    /// new one has replaced.
    pub fn read_file(path: &Path) -> Result<StoreReader, StoreError> {
        Ok(StoreReader { connection: open::open_to_read(path)?, path: path.to_owned() })
    }

    /// Returns the process that is writing the campaign in a folder, if any.
    pub fn holder(folder: &Path) -> Result<Option<Holder>, StoreError> {
        lock::holder(folder)
    }

    /// Returns the journal mode of this store.
    pub fn journal(&self) -> Journal {
        self.journal
    }

    /// Returns a reader for this store.
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }

    /// Loads everything needed to resume.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        self.reader.load()
    }

    /// Starts a session. The writing thread calls `acknowledge`, in order, each time batches have reached the
    /// disk. Typically, `acknowledge` sends to a channel on which the caller waits.
    pub fn write(self, acknowledge: impl Fn(Acknowledgement) + Send + 'static) -> Result<Writer, StoreError> {
        let StoreReader { path, connection } = self.reader;
        Writer::start(path, connection, self.journal, self.lock, acknowledge)
    }
}

impl StoreReader {
    /// Checks the whole file for damage. The check takes a while if the file is large.
    pub fn verify(&self) -> Result<(), StoreError> {
        let sql = "SELECT * FROM pragma_integrity_check LIMIT 1";
        let found: String = self.ask(self.connection.query_row(sql, [], |row| row.get(0)))?;
        if found != "ok" {
            return Err(self.damaged(found));
        }
        let sql = "SELECT count(*) FROM (SELECT status, count(*) AS trials FROM trial GROUP BY status
                   EXCEPT SELECT status, trials FROM tally)";
        let differing: i64 = self.ask(self.connection.query_row(sql, [], |row| row.get(0)))?;
        if differing > 0 { Err(self.damaged("the tally does not match the trials")) } else { Ok(()) }
    }

    /// Converts a SQLite error to an error about this store.
    fn ask<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, StoreError> {
        outcome.map_err(|error| StoreError::sqlite(&self.path, error))
    }
}
