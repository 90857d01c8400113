//! Scenarios of other configurators that are plain text, as drafts of ours.
//!
//! | a folder or file with | is of |
//! |---|---|
//! | `scenario.txt` that names an `algo` | ParamILS, SMAC 1 and 2, SMAC3 before version 2 |
//! | `scenario.txt` of R, or `parameters.txt` and `target-runner` | irace |

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

/// Another configurator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// ParamILS, SMAC 1 and 2, SMAC3 before version 2: they share a form.
    Smac,
    /// SMAC3 from version 2 on.
    Smac3,
    /// irace.
    Irace,
    /// Optuna.
    Optuna,
}

impl Origin {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smac => "SMAC",
            Self::Smac3 => "SMAC3",
            Self::Irace => "irace",
            Self::Optuna => "Optuna",
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Whose it was.
    pub origin: Origin,
    /// Our scenario.
    pub draft: Draft,
    /// Where there are runs to import.
    pub runs: Option<PathBuf>,
}

/// Why others' files cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
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

/// Reads a scenario of SMAC that is in a file.
pub fn of_smac(file: &Path, paths: &Paths) -> Result<Found, ForeignError> {
    smac::read(file, paths)
}

/// Reads a scenario of irace that is in a file, or in a folder without one.
pub fn of_irace(path: &Path, paths: &Paths) -> Result<Found, ForeignError> {
    irace::read(path, paths)
}

/// Whose a file with such a text is, by the keys that it assigns.
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

/// The text of a file.
pub fn text_of(path: &Path) -> Result<String, ForeignError> {
    let bytes = fs::read(path).map_err(|source| ForeignError::Read { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|_| ForeignError::NotText { path: path.to_owned() })
}
