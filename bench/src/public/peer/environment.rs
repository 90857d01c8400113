//! The environment in which a peer is installed: a folder of virtual environments (created by
//! `bench/peers/setup`), or R for irace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

/// A peer of the comparison.
pub(crate) struct Environment {
    pub(crate) name: &'static str,
    /// Virtual environment in the folder of environments; `None` for any Python.
    folder: Option<&'static str>,
    /// Package whose version is the peer's version.
    version: Version,
    /// Budgets in trials.
    pub(crate) budgets: &'static [u64],
}

enum Version {
    /// Version of a Python package.
    Python(&'static str),
    /// Version of an R package.
    R(&'static str),
}

/// Budgets of peers that fit a model to all trials; with larger budgets, they would take too long.
const WITH_MODELS: &[u64] = &[100, 400];
const RACES: &[u64] = &[100, 400, 1500];

const fn python(
    name: &'static str,
    folder: &'static str,
    package: &'static str,
    budgets: &'static [u64],
) -> Environment {
    Environment { name, folder: Some(folder), version: Version::Python(package), budgets }
}

/// All peers, in the order used in tables.
pub(crate) const PEERS: [Environment; 6] = [
    python("smac3", "smac3", "smac", WITH_MODELS),
    python("smac1", "smac1", "smac", WITH_MODELS),
    Environment { name: "irace", folder: None, version: Version::R("irace"), budgets: RACES },
    python("crace", "crace", "crace", RACES),
    python("optuna-tpe", "optuna", "optuna", WITH_MODELS),
    python("optuna-gp", "optuna", "optuna", WITH_MODELS),
];

/// BoTorch is not part of the public comparison: it handles neither conditions nor instances.
pub(crate) const BOTORCH: Environment = python("botorch", "botorch", "botorch", WITH_MODELS);

/// Interpreter and version of an installed peer.
pub(crate) struct Installed {
    pub(crate) python: PathBuf,
    pub(crate) version: String,
}

impl Environment {
    /// Finds the peer in a folder of environments.
    pub(crate) fn find(&self, environments: &Path) -> Result<Installed> {
        let python = match self.folder {
            Some(folder) => environments.join(folder).join("bin/python"),
            None => PathBuf::from("python3"),
        };
        let mut command = match self.version {
            Version::Python(package) => {
                let mut command = Command::new(&python);
                command
                    .args(["-c", &format!("import importlib.metadata as m; print(m.version('{package}'))")]);
                command
            }
            Version::R(package) => {
                let mut command = Command::new("Rscript");
                command.args(["-e", &format!("cat(as.character(packageVersion('{package}')))")]);
                command
            }
        };
        let program = command.get_program().to_string_lossy().into_owned();
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => bail!("could not start {program}: {error}"),
        };
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if !output.status.success() || version.is_empty() {
            bail!("{program} did not print its version: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(Installed { python, version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_a_missing_environment() {
        let why = PEERS[0].find(Path::new("/no/such/folder")).map(|it| it.version).unwrap_err().to_string();
        assert!(why.contains("could not start /no/such/folder/smac3/bin/python"), "{why}");
    }

    #[test]
    fn the_version_is_what_the_interpreter_prints() {
        let folder = std::env::temp_dir().join(format!("captune-environment-{}", std::process::id()));
        let bin = folder.join("crace/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink("/bin/echo", bin.join("python")).unwrap();
        let found = PEERS[3].find(&folder).unwrap();
        assert_eq!(found.python, bin.join("python"));
        assert!(found.version.ends_with("print(m.version('crace'))"), "{}", found.version);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
