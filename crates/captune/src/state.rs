//! Saving a tuner and continuing from what was saved.
//!
//! The format is MessagePack with field names, so later versions can add fields. It contains the space as
//! text, the codes of every configuration, every trial as it was reported, and the state of the races.

use engine::history::{History, Trial};
use engine::problem::{Problem, Side};
use engine::racing::Snapshot;
use engine::{ConfigId, SettingError};
use serde::{Deserialize, Serialize};
use space::format::{Format, read, write};

use crate::builder::TunerBuilder;
use crate::outcome::Rules;
use crate::tuner::Tuner;

/// Number of the format.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct State {
    format: u32,
    space: String,
    instances: u32,
    /// The settings that decide what stored costs and outputs mean, and the seed: names and values.
    settings: Vec<(String, String)>,
    configurations: Vec<Vec<f64>>,
    trials: Vec<Trial>,
    snapshot: Snapshot,
}

/// Reason why a tuner cannot be saved.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the state of the tuner: {0}")]
pub struct SaveError(#[from] rmp_serde::encode::Error);

/// Reason why a tuner cannot continue from what was saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A setting is invalid.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The bytes are not a saved state.
    #[error("cannot read the saved state: {0}")]
    Read(#[from] rmp_serde::decode::Error),
    /// A later version saved the state.
    #[error("a later version of captune saved the state, in format {0}")]
    Later(u32),
    /// The state was saved with another setting.
    #[error("the state was saved with another `{0}`; build the tuner with the same settings")]
    Other(&'static str),
    /// The state was saved with another value of a setting.
    #[error(
        "the state was saved with `{setting}` = {saved}, but this tuner has {given}; build it with the same settings"
    )]
    Differs {
        /// Name of the setting.
        setting: &'static str,
        /// Its value in the saved tuner.
        saved: String,
        /// Its value in this one.
        given: String,
    },
    /// Parts of the state contradict each other.
    #[error("the saved state is damaged: {0}")]
    Damaged(&'static str),
}

impl Tuner {
    /// Returns the whole state of the tuner as bytes. [`TunerBuilder::load`] continues from them, with the
    /// same requests as if the tuner had never stopped. Trials that are running now will be
    /// [running](Tuner::running) then; run them again or withdraw them.
    pub fn save(&self) -> Result<Vec<u8>, SaveError> {
        let history = self.history();
        let mut trials = history.trials().to_vec();
        for (trial, reported) in trials.iter_mut().zip(&self.reported) {
            trial.observation = trial.observation.clone().with_constraints(reported.clone());
        }
        let state = State {
            format: FORMAT,
            space: space_text(self.space()),
            instances: self.problem.instances,
            settings: settings(&self.problem, &self.rules)
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
            configurations: history.configurations().iter().map(|one| one.codes().to_vec()).collect(),
            trials,
            snapshot: self.optimizer.snapshot(),
        };
        Ok(rmp_serde::to_vec_named(&state)?)
    }
}

impl TunerBuilder {
    /// Creates a tuner that continues from a [saved state](Tuner::save). The settings must be those of the
    /// saved tuner. A different space, number of instances, baseline, objective, cutoff, bound or seed is an
    /// error that names the setting.
    pub fn load(&self, bytes: &[u8]) -> Result<Tuner, LoadError> {
        let FormatOnly { format } = rmp_serde::from_slice(bytes)?;
        if format > FORMAT {
            return Err(LoadError::Later(format));
        }
        let state: State = rmp_serde::from_slice(bytes)?;
        let problem = self.problem()?;
        if read(&state.space, "saved", Format::Toml).ok().as_ref() != Some(&problem.space) {
            return Err(LoadError::Other("space"));
        }
        if state.instances != problem.instances {
            return Err(LoadError::Other("instances"));
        }
        let rules = self.rules();
        for (setting, given) in settings(&problem, &rules) {
            match state.settings.iter().find(|(name, _)| name == setting) {
                Some((_, saved)) if *saved == given => {}
                Some((_, saved)) => return Err(LoadError::Differs { setting, saved: saved.clone(), given }),
                None => return Err(LoadError::Damaged("a setting is missing")),
            }
        }
        let mut history = History::new();
        for codes in state.configurations {
            let configuration = problem.space.configuration_of_codes(codes);
            history.intern(&configuration.map_err(|_| LoadError::Damaged("a configuration is invalid"))?);
        }
        if history.configurations().first() != Some(&problem.default) {
            return Err(LoadError::Other("baseline"));
        }
        let count = history.configurations().len();
        let is_known = |config: ConfigId| config.index() < count;
        let outputs = rules.bounds.len();
        let pending = state.snapshot.pending.iter().map(|trial| trial.key);
        for key in state.trials.iter().map(|trial| trial.key).chain(pending) {
            if !is_known(key.config) || key.pair.instance.0 >= problem.instances {
                return Err(LoadError::Damaged("a trial has an unknown configuration or instance"));
            }
        }
        if !is_known(state.snapshot.incumbent()) {
            return Err(LoadError::Damaged("the best configuration is unknown"));
        }
        if state.trials.iter().any(|trial| trial.observation.constraints().len() != outputs) {
            return Err(LoadError::Damaged("a trial has too many or too few outputs"));
        }
        let relative = problem.objective.needs_baseline();
        let reported = state
            .trials
            .iter()
            .filter(|_| relative)
            .map(|one| one.observation.constraints().into())
            .collect();
        state.trials.into_iter().for_each(|trial| history.push(trial));
        Ok(Tuner { reported, ..self.resumed(history, Some(state.snapshot))? })
    }
}

/// The first field, which every format has.
#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

/// Returns the names and values of the settings that must not change.
fn settings(problem: &Problem, rules: &Rules) -> [(&'static str, String); 6] {
    let bounds = rules.bounds.iter().map(|(name, bound)| format!("{name} {bound}"));
    let bounds: Vec<String> = bounds.collect();
    let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    [
        ("seed", problem.seed.to_string()),
        ("objective", if rules.sense == Side::AtMost { "minimise" } else { "maximise" }.to_owned()),
        ("cutoff", or_none(problem.objective.cutoff.map_or(String::new(), |cutoff| cutoff.to_string()))),
        ("par", problem.objective.par.to_string()),
        ("grain", problem.objective.grain.to_string()),
        ("constraint", or_none(bounds.join(", "))),
    ]
}

fn space_text(space: &space::Space) -> String {
    // captune's own format expresses every space.
    write(space, Format::Toml).unwrap_or_default()
}
