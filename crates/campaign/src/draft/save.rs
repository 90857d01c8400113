//! Putting a draft on disk without harm to what is there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Draft;

/// What became of a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// It is a new file, or has replaced another.
    Written,
    /// The same text was there already.
    Same,
}

/// Why a draft is not on disk.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SaveError {
    #[error("{} exists and says something else", path.display())]
    Differs { path: PathBuf },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Draft {
    /// Writes the scenario to `path` and its files beside it: all of them, or none if one would
    /// replace a file that says something else, unless that is wanted.
    pub fn save(&self, path: &Path, replace: bool) -> Result<Saved, SaveError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut texts: Vec<(PathBuf, &str)> =
            self.files.iter().map(|(name, text)| (folder.join(name), text.as_str())).collect();
        let own = self.to_toml();
        texts.push((path.to_owned(), &own));
        let mut saved = Saved::Same;
        let mut differing = Vec::new();
        for (path, text) in &texts {
            match fs::read(path) {
                Ok(there) if there == text.as_bytes() => {}
                Ok(_) if !replace => return Err(SaveError::Differs { path: path.clone() }),
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SaveError::Read { path: path.clone(), source: error });
                }
                _ => differing.push((path, text)),
            }
        }
        for (path, text) in differing {
            let failed = |source| SaveError::Write { path: path.clone(), source };
            fs::write(path, text).map_err(failed)?;
            saved = Saved::Written;
        }
        Ok(saved)
    }
}
