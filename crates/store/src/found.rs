//! A new store: there with all that its campaign begins with, or not at all.
//!
//! It is filled under another name and then renamed. In the place of another store it takes over by that
//! one rename, so that a campaign is there at every moment: the one before, or the new one.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, Transaction};
use space::format::{Format, write};

use super::checksum::seal;
use super::insert::{Numbers, insert};
use super::lock::host_name;
use super::migrate::{VERSION, set_version};
use super::open::{APPLICATION, identify, open_to_write, set_journal};
use super::record::{Batch, Charter};
use super::{Journal, Store, StoreError, StoreReader};
use crate::fingerprint::Fingerprints;

const SCHEMA: &str = include_str!("schema.sql");

/// What a campaign begins with.
#[derive(Clone, PartialEq, Debug)]
pub struct Founding {
    /// What it is.
    pub charter: Charter,
    /// The names of the instances that are kept for the validation, if they were drawn.
    pub test: Option<Vec<String>>,
    /// What the files of the scenario held.
    pub files: Option<Fingerprints>,
    /// Trials that it knows from elsewhere, and where from.
    pub known: Option<(Batch, String)>,
}

impl Founding {
    /// Of a campaign that knows nothing yet.
    pub fn of(charter: Charter) -> Self {
        Self { charter, test: None, files: None, known: None }
    }
}

impl Store {
    /// Puts a new campaign in the place of this one, whose store is kept beside it: says where.
    pub fn replace(self, founding: &Founding) -> Result<(Self, PathBuf), StoreError> {
        let Self { reader: StoreReader { path, connection }, journal, lock } = self;
        settle(connection, &path)?;
        let new = fill(&path, founding)?;
        let aside = keep_beside(&path)?;
        take_place(&new, &path)?;
        let connection = open_to_write(&path, journal)?;
        Ok((Self { reader: StoreReader { path, connection }, journal, lock }, aside))
    }
}

/// Creates the file, the writer's lock being held.
pub(super) fn create(path: &Path, founding: &Founding) -> Result<(), StoreError> {
    match identify(path) {
        Err(StoreError::Missing { .. }) => {}
        Ok(_) => return Err(StoreError::Exists { folder: folder_of(path).to_owned() }),
        Err(error) => return Err(error),
    }
    if path.is_symlink() {
        let source = std::io::Error::other("it is a link that leads to no campaign: remove it first");
        return Err(StoreError::file("create", path)(source));
    }
    // What was left of a campaign whose file was removed: SQLite would take its log for ours.
    for left in ["sqlite-wal", "sqlite-shm", "sqlite-journal"] {
        remove(&path.with_extension(left))?;
    }
    take_place(&fill(path, founding)?, path)
}

/// Brings all that a store holds into its one file, and closes it.
fn settle(connection: Connection, path: &Path) -> Result<(), StoreError> {
    let settled = set_journal(&connection, Journal::Rollback).and_then(|_| {
        // Where it was not the journal before, this waits for readers; those who come now do no harm.
        connection.close().map_err(|(_, error)| error)
    });
    settled.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::BeingRead { path: path.to_owned() }
        }
        _ => StoreError::sqlite(path, error),
    })
}

/// Fills a new store beside the place that it will have, and says where.
fn fill(path: &Path, founding: &Founding) -> Result<PathBuf, StoreError> {
    let new = path.with_extension("new");
    let space = write(&founding.charter.space, Format::Toml)?;
    // What was left of a creation cut short.
    let remove_both = || {
        remove(&path.with_extension("new-journal"))?;
        remove(&new)
    };
    remove_both()?;
    fill_file(&new, founding, &space).inspect_err(|_| {
        // It takes the room that is wanted; that of a creation which was killed goes with the next.
        remove_both().ok();
    })?;
    Ok(new)
}

