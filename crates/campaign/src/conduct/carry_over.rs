//! Trials of an earlier campaign in a new one.
//!
//! A configuration is carried over if it is one of the new space: parameters that are gone are left
//! out, new ones take their default. A trial that reached the earlier, smaller cutoff says only "at
//! least that" now. Of the constraints, each takes the readings of the one that bounded the same.

use engine::history::{History, Trial};
use engine::{Configuration, InstanceId, Observation, Pair, Reading, Status, TrialId, TrialKey};

use crate::Settings;
use crate::resume::Resumed;
use crate::scenario::Instance;
use crate::store::Loaded;

/// What a new campaign knows from an earlier one; its search starts anew, with the earlier incumbent
/// among the first to race. `kept`: for each constraint the place that its readings had.
pub(super) fn carry_over(
    loaded: &Loaded,
    settings: &Settings,
    instances: &[Instance],
    kept: &[usize],
) -> Resumed {
    let mut history = History::new();
    history.intern(&settings.problem.default);
    let number = |old: InstanceId| {
        let name = loaded.charter.instances.get(old.index())?;
        let place = instances.iter().position(|instance| instance.name == *name)?;
        Some(InstanceId(place as u32))
    };
    let telling = |trial: &&Trial| !trial.observation.status().says_nothing();
    for trial in loaded.history.trials().iter().filter(telling) {
        let configuration = loaded.history.configuration(trial.key.config);
        let Some(configuration) = translate(configuration, settings) else { continue };
        let Some(instance) = number(trial.key.pair.instance) else { continue };
        let config = history.intern(&configuration);
        let pair = Pair { instance, ..trial.key.pair };
        let id = TrialId(history.trials().len() as u64);
        let observation = seen_from(&trial.observation, settings.problem.objective.cutoff);
        let readings = observation.constraints();
        let readings: Vec<_> = kept.iter().map(|&place| readings.get(place).copied().flatten()).collect();
        let observation = observation.with_constraints(readings);
        history.push(Trial { id, key: TrialKey { config, pair }, observation, ..trial.clone() });
    }
    Resumed { history, ..Resumed::default() }
}

/// The configuration in the new space, if it has one.
fn translate(configuration: &Configuration, settings: &Settings) -> Option<Configuration> {
    let Settings { problem, .. } = settings;
    let mut values: Vec<(&str, _)> =
        configuration.iter().filter(|(name, _)| problem.space.find(name).is_some()).collect();
    let old = configuration.space();
    let default = problem.space.default_configuration();
    values.extend(default.iter().filter(|(name, _)| old.find(name).is_none()));
    problem.space.configuration(values).ok()
}

/// A timeout at a smaller cutoff is a capped trial.
fn seen_from(observation: &Observation, cutoff: Option<f64>) -> Observation {
    match (observation.status(), observation.cost(), cutoff) {
        (Status::Timeout, Some(Reading::AtLeast(at)), Some(cutoff)) if at < cutoff => Observation::capped(at)
            .with_constraints(observation.constraints().to_vec())
            .with_tie(observation.tie()),
        _ => observation.clone(),
    }
}
