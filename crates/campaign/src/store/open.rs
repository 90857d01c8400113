//! Opening and creating the database file.
//!
//! What a file is can be read from SQLite's header without touching it: the application id at byte 68
//! and the user version at byte 60 are big-endian words. They are never only in a write-ahead log,
//! since stores are created and migrated with the rollback journal.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::migrate::{STEPS, VERSION, migrate, set_version};
use super::record::Charter;
use super::{Journal, StoreError};
use engine::space::format::{Format, write};

/// The database in a campaign's folder.
pub(super) const FILE: &str = "campaign.sqlite";

/// `CapT`: marks a database as ours.
const APPLICATION: u32 = 0x4361_7054;

const SCHEMA: &str = include_str!("schema.sql");

/// The version of a store that may be opened.
fn identify(path: &Path) -> Result<u32, StoreError> {
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
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| StoreError::sqlite(path, e))?;
    match is_whole(&connection) {
        Err(error) if needs_repair(&error) => {}
        outcome => return finish_opening(path, connection, outcome),
    }
    // Someone was killed while writing with the rollback journal: SQLite undoes that on the first
    // read, for which it needs the right to write. The statements remain reading ones.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| StoreError::sqlite(path, e))?;
    let outcome = connection.pragma_update(None, "query_only", true).and_then(|()| is_whole(&connection));
    finish_opening(path, connection, outcome)
}

fn needs_repair(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::ReadOnly)
}

fn finish_opening(
    path: &Path,
    connection: Connection,
    whole: rusqlite::Result<bool>,
) -> Result<Connection, StoreError> {
    match whole {
        Ok(true) => Ok(connection),
        // Its creation was interrupted.
        Ok(false) => Err(StoreError::Missing { folder: path.parent().unwrap_or(path).to_owned() }),
        Err(error) => Err(StoreError::sqlite(path, error)),
    }
}

/// Whether there is anything in the file, once SQLite has undone what was interrupted.
fn is_whole(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) > 0 FROM sqlite_master", [], |row| row.get(0))
}

/// Opens for writing, the writer's lock being held, and brings an older store up to date.
pub(super) fn open_to_write(path: &Path, journal: Journal) -> Result<(Connection, Journal), StoreError> {
    let found = identify(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| StoreError::sqlite(path, e))?;
    let mut connection = prepare(path, connection, journal)?;
    let whole = is_whole(&connection);
    connection = finish_opening(path, connection, whole)?;
    if found < VERSION {
        set_journal(&connection, Journal::Rollback)
            .and_then(|_| migrate(&mut connection, STEPS, found, VERSION))
            .map_err(|e| StoreError::sqlite(path, e))?;
    }
    let journal = start_journal(path, &connection, journal)?;
    Ok((connection, journal))
}

/// Creates the file with its tables and charter, the writer's lock being held.
pub(super) fn create(
    path: &Path,
    charter: &Charter,
    journal: Journal,
) -> Result<(Connection, Journal), StoreError> {
    let folder = path.parent().unwrap_or(path);
    let exists = || StoreError::Exists { folder: folder.to_owned() };
    match identify(path) {
        Err(StoreError::Missing { .. }) => {}
        // Unless its creation was interrupted, it is a campaign.
        Ok(_) if matches!(open_to_read(path), Err(StoreError::Missing { .. })) => {}
        Ok(_) => return Err(exists()),
        Err(error) => return Err(error),
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| StoreError::sqlite(path, e))?;
    let mut connection = prepare(path, connection, journal)?;
    let space = write(&charter.space, Format::Toml)?;
    fill(&mut connection, charter, &space).map_err(|e| StoreError::sqlite(path, e))?;
    let journal = start_journal(path, &connection, journal)?;
    for folder in [folder, folder.parent().unwrap_or(folder)] {
        sync_folder(folder)?;
    }
    Ok((connection, journal))
}

fn fill(connection: &mut Connection, charter: &Charter, space: &str) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.execute_batch(SCHEMA)?;
    set_version(&transaction, VERSION)?;
    let keys = [
        ("version", env!("CARGO_PKG_VERSION")),
        ("name", &charter.name),
        ("scenario", &charter.scenario),
        ("folder", &charter.folder.to_string_lossy()),
        ("space", space),
        ("seed", &charter.seed.to_string()),
    ];
    for pair in keys {
        transaction.execute("INSERT INTO campaign VALUES (?, ?)", pair)?;
    }
    let now = "INSERT INTO campaign VALUES ('created', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))";
    transaction.execute(now, [])?;
    for (id, name) in charter.instances.iter().enumerate() {
        transaction.execute("INSERT INTO instance VALUES (?, ?)", (id as i64, name))?;
    }
    transaction.commit()
}

/// What must be set before the file is first read. While the file is locked for good, a write-ahead
/// log left from another file system needs no shared memory to be taken in.
fn prepare(path: &Path, connection: Connection, journal: Journal) -> Result<Connection, StoreError> {
    let set = || {
        if journal == Journal::Rollback {
            connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))?;
        }
        // Migrations may rebuild tables that others refer to.
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.pragma_update(None, "synchronous", "full")
    };
    set().map_err(|e| StoreError::sqlite(path, e))?;
    Ok(connection)
}

/// Sets the journal for the work ahead, and says which it came to be.
fn start_journal(path: &Path, connection: &Connection, journal: Journal) -> Result<Journal, StoreError> {
    set_journal(connection, journal)
        .and_then(|mode| {
            connection.pragma_update(None, "foreign_keys", true)?;
            if mode == journal.mode() {
                return Ok(journal);
            }
            // Some local file systems have no shared memory either; SQLite then keeps the old mode.
            connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))?;
            set_journal(connection, Journal::Rollback)?;
            Ok(Journal::Rollback)
        })
        .map_err(|e| StoreError::sqlite(path, e))
}

pub(super) fn set_journal(connection: &Connection, journal: Journal) -> rusqlite::Result<String> {
    connection.pragma_update_and_check(None, "journal_mode", journal.mode(), |row| row.get(0))
}

fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let open = File::open(folder).and_then(|folder| folder.sync_all());
    open.map_err(StoreError::file("write", folder))
}
