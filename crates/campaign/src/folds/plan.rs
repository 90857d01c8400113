//! The file that records which instance is in which fold.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use scenario::whole_file;

/// Name of the file, which is in the same folder as the folds' own folders.
const NAME: &str = "folds.json";

/// The data that all folds in a folder share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoldPlan {
    /// The name that all campaigns share.
    pub name: String,
    /// The scenario's text.
    pub scenario: String,
    /// The folder that paths in the scenario are relative to.
    pub folder: String,
    /// The seed from which the folds' seeds are drawn, if it differs from the scenario's.
    pub seed: Option<u64>,
    /// The names of the instances in each fold. An instance never moves to another fold.
    pub folds: Vec<Vec<String>>,
}

/// Reason why the fold plan cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum FoldsError {
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{} is damaged: restore it, or start a new campaign in another folder", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
}

/// Returns the folder of a fold. Fold numbers start at 1.
pub fn fold_folder(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("fold-{number}"))
}

impl FoldPlan {
    /// Reads the plan in a folder; returns `None` if the folder has no folds.
    pub fn read(folder: &Path) -> Result<Option<Self>, FoldsError> {
        let path = folder.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(source) => return Err(FoldsError::File { action: "read", path, source }),
        };
        serde_json::from_str(&text).map(Some).map_err(|source| FoldsError::Damaged { path, source })
    }

    /// Writes the plan atomically.
    pub fn write(&self, folder: &Path) -> Result<(), FoldsError> {
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| FoldsError::Damaged { path: path.clone(), source })?;
        let written = || {
            fs::create_dir_all(folder)?;
            whole_file::write(&path, |out| out.write_all(text.as_bytes()))
        };
        written().map_err(|source| FoldsError::File { action: "write", path: path.clone(), source })
    }
}
