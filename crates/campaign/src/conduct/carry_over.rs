//! Re-uses the trials of an earlier campaign in a new one.
//!
//! A trial is re-used if the new scenario would run the same command: the configuration must have the same
//! active parameters with the same values in the new space. If a parameter was added, removed or renamed, the
//! target's behaviour without it is unknown, so the trial is not re-used. A trial that timed out at a smaller
//! earlier cutoff becomes a lower bound. Each constraint uses the readings for the earlier constraint on the
//! same output.

use std::collections::{BTreeMap, HashMap};

use engine::history::{History, Trial};
use engine::{
    ConfigId, Configuration, InstanceId, Observation, Pair, Reading, Space, Status, TrialId, TrialKey,
};
use execution::{Detail, Record};
use scenario::Instance;
use space::ConfigurationError;

use crate::Settings;
use crate::import::runs::Outputs;
use store::{Batch, Loaded, StoredConfiguration};

/// Reasons why trials of an earlier campaign are not re-used, with the number of trials for each.
pub type NotReused = BTreeMap<String, usize>;

/// The trials that a new campaign takes from an earlier one.
pub(super) struct CarriedOver {
    pub(super) history: History,
    /// The outputs of each trial. Times and memory are not kept: they count as spent by the earlier campaign.
    pub(super) outputs: Vec<Outputs>,
    pub(super) not_reused: NotReused,
}

/// Returns the trials that a new campaign takes from an earlier one, whose trials had these outputs. The search starts
/// from the beginning, and the earlier incumbent is among the first configurations to race. For each constraint, `kept`
/// contains the index of its readings in the earlier campaign; `None` if there are none.
pub(super) fn carry_over(
    loaded: &Loaded,
    outputs: Vec<Outputs>,
    settings: &Settings,
    instances: &[Instance],
    kept: &[Option<usize>],
) -> CarriedOver {
    let mut history = History::new();
    history.intern(&settings.problem.default);
    let places: HashMap<&str, u32> = instances.iter().map(|one| one.name.as_str()).zip(0..).collect();
    let number = |old: InstanceId| {
        let name = loaded.charter.instances.get(old.index())?;
        places.get(name.as_str()).copied().map(InstanceId)
    };
    let mut not_reused = NotReused::new();
    let mut translated: HashMap<ConfigId, Result<ConfigId, String>> = HashMap::new();
    let mut kept_outputs = Vec::new();
    let informative = |(trial, _): &(&Trial, _)| !trial.observation.status().is_uninformative();
    for (trial, outputs) in loaded.history.trials().iter().zip(outputs).filter(informative) {
        let config = translated.entry(trial.key.config).or_insert_with(|| {
            let configuration = loaded.history.configuration(trial.key.config);
            Ok(history.intern(&translate(configuration, &settings.problem.space)?))
        });
        let place =
            number(trial.key.pair.instance).ok_or_else(|| "their instance no longer exists".to_owned());
        let (config, instance) = match config.clone().and_then(|config| Ok((config, place?))) {
            Ok(both) => both,
            Err(why) => {
                *not_reused.entry(why).or_default() += 1;
                continue;
            }
        };
        let pair = Pair { instance, ..trial.key.pair };
        let id = TrialId(history.trials().len() as u64);
        let observation = at_cutoff(&trial.observation, settings.problem.objective.cutoff);
        let readings = observation.constraints();
        let readings: Vec<_> = kept.iter().map(|&place| readings.get(place?).copied().flatten()).collect();
        let observation = observation.with_constraints(readings);
        history.push(Trial { id, key: TrialKey { config, pair }, observation, ..trial.clone() });
        kept_outputs.push(outputs);
    }
    CarriedOver { history, outputs: kept_outputs, not_reused }
}

/// Returns a history and the outputs of its trials as a batch for a new store. The first `earlier` trials come from an
/// earlier campaign; the others were imported from `source`.
pub(super) fn stored_history(
    history: &History,
    outputs: Vec<Outputs>,
    earlier: usize,
    source: &str,
) -> Batch {
    let configurations = history.configurations().iter().enumerate().map(|(number, configuration)| {
        let is_default = *configuration == configuration.space().default_configuration();
        let origin = match number {
            _ if is_default => "default",
            0 => "baseline",
            _ => "earlier",
        };
        let origin = origin.to_owned();
        StoredConfiguration { id: ConfigId(number as u32), origin, configuration: configuration.clone() }
    });
    let trials = history.trials().iter().zip(outputs).enumerate().map(|(row, (trial, outputs))| {
        let reason = match row < earlier {
            true => "from an earlier campaign".to_owned(),
            false => format!("imported from {source}"),
        };
        let detail = Detail { reason: Some(reason), outputs, ..Detail::default() };
        Record { trial: trial.clone(), detail, started: 0.0, ended: 0.0, slot: 0 }
    });
    Batch { configurations: configurations.collect(), trials: trials.collect(), ..Batch::default() }
}

/// Returns the same configuration in the new space, or the reason why there is none.
fn translate(configuration: &Configuration, space: &Space) -> Result<Configuration, String> {
    space.configuration(configuration.iter()).map_err(|error| match error {
        ConfigurationError::Unknown { name, .. } => {
            format!("they were run with `{name}`, which no longer exists")
        }
        ConfigurationError::Missing(name) => format!("they were run without `{name}`"),
        ConfigurationError::NotActive(name) => {
            format!("they were run with `{name}`, which is now inactive")
        }
        other => other.to_string(),
    })
}

/// Returns the observation under a new cutoff. A timeout at a smaller cutoff becomes a capped trial.
fn at_cutoff(observation: &Observation, cutoff: Option<f64>) -> Observation {
    match (observation.status(), observation.cost(), cutoff) {
        (Status::Timeout, Some(Reading::AtLeast(at)), Some(cutoff)) if at < cutoff => Observation::capped(at)
            .with_constraints(observation.constraints().to_vec())
            .with_tie(observation.tie()),
        _ => observation.clone(),
    }
}
