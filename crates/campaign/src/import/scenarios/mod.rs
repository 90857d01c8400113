//! Converts scenarios from other configurators to drafts of captune scenarios.
//!
//! | a folder or file with | belongs to |
//! |---|---|
//! | `scenario.json` and `configspace.json` | SMAC3, version 2 |
//! | `scenario.txt` that names an `algo` | ParamILS, SMAC 1 and 2, SMAC3 before version 2 |
//! | `scenario.txt` with irace options such as `targetRunner`, or `parameters.txt` | irace |
//! | an SQLite file with the table `studies` | Optuna |

mod optuna;
mod smac3;

pub use scenario::draft::foreign::{Found, Origin};

use std::fs;
use std::path::{Path, PathBuf};

use scenario::draft::foreign::{Paths, of_irace, of_smac, origin_of};

use super::ImportError;

/// Reads the scenario at a path, for a draft that will be written into `folder`.
pub fn read(path: &Path, folder: &Path) -> Result<Found, ImportError> {
    let paths = Paths::new(path, folder)?;
    let (origin, file) = recognise(path)?;
    match origin {
        Origin::Smac => Ok(of_smac(&file, &paths)?),
        Origin::Smac3 => smac3::read(&file, &paths),
        Origin::Irace => Ok(of_irace(&file, &paths)?),
        Origin::Optuna => optuna::read(&file, &paths),
    }
}

/// Recognises the configurator. Returns it together with the file or folder to read.
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
    match origin_of(&String::from_utf8_lossy(&bytes)) {
        Some(origin) => Ok((origin, path.to_owned())),
        None if folder.join("parameters.txt").is_file() => Ok((Origin::Irace, path.to_owned())),
        None => Err(ImportError::Unknown { path: path.to_owned() }),
    }
}
