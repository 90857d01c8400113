//! The durable record of a campaign.
//!
//! A campaign lives in a folder; `campaign.sqlite` there holds every trial that has ended and all that
//! is needed to go on after a power cut. [`Store`] is opened by the one process that writes and turned
//! into a [`Writer`]; [`StoreReader`] is for everyone else, also while the campaign runs. The tables are
//! described in `schema.sql` and may be queried by users.
//!
//! Law: what a [`Writer`] has acknowledged is on disk, once, and in the order submitted.

mod checksum;
mod digest;
mod each;
mod error;
pub mod fingerprint;
mod found;
mod insert;
mod journal;
mod load;
mod lock;
mod lookup;
mod migrate;
mod open;
mod recharter;
mod record;
mod summary;
mod tables;
mod trial;
mod values;
mod writer;

pub use error::StoreError;
pub use found::Founding;
pub use journal::Journal;
pub use load::Loaded;
pub use lock::{Holder, host_name};
pub use lookup::Failures;
pub use record::{
    Batch, Charter, Elapsed, Session, State, StoredConfiguration, StoredEvent, StoredIncumbent,
    StoredValidation,
};
pub use summary::{Leader, Summary};
pub use tables::FIRST_VALIDATION;
pub use writer::{Acknowledgement, Writer};

#[cfg(test)]
mod rollback_tests;

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use lock::WriterLock;

/// A campaign's record, open for writing; no other process can write meanwhile.
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
    /// A new campaign in a folder, which is made if need be.
    pub fn create(folder: &Path, charter: &Charter) -> Result<Self, StoreError> {
        Self::found(folder, &Founding::of(charter.clone()))
    }

    /// The same, with all that the campaign begins with.
    pub fn found(folder: &Path, founding: &Founding) -> Result<Self, StoreError> {
        fs::create_dir_all(folder).map_err(StoreError::file("create", folder))?;
        Self::found_with(folder, founding, Journal::of_folder(folder)?)
    }

    fn found_with(folder: &Path, founding: &Founding, journal: Journal) -> Result<Self, StoreError> {
        let lock = WriterLock::take(folder)?;
        let path = folder.join(open::FILE);
        found::create(&path, founding)?;
        let connection = open::open_to_write(&path, journal)?;
        Ok(Self { reader: StoreReader { path, connection }, journal, lock })
    }

    /// An existing campaign, to go on with it. A store of an earlier version is brought up to date.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        if !folder.join(open::FILE).exists() {
            return Err(StoreError::Missing { folder: folder.to_owned() });
        }
        Self::open_with(folder, Journal::of_folder(folder)?)
    }

    fn open_with(folder: &Path, journal: Journal) -> Result<Self, StoreError> {
        let lock = WriterLock::take(folder)?;
        let path = folder.join(open::FILE);
        found::tidy(&path)?;
        let connection = open::open_to_write(&path, journal)?;
        Ok(Self { reader: StoreReader { path, connection }, journal, lock })
    }

    /// An existing campaign, to look at it, also while it runs.
    pub fn read(folder: &Path) -> Result<StoreReader, StoreError> {
        let path = folder.join(open::FILE);
        Ok(StoreReader { connection: open::open_to_read(&path)?, path })
    }

    /// The process that writes the campaign in a folder now, if one does.
    pub fn holder(folder: &Path) -> Result<Option<Holder>, StoreError> {
        lock::holder(folder)
    }

    /// How commits are made durable here.
    pub fn journal(&self) -> Journal {
        self.journal
    }

    /// What can be read of it.
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }

    /// Everything needed to go on.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        self.reader.load()
    }

    /// Begins a session. `acknowledge` is called by the writing thread, in order, with what has
    /// reached the disk; typically it sends into the channel that the caller waits on.
    pub fn write(self, acknowledge: impl Fn(Acknowledgement) + Send + 'static) -> Result<Writer, StoreError> {
        let StoreReader { path, connection } = self.reader;
        Writer::start(path, connection, self.journal, self.lock, acknowledge)
    }
}

impl StoreReader {
    /// Checks the whole file for damage; takes a while on a large one.
    pub fn verify(&self) -> Result<(), StoreError> {
        let sql = "SELECT * FROM pragma_integrity_check LIMIT 1";
        let found: String = self.ask(self.connection.query_row(sql, [], |row| row.get(0)))?;
        if found != "ok" {
            return Err(self.damaged(found));
        }
        let sql = "SELECT count(*) FROM (SELECT status, count(*) AS trials FROM trial GROUP BY status
                   EXCEPT SELECT status, trials FROM tally)";
        let differing: i64 = self.ask(self.connection.query_row(sql, [], |row| row.get(0)))?;
        if differing > 0 { Err(self.damaged("the tally differs from the trials")) } else { Ok(()) }
    }

    fn ask<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, StoreError> {
        outcome.map_err(|error| StoreError::sqlite(&self.path, error))
    }
}
