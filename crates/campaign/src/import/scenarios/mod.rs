//! Scenarios of other configurators, as drafts of ours.
//!
//! | a folder or file with | is of |
//! |---|---|
//! | `scenario.json` and `configspace.json` | SMAC3, version 2 |
//! | `scenario.txt` that names an `algo` | ParamILS, SMAC 1 and 2, SMAC3 before version 2 |
//! | `scenario.txt` of R, or `parameters.txt` and `target-runner` | irace |
//! | an SQLite file with the table `studies` | Optuna |

mod assignments;
mod irace;
mod optuna;
mod paths;
mod smac;
mod smac3;

use std::fs;
use std::path::{Path, PathBuf};

use scenario::draft::Draft;

use super::ImportError;
use paths::Paths;

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

/// Reads what a path leads to, for a scenario that will be written into `folder`.
pub fn read(path: &Path, folder: &Path) -> Result<Found, ImportError> {
    let paths = Paths::new(path, folder)?;
    let (origin, file) = recognise(path)?;
    match origin {
        Origin::Smac => smac::read(&file, &paths),
        Origin::Smac3 => smac3::read(&file, &paths),
        Origin::Irace => irace::read(&file, &paths),
        Origin::Optuna => optuna::read(&file, &paths),
    }
}

/// Whose it is, and the file or folder to begin with.
fn recognise(path: &Path) -> Result<(Origin, PathBuf), ImportError> {
    if path.is_dir() {
        if path.join("scenario.json").is_file() {
            return Ok((Origin::Smac3, path.to_owned()));
        }
        let scenario = path.join("scenario.txt");
        if scenario.is_file() {
            return recognise(&scenario);
        }
        if path.join("parameters.txt").is_file() {
            return Ok((Origin::Irace, path.to_owned()));
        }
        return Err(ImportError::Unknown { path: path.to_owned() });
    }
    let bytes = fs::read(path).map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Ok((Origin::Optuna, path.to_owned()));
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    if path.file_name().is_some_and(|name| name == "scenario.json") {
        return Ok((Origin::Smac3, folder));
    }
    let text = String::from_utf8_lossy(&bytes);
    let keys: Vec<String> =
        assignments::read(&text).assigned.into_iter().map(|line| assignments::plain(&line.key)).collect();
    let has = |names: &[&str]| names.iter().any(|name| keys.iter().any(|key| key == name));
    if has(smac::ALGO) || has(smac::SPACE) {
        return Ok((Origin::Smac, path.to_owned()));
    }
    let is_of_irace =
        has(&["targetrunner", "maxexperiments", "maxtime", "parameterfile", "traininstancesdir"]);
    if is_of_irace || folder.join("parameters.txt").is_file() {
        return Ok((Origin::Irace, path.to_owned()));
    }
    Err(ImportError::Unknown { path: path.to_owned() })
}
