//! Why a campaign cannot be looked at.

use std::path::PathBuf;

use campaign::folds::FoldsError;
use engine::ConfigId;
use space::Diagnostics;
use store::StoreError;

/// Why a campaign cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ViewError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Folds(#[from] FoldsError),
    #[error("{} has {count} folds, each a campaign of its own", folder.display())]
    Several { folder: PathBuf, count: usize },
    /// The stored scenario no longer reads.
    #[error("{0}")]
    Scenario(Diagnostics),
    #[error("the file with the space has changed since the campaign last ran")]
    OtherSpace { folder: PathBuf },
    #[error("configuration {0} is missing in the store")]
    NoConfiguration(ConfigId),
}
