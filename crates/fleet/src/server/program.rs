//! Finds the program `nats-server`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nats::OLDEST_SERVER;

/// Name of the program.
const NAME: &str = "nats-server";

/// Reason why no server can be started.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum ProgramError {
    #[error(
        "nats-server is neither beside captune nor in PATH; `pip install 'captune[fleet]'` installs it, and \
         `--nats PATH` names it"
    )]
    Missing,
    #[error("cannot run {}", path.display())]
    Run { path: PathBuf, source: std::io::Error },
    #[error(
        "{} has version `{version}`; captune needs nats-server {}.{} or newer",
        path.display(), OLDEST_SERVER.0, OLDEST_SERVER.1
    )]
    Old { path: PathBuf, version: String },
}

/// Returns the path of a server that is new enough: the given one, the one beside this program, or the one in
/// PATH.
pub fn find(given: Option<&Path>) -> Result<PathBuf, ProgramError> {
    let beside = || {
        let own = std::env::current_exe().ok()?;
        Some(own.parent()?.join(NAME)).filter(|path| path.exists())
    };
    let in_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(NAME)).find(|path| path.is_file())
    };
    let path = given.map(Path::to_owned).or_else(beside).or_else(in_path).ok_or(ProgramError::Missing)?;
    let output = Command::new(&path).arg("--version").output();
    let output = output.map_err(|source| ProgramError::Run { path: path.clone(), source })?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let number = said.rsplit(['v', ' ']).next().unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version < OLDEST_SERVER {
        return Err(ProgramError::Old { path, version: said });
    }
    Ok(path)
}
