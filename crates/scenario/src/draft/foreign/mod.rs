//! Converts plain-text scenarios from other configurators to drafts.
//!
//! | a folder or file with | belongs to |
//! |---|---|
//! | `scenario.txt` that names an `algo` | ParamILS, SMAC 1 and 2, SMAC3 before version 2 |
//! | `scenario.txt` in R syntax, or `parameters.txt` and `target-runner` | irace |

mod assignments;
mod irace;
mod paths;
mod smac;

pub use paths::Paths;

use std::path::{Path, PathBuf};
use std::{fs, io};

use space::Diagnostics;
use space::format::CannotExpress;

use super::Draft;

/// A configurator other than captune.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// ParamILS, SMAC 1 and 2, and SMAC3 before version 2, which share a format.
    Smac,
    /// SMAC3 from version 2 on.
    Smac3,
    /// irace.
    Irace,
    /// Optuna.
    Optuna,
}

impl Origin {
    /// Returns the configurator's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smac => "SMAC",
            Self::Smac3 => "SMAC3",
            Self::Irace => "irace",
            Self::Optuna => "Optuna",
        }
    }
}

/// A converted scenario.
#[derive(Clone, Debug)]
pub struct Found {
    /// The configurator that it came from.
    pub origin: Origin,
    /// The converted scenario.
    pub draft: Draft,
    /// File with runs that can be imported, if there is one.
    pub runs: Option<PathBuf>,
}

/// The reason why captune cannot use the files of another configurator.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain them")]
pub enum ForeignError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not UTF-8", path.display())]
    NotText { path: PathBuf },
    #[error("{0}")]
    Space(Diagnostics),
    #[error(transparent)]
    Express(CannotExpress),
}

/// Reads a SMAC scenario from a file.
pub fn of_smac(file: &Path, paths: &Paths) -> Result<Found, ForeignError> {
    smac::read(file, paths)
}

/// Reads an irace scenario from a file, or from a folder that has no scenario file.
pub fn of_irace(path: &Path, paths: &Paths) -> Result<Found, ForeignError> {
    irace::read(path, paths)
}

/// Returns the configurator that a scenario text belongs to, judging by the keys that the text assigns.
pub fn origin_of(text: &str) -> Option<Origin> {
    let keys: Vec<String> =
        assignments::read(text).assigned.into_iter().map(|line| assignments::plain(&line.key)).collect();
    let has = |names: &[&str]| names.iter().any(|name| keys.iter().any(|key| key == name));
    if has(smac::ALGO) || has(smac::SPACE) {
        return Some(Origin::Smac);
    }
    has(&["targetrunner", "maxexperiments", "maxtime", "parameterfile", "traininstancesdir"])
        .then_some(Origin::Irace)
}

/// Reads the text of a file.
pub fn text_of(path: &Path) -> Result<String, ForeignError> {
    let bytes = fs::read(path).map_err(|source| ForeignError::Read { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|_| ForeignError::NotText { path: path.to_owned() })
}
