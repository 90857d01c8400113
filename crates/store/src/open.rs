//! Identifies and opens the database file.
//!
//! captune can identify a file by SQLite's header without opening it as a database: the application ID at
//! byte 68 and the user version at byte 60 are big-endian words. These words are always in the file itself
//! and never only in a write-ahead log, because stores are created and migrated with the rollback journal.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::migrate::{STEPS, VERSION, migrate};
use super::{Journal, StoreError};

/// Name of the database in a campaign's folder.
pub(super) const FILE: &str = "campaign.sqlite";

/// Application ID that marks a database as a captune store: `CapT`.
pub(super) const APPLICATION: u32 = 0x4361_7054;

/// Time that a writer waits for readers: `SHORT` before it merges a log, `LONG` before it writes.
const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(5);

/// Time that a reader waits for a writer that has locked the file for a moment. On a network file system, the
/// writer keeps the file locked as long as it runs.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the version of a store, or an error if the file is not a store that can be opened.
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
        return refuse("it is not a SQLite database");
    }
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if word(68) != APPLICATION {
        return refuse("it is a database from another program");
    }
    match word(60) {
        0 => refuse("it has no version number"),
        found if found > VERSION => Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION }),
        found => Ok(found),
    }
}

/// Returns whether a file is the database of a campaign, whatever its version.
pub fn is_store(path: &Path) -> bool {
    matches!(identify(path), Ok(_) | Err(StoreError::Newer { .. }))
}

/// Opens a store for reading only. Reading does not disturb another process that writes to the store.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    let found = identify(path)?;
    if found < VERSION {
        return Err(StoreError::Older { path: path.to_owned(), found, known: VERSION });
    }
    let open = |access| -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "query_only", true)?;
        // Only the first query shows whether the file is readable.
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    };
    match open(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        // This error means that a process was killed while it wrote with the rollback journal. SQLite undoes
        // the unfinished write on the first query, for which it needs write access. `query_only` still
        // prevents other changes.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
            open(OpenFlags::SQLITE_OPEN_READ_WRITE)
        }
        outcome => outcome,
    }
    .map_err(|error| StoreError::sqlite(path, error))
}

/// Opens a store for writing, and migrates it if it has an earlier version. The caller must hold the writer's
/// lock.
pub(super) fn open_to_write(path: &Path, journal: Journal) -> Result<Connection, StoreError> {
    let found = identify(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let mut connection = Connection::open_with_flags(path, flags)?;
        if journal == Journal::Rollback {
            // The lock must be taken before anything is read. Then a write-ahead log that is left over from
            // another file system can be merged without shared memory.
            lock_permanently(&connection)?;
        }
        connection.pragma_update(None, "synchronous", "full")?;
        if found < VERSION {
            // Migrations may rebuild tables that other tables refer to.
            connection.pragma_update(None, "foreign_keys", false)?;
            set_journal(&connection, Journal::Rollback)?;
            migrate(&mut connection, STEPS, found, VERSION)?;
        }
        connection.pragma_update(None, "foreign_keys", true)?;
        merge_log(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| StoreError::sqlite(path, error))
}

/// Merges the log left by a killed writer, so that the campaign is a single file again even if it is not
/// resumed. If a reader is active, the log cannot be merged and stays.
fn merge_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(SHORT)?;
    match set_journal(connection, Journal::Rollback) {
        Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => return Err(error),
        _ => {}
    }
    connection.busy_timeout(LONG)
}

/// Sets the journal mode for a session, and returns the mode in effect. The mode is set only when a session
/// starts, so opening a store without writing to it leaves no other files in its folder.
pub(super) fn begin_journal(connection: &Connection, journal: Journal) -> rusqlite::Result<Journal> {
    if set_journal(connection, journal)? == journal.mode() {
        return Ok(journal);
    }
    // Some local file systems do not support shared memory either. SQLite then keeps the old mode.
    lock_permanently(connection)?;
    set_journal(connection, Journal::Rollback)?;
    Ok(Journal::Rollback)
}

fn lock_permanently(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))
}

/// Sets the journal mode, and returns SQLite's name for the mode in effect.
pub(super) fn set_journal(connection: &Connection, journal: Journal) -> rusqlite::Result<String> {
    connection.pragma_update_and_check(None, "journal_mode", journal.mode(), |row| row.get(0))
}
