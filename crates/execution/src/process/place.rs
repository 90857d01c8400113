//! The place where one trial runs: its slot, its folder and files, and the environment variables of its
//! commands.

use std::path::{Path, PathBuf};
use std::{fs, io};

use engine::{Configuration, TrialId};
use scenario::{ConfigFile, Piece, Scenario, Workdir};

use super::Slot;
use crate::GPUS;

/// Variables that set how many threads libraries start.
pub const THREADS: [&str; 9] = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "JULIA_NUM_THREADS",
];

/// The place where one trial runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Number of the slot, from 0.
    pub slot: usize,
    /// Number of the trial.
    pub trial: TrialId,
    /// The folder in which its commands run.
    pub workdir: PathBuf,
    /// Path of the file for its configuration.
    pub config_file: PathBuf,
    /// Path of the file for its standard output.
    pub stdout: PathBuf,
    /// Path of the file for its standard input.
    pub request: PathBuf,
    /// Variables for its commands, except those that the scenario itself sets or passes on.
    variables: Vec<(&'static str, String)>,
}

impl Place {
    /// Creates the place for a trial. `private` is the trial's own folder.
    pub(super) fn new(scenario: &Scenario, private: &Path, trial: TrialId, slot: &Slot) -> Self {
        let target = &scenario.target;
        let cores = scenario.parallel.cores_per_trial.to_string();
        let mut variables: Vec<(&str, String)> = THREADS.iter().map(|&name| (name, cores.clone())).collect();
        if !slot.gpus.is_empty() {
            variables.push((GPUS, slot.gpus.join(",")));
        }
        variables.retain(|(name, _)| !is_given(scenario, name));
        Self {
            slot: slot.number,
            trial,
            workdir: match &target.workdir {
                Workdir::Private => private.to_owned(),
                Workdir::Shared(folder) => folder.clone(),
            },
            config_file: private.join(target.config_file.as_ref().map_or("config", ConfigFile::name)),
            stdout: private.join("stdout"),
            request: private.join("request.json"),
            variables,
        }
    }

    /// Writes the configuration file, if the scenario asks for one.
    pub(super) fn write_config(&self, scenario: &Scenario, configuration: &Configuration) -> io::Result<()> {
        match &scenario.target.config_file {
            None => Ok(()),
            Some(form) => fs::write(&self.config_file, form.content(&scenario.space, configuration)),
        }
    }

    /// Returns whether a command in the scenario needs the target's standard output as a file.
    pub(super) fn wants_stdout(scenario: &Scenario) -> bool {
        scenario.target.commands().any(|command| command.mentions(&Piece::Stdout))
    }

    /// Sets the folder and the variables for one of the trial's commands.
    pub(super) fn prepare(&self, mut command: confine::Command) -> confine::Command {
        for (name, value) in &self.variables {
            command = command.env(name, value);
        }
        command.folder(confine::Folder::Given(self.workdir.clone()))
    }
}

/// Returns whether the scenario sets a variable or passes on captune's own value.
fn is_given(scenario: &Scenario, name: &str) -> bool {
    let target = &scenario.target;
    let passed = confine::environment::passes(&target.pass_env, name) && std::env::var_os(name).is_some();
    target.env.contains_key(name) || passed
}
