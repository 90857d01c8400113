//! Opening and creating the database file.
//!
//! What a file is can be read from SQLite's header without touching it: the application id at byte 68
//! and the user version at byte 60 are big-endian words. They are never only in a write-ahead log,
//! since stores are created and migrated with the rollback journal.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::migrate::{STEPS, VERSION, migrate};
use super::{Journal, StoreError};

/// The database in a campaign's folder.
pub(super) const FILE: &str = "campaign.sqlite";

/// `CapT`: marks a database as ours.
pub(super) const APPLICATION: u32 = 0x4361_7054;

/// How long a writer waits for readers: to take in a log, and to write.
const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(5);

/// How long a reader waits for a writer that has the file to itself for a moment; on a network file
/// system it has it for as long as it runs.
const PATIENCE: Duration = Duration::from_secs(2);

/// The version of a store that may be opened.
pub(super) fn identify(path: &Path) -> Result<u32, StoreError> {
    let folder = || path.parent().unwrap_or(path).to_owned();
    let mut header = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(100).read_to_end(&mut header).map_err(StoreError::file("read", path))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StoreError::Missing { folder: folder() });
        }
        Err(error) => return Err(StoreError::file("open", path)(error)),
    };
    if header.is_empty() {
        return Err(StoreError::Missing { folder: folder() });
    }
    let refuse = |what| Err(StoreError::NotAStore { path: path.to_owned(), what });
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return refuse("it is no SQLite database");
    }
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if word(68) != APPLICATION {
        return refuse("it is another program's database");
    }
    match word(60) {
        0 => refuse("it has no version"),
        found if found > VERSION => Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION }),
        found => Ok(found),
    }
}

/// Opens for reading alone. A write in progress elsewhere is not disturbed.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    let found = identify(path)?;
    if found < VERSION {
        return Err(StoreError::Older { path: path.to_owned(), found, known: VERSION });
    }
    let open = |access| -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "query_only", true)?;
        // Whether it can be read at all shows with the first question.
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    };
    match open(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        // Someone was killed while writing with the rollback journal. SQLite undoes that on the first
        // question, for which it needs the right to write; the questions remain questions.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
            open(OpenFlags::SQLITE_OPEN_READ_WRITE)
        }
        outcome => outcome,
    }
    .map_err(|error| StoreError::sqlite(path, error))
}

/// Opens for writing, the writer's lock being held, and brings an older store up to date.
pub(super) fn open_to_write(path: &Path, journal: Journal) -> Result<Connection, StoreError> {
    let found = identify(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let mut connection = Connection::open_with_flags(path, flags)?;
        if journal == Journal::Rollback {
            // Before anything is read: a write-ahead log left from another file system needs no
            // shared memory then to be taken in.
            lock_for_good(&connection)?;
        }
        connection.pragma_update(None, "synchronous", "full")?;
        if found < VERSION {
            // Migrations may rebuild tables that others refer to.
            connection.pragma_update(None, "foreign_keys", false)?;
            set_journal(&connection, Journal::Rollback)?;
            migrate(&mut connection, STEPS, found, VERSION)?;
        }
        connection.pragma_update(None, "foreign_keys", true)?;
        take_in_log(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| StoreError::sqlite(path, error))
}

/// Takes in the log that a killed writer has left: what has ended is one file again, also if nobody goes on with it.
/// A reader who is at it prevents this; then the log stays.
fn take_in_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(SHORT)?;
    match set_journal(connection, Journal::Rollback) {
        Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => return Err(error),
        _ => {}
    }
    connection.busy_timeout(LONG)
}

/// Sets the journal that a session is written with, and says which it came to be. Not before there is a
/// session: opening a store without writing to it leaves no files beside it.
pub(super) fn begin_journal(connection: &Connection, journal: Journal) -> rusqlite::Result<Journal> {
    if set_journal(connection, journal)? == journal.mode() {
        return Ok(journal);
    }
    // Some local file systems have no shared memory either; SQLite then keeps the old mode.
    lock_for_good(connection)?;
    set_journal(connection, Journal::Rollback)?;
    Ok(Journal::Rollback)
}

fn lock_for_good(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))
}

/// Sets the journal and says which it came to be, in SQLite's words.
pub(super) fn set_journal(connection: &Connection, journal: Journal) -> rusqlite::Result<String> {
    connection.pragma_update_and_check(None, "journal_mode", journal.mode(), |row| row.get(0))
}
