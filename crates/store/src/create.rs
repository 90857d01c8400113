//! Creates a store atomically, together with the campaign's initial contents.
//!
//! A new store is filled under a temporary name and then renamed. If it replaces an older store, the same
//! rename replaces that file. So the folder contains a complete campaign at every moment: either the old one
//! or the new one.

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

/// The initial contents of a campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct NewCampaign {
    /// Name, scenario, space, instances and seed.
    pub charter: Charter,
    /// The names of the instances held out for validation, if they were drawn at random.
    pub test: Option<Vec<String>>,
    /// Fingerprints of the scenario's files.
    pub files: Option<Fingerprints>,
    /// Trials from an earlier campaign or an import, and the reason stored for their session.
    pub known: Option<(Batch, String)>,
}

impl NewCampaign {
    /// Creates the contents of a campaign without trials.
    pub fn of(charter: Charter) -> Self {
        Self { charter, test: None, files: None, known: None }
    }
}

impl Store {
    /// Replaces this campaign with a new one. Keeps the old store in the same folder and returns its path.
    pub fn replace(self, campaign: &NewCampaign) -> Result<(Self, PathBuf), StoreError> {
        let Self { reader: StoreReader { path, connection }, journal, lock } = self;
        close_merged(connection, &path)?;
        let new = fill(&path, campaign)?;
        let aside = keep_beside(&path)?;
        move_into_place(&new, &path)?;
        let connection = open_to_write(&path, journal)?;
        Ok((Self { reader: StoreReader { path, connection }, journal, lock }, aside))
    }
}

/// Creates the file. The caller must hold the writer's lock.
pub(super) fn create(path: &Path, campaign: &NewCampaign) -> Result<(), StoreError> {
    match identify(path) {
        Err(StoreError::Missing { .. }) => {}
        Ok(_) => return Err(StoreError::Exists { folder: folder_of(path).to_owned() }),
        Err(error) => return Err(error),
    }
    if path.is_symlink() {
        let source = std::io::Error::other("it is a link that does not lead to a campaign: remove it first");
        return Err(StoreError::file("create", path)(source));
    }
    // These files may be left over from a campaign whose database was removed. SQLite would mistake that
    // campaign's log for the new one's.
    for left in ["sqlite-wal", "sqlite-shm", "sqlite-journal"] {
        remove(&path.with_extension(left))?;
    }
    move_into_place(&fill(path, campaign)?, path)
}

/// Merges all contents of a store into a single file, and closes the store.
fn close_merged(connection: Connection, path: &Path) -> Result<(), StoreError> {
    let closed = set_journal(&connection, Journal::Rollback).and_then(|_| {
        // If the journal mode has changed, SQLite has already waited for readers to finish. Later readers do
        // no harm.
        connection.close().map_err(|(_, error)| error)
    });
    closed.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::BeingRead { path: path.to_owned() }
        }
        _ => StoreError::sqlite(path, error),
    })
}

/// Creates and fills a new store under a temporary name in its final folder. Returns its path.
fn fill(path: &Path, campaign: &NewCampaign) -> Result<PathBuf, StoreError> {
    let new = path.with_extension("new");
    let space = write(&campaign.charter.space, Format::Toml)?;
    // An interrupted creation may have left files behind.
    let remove_both = || {
        remove(&path.with_extension("new-journal"))?;
        remove(&new)
    };
    remove_both()?;
    fill_file(&new, campaign, &space).inspect_err(|_| {
        // Free the disk space. If the process is killed instead, the next creation removes the files.
        remove_both().ok();
    })?;
    Ok(new)
}

fn fill_file(path: &Path, campaign: &NewCampaign, space: &str) -> Result<(), StoreError> {
    let error = |error| StoreError::sqlite(path, error);
    let mut connection = Connection::open(path).map_err(error)?;
    connection.pragma_update(None, "synchronous", "full").map_err(error)?;
    let transaction = connection.transaction().map_err(error)?;
    facts(&transaction, campaign, space).map_err(error)?;
    if let Some((batch, from)) = &campaign.known {
        let mut numbers = import_session(&transaction, from).map_err(error)?;
        insert(&transaction, path, batch, &mut numbers)?;
    }
    transaction.commit().map_err(error)?;
    connection.close().map_err(|(_, closing)| error(closing))
}

fn facts(transaction: &Transaction<'_>, campaign: &NewCampaign, space: &str) -> rusqlite::Result<()> {
    let NewCampaign { charter, test, files, .. } = campaign;
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

/// Creates a session for trials that did not run in this campaign. The session starts and ends at once.
fn import_session(transaction: &Transaction<'_>, reason: &str) -> rusqlite::Result<Numbers> {
    transaction.execute(
        "INSERT INTO session (began_at, ended_at, reason, host, pid, version)
         VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?, ?)",
        (reason, host_name(), std::process::id(), env!("CARGO_PKG_VERSION")),
    )?;
    Numbers::next(transaction, transaction.last_insert_rowid() as u32)
}

/// Gives a store a second name, under which it remains when a new store takes its first name.
fn keep_beside(path: &Path) -> Result<PathBuf, StoreError> {
    let aside = names(path).find(|aside| !aside.exists()).unwrap_or_else(|| path.to_owned());
    // If the file system does not support hard links, make a copy, which the rename makes visible atomically.
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
    kept.map_err(StoreError::file("keep a copy of", path))?;
    Ok(aside)
}

/// Removes files left by a writer that was killed while it replaced a store: the second name of the old
/// store, and the unfinished new store. The caller must hold the writer's lock.
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

/// Returns the names that earlier stores may have.
fn names(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1_u32..).map(|number| path.with_file_name(format!("campaign-{number}.sqlite")))
}

fn move_into_place(new: &Path, path: &Path) -> Result<(), StoreError> {
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