fn fill_file(path: &Path, founding: &Founding, space: &str) -> Result<(), StoreError> {
    let error = |error| StoreError::sqlite(path, error);
    let mut connection = Connection::open(path).map_err(error)?;
    connection.pragma_update(None, "synchronous", "full").map_err(error)?;
    let transaction = connection.transaction().map_err(error)?;
    facts(&transaction, founding, space).map_err(error)?;
    if let Some((batch, from)) = &founding.known {
        let mut numbers = session_of_its_own(&transaction, from).map_err(error)?;
        insert(&transaction, path, batch, &mut numbers)?;
    }
    transaction.commit().map_err(error)?;
    connection.close().map_err(|(_, closing)| error(closing))
}

fn facts(transaction: &Transaction<'_>, founding: &Founding, space: &str) -> rusqlite::Result<()> {
    let Founding { charter, test, files, .. } = founding;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.execute_batch(SCHEMA)?;
    set_version(transaction, VERSION)?;
    let keys = [
        ("version", Some(env!("CARGO_PKG_VERSION").to_owned())),
        ("name", Some(charter.name.clone())),
        ("scenario", Some(charter.scenario.clone())),
        ("folder", Some(charter.folder.to_string_lossy().into_owned())),
        ("space", Some(space.to_owned())),
        ("seed", Some(charter.seed.to_string())),
        ("test", test.as_ref().map(|names| serde_json::json!(names).to_string())),
        ("files", files.as_ref().map(|files| serde_json::json!(files).to_string())),
    ];
    for (key, value) in keys.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        transaction.execute("INSERT INTO campaign VALUES (?, ?)", (key, value))?;
    }
    let now = "INSERT INTO campaign VALUES ('created', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))";
    transaction.execute(now, [])?;
    for (id, name) in charter.instances.iter().enumerate() {
        transaction.execute("INSERT INTO instance VALUES (?, ?)", (id as i64, name))?;
    }
    seal(transaction)
}

/// A session that begins and ends with what is known from elsewhere.
fn session_of_its_own(transaction: &Transaction<'_>, reason: &str) -> rusqlite::Result<Numbers> {
    transaction.execute(
        "INSERT INTO session (began_at, ended_at, reason, host, pid, version)
         VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?, ?)",
        (reason, host_name(), std::process::id(), env!("CARGO_PKG_VERSION")),
    )?;
    Numbers::next(transaction, transaction.last_insert_rowid() as u32)
}

/// Gives a store another name that it keeps when a new one takes its place.
fn keep_beside(path: &Path) -> Result<PathBuf, StoreError> {
    let aside = names(path).find(|aside| !aside.exists()).unwrap_or_else(|| path.to_owned());
    // A copy where there are no links; that too is there whole or not at all.
    let copied = path.with_extension("copy");
    let copy = || {
        fs::copy(path, &copied)?;
        File::open(&copied)?.sync_all()?;
        fs::rename(&copied, &aside)
    };
    let kept = fs::hard_link(path, &aside).or_else(|_| copy());
    if kept.is_err() {
        remove(&copied)?;
    }
    kept.map_err(StoreError::file("set aside", path))?;
    Ok(aside)
}

/// Removes what is left if a writer was killed who was about to replace a store: its second name, and what was to
/// come in its place. The writer's lock is held.
pub(super) fn tidy(path: &Path) -> Result<(), StoreError> {
    for left in ["new-journal", "new", "copy"] {
        remove(&path.with_extension(left))?;
    }
    let Ok(own) = fs::metadata(path) else { return Ok(()) };
    if own.nlink() < 2 {
        return Ok(());
    }
    let is_same = |data: fs::Metadata| (data.dev(), data.ino()) == (own.dev(), own.ino());
    for aside in names(path).take_while(|aside| aside.exists()) {
        if fs::metadata(&aside).is_ok_and(is_same) {
            remove(&aside)?;
        }
    }
    Ok(())
}

/// What earlier stores are called.
fn names(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1_u32..).map(|number| path.with_file_name(format!("campaign-{number}.sqlite")))
}

fn take_place(new: &Path, path: &Path) -> Result<(), StoreError> {
    fs::rename(new, path).map_err(StoreError::file("create", path))?;
    let folder = folder_of(path);
    for folder in [folder, folder.parent().unwrap_or(folder)] {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(StoreError::file("write", folder))?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::file("remove", path)(error)),
        _ => Ok(()),
    }
}
