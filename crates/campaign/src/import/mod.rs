//! What others have left behind: scenarios of other configurators become drafts of ours, and their
//! runs become trials.
//!
//! [`runs`] reads runs, [`scenarios`] finds and reads scenarios. Whatever has no counterpart here is
//! listed in the draft, never dropped in silence.

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

/// Why others' files cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ImportError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not UTF-8", path.display())]
    NotText { path: PathBuf },
    #[error("{} has no runs: neither campaign.sqlite nor runhistory.json is in it", path.display())]
    NoRuns { path: PathBuf },
    #[error("{} is not as it should be: {what}", path.display())]
    Shape { path: PathBuf, what: String },
    #[error("{} is of no configurator that is known here", path.display())]
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

/// A value as Python prints it: its words for truth and nothing, the text itself, or else JSON.
fn python_word(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(true) => "True".to_owned(),
        serde_json::Value::Bool(false) => "False".to_owned(),
        serde_json::Value::Null => "None".to_owned(),
        other => other.to_string(),
    }
}
