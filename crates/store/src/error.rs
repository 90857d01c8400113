//! Errors from the store.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use space::format::CannotExpress;

use scenario::whole_file::create_beside;

/// Reason why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum StoreError {
    #[error("there is no campaign in {}", folder.display())]
    Missing { folder: PathBuf },
    #[error("{} already contains a campaign: resume it, or use another folder", folder.display())]
    Exists { folder: PathBuf },
    #[error("the campaign in {} is in use{}: stop it first", folder.display(), by(*pid, host.as_deref()))]
    InUse { folder: PathBuf, pid: Option<u32>, host: Option<String> },
    #[error("{} is not the store of a campaign: {what}", path.display())]
    NotAStore { path: PathBuf, what: &'static str },
    #[error(
        "{} has version {found}, but this captune reads versions up to {known}: use a newer captune",
        path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error(
        "{} has version {found}, but this captune reads version {known}: \
                 resume the campaign once to update it",
        path.display()
    )]
    Older { path: PathBuf, found: u32, known: u32 },
    #[error("{} is damaged: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    #[error(
        "{} is gone: it was removed, renamed or replaced while the campaign ran; trials that ended since \
                 then are not stored",
        path.display()
    )]
    Gone { path: PathBuf },
    #[error("no room left for {}: free some disk space, then resume", path.display())]
    Full { path: PathBuf },
    #[error(
        "{} is locked by its writer: on a network file system a campaign can only be read while \
         it is not running",
        path.display()
    )]
    Locked { path: PathBuf },
    #[error("another program is reading {}: wait until that program has ended", path.display())]
    BeingRead { path: PathBuf },
    #[error("the file system of {} cannot lock files: use a folder on another file system", path.display())]
    NoLocks { path: PathBuf, source: io::Error },
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("trial {id} is already stored")]
    TrialTwice { id: u64 },
    #[error("configuration {given} is out of order: the next number is {due}")]
    OutOfTurn { given: u32, due: u32 },
    #[error(transparent)]
    Space(#[from] CannotExpress),
    #[error("the store failed: {message}")]
    Failed { message: String },
    #[error("the store has failed and accepts no more records")]
    Stopped,
    #[error("cannot use {}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

fn by(pid: Option<u32>, host: Option<&str>) -> String {
    match (pid, host) {
        (Some(pid), Some(host)) => format!(" by process {pid} on {host}"),
        _ => String::new(),
    }
}

/// Disk space in bytes that a store needs to continue for a while.
const ROOM: usize = 1 << 20;

/// Returns whether a store's folder has no disk space left. The test writes a file, because the number of
/// free blocks does not account for quotas.
fn has_no_room(store: &Path) -> bool {
    let (mut file, path) = match create_beside(store) {
        Ok(created) => created,
        Err(error) => return is_no_room(&error),
    };
    let tried = file.write_all(&vec![0; ROOM]).and_then(|()| file.sync_all());
    // The file was only a test. It does no harm if it cannot be removed.
    let _ = std::fs::remove_file(path);
    tried.is_err_and(|error| is_no_room(&error))
}

fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl StoreError {
    /// Converts a SQLite error about a file to a more specific error, if possible.
    pub(super) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
        };
        let path = path.to_owned();
        if let FromSqlConversionFailure(..)
        | IntegralValueOutOfRange(..)
        | InvalidColumnType(..)
        | Utf8Error(..) = source
        {
            return Self::Damaged { path, what: source.to_string() };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotAStore { path, what: "it is not a SQLite database" },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, what: source.to_string() },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            // SQLite reports these errors if it has no room to create a journal or an index.
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) if has_no_room(&path) => {
                Self::Full { path }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            _ => Self::Sqlite { path, source },
        }
    }

    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }

    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { action, path, source }
    }
}
