//! Imports from other configurators: their scenarios become drafts of captune scenarios, and their runs
//! become trials.
//!
//! [`runs`] reads runs; [`scenarios`] finds and reads scenarios. The draft lists everything that has no
//! counterpart in captune, so nothing is dropped silently.

mod json;
pub mod runs;
pub mod scenarios;
mod study;

use std::io;
use std::path::PathBuf;

use scenario::draft::foreign::ForeignError;
use space::Diagnostics;
use space::format::CannotExpress;

use store::StoreError;

/// Reason why captune cannot use the files of another configurator.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum ImportError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not UTF-8", path.display())]
    NotText { path: PathBuf },
    #[error("{} has no runs: it contains neither campaign.sqlite nor runhistory.json", path.display())]
    NoRuns { path: PathBuf },
    #[error("{} is not in the expected format: {what}", path.display())]
    Shape { path: PathBuf, what: String },
    #[error("{} is not a scenario of a configurator that captune knows", path.display())]
    Unknown { path: PathBuf },
    #[error("{0}")]
    Table(Diagnostics),
    #[error("{0}")]
    Space(Diagnostics),
    #[error(transparent)]
    Express(CannotExpress),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ForeignError> for ImportError {
    fn from(error: ForeignError) -> Self {
        match error {
            ForeignError::Read { path, source } => Self::Read { path, source },
            ForeignError::NotText { path } => Self::NotText { path },
            ForeignError::Space(mistakes) => Self::Space(mistakes),
            ForeignError::Express(cannot) => Self::Express(cannot),
        }
    }
}

/// Formats a value as Python prints it: `True`, `False`, `None`, strings without quotes, and everything else
/// as JSON.
fn python_word(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(true) => "True".to_owned(),
        serde_json::Value::Bool(false) => "False".to_owned(),
        serde_json::Value::Null => "None".to_owned(),
        other => other.to_string(),
    }
}
