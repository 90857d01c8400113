//! Errors that can occur when a campaign is viewed.

use std::path::PathBuf;

use campaign::folds::FoldsError;
use engine::ConfigId;
use space::Diagnostics;
use store::StoreError;

/// Reason why a campaign cannot be viewed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum ViewError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Folds(#[from] FoldsError),
    #[error("{} has {count} folds, each a separate campaign", folder.display())]
    Several { folder: PathBuf, count: usize },
    /// The stored scenario can no longer be read.
    #[error("{0}")]
    Scenario(Diagnostics),
    #[error("the space file has changed since the campaign last ran")]
    OtherSpace { folder: PathBuf },
    #[error("configuration {0} is missing from the store")]
    NoConfiguration(ConfigId),
}
