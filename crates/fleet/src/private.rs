//! Files and folders that only their owner may read, because they hold passwords.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Reason why a private file cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum PrivateError {
    #[error("cannot {verb} {}", path.display())]
    File { verb: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "other users may read {} (mode {mode:o}), so its password may be known; `chmod 600` protects it",
        path.display()
    )]
    Open { path: PathBuf, mode: u32 },
}

/// Creates a folder that only this user may enter.
pub fn private_folder(folder: &Path) -> Result<(), PrivateError> {
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|source| PrivateError::File { verb: "create", path: folder.to_owned(), source })
}

/// Writes a file that only this user may read. A reader sees the old text or the new one, never a part.
pub(crate) fn write_private(path: &Path, text: &[u8]) -> Result<(), PrivateError> {
    let failed = |source| PrivateError::File { verb: "write", path: path.to_owned(), source };
    let new = path.with_extension("new");
    // A file that was left behind could have other permissions.
    let _ = fs::remove_file(&new);
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new);
    file.and_then(|mut file| file.write_all(text)).map_err(failed)?;
    fs::rename(&new, path).map_err(failed)
}

/// Reads a file that nobody else may read; returns `None` if it does not exist.
pub(crate) fn read_private(path: &Path) -> Result<Option<String>, PrivateError> {
    let failed = |source| PrivateError::File { verb: "read", path: path.to_owned(), source };
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(failed)?,
    };
    let mode = fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(PrivateError::Open { path: path.to_owned(), mode });
    }
    Ok(Some(text))
}
