//! Ablation after a search: measures which changes from the baseline to the best configuration matter.
//!
//! [`engine::ablation`] decides which trials are wanted. Each trial is stored when it ends, with a reason of
//! its own, so that the search never sees it and a second session continues where the first one stopped. The
//! plan is stored as an event before the first trial, because another plan would make other comparisons.

mod running;

pub use running::{Ablated, Limits, ablate};

use engine::ablation::{Plan, Readings, changed};
use engine::history::History;
use engine::learning::{self, Part};
use engine::{ConfigId, Configuration, InstanceId, Pair, Rng, Seed};
use serde::{Deserialize, Serialize};
use space::ParameterId;
use store::{StoredEvent, StoredValidation};
use surrogate::forest::{ForestSettings, ForestTrainer};
use surrogate::{InstanceTable, Points, Predictor as _};

use crate::settings::Settings;
use crate::validation::Terms;
use crate::validation::comparable;

/// Smallest number of pairs, unless the target is deterministic.
const LEAST_PAIRS: usize = 20;
/// Largest number of pairs.
const MOST_PAIRS: usize = 60;
/// Largest number of trials that the model learns from.
const MOST_TRIALS: usize = 10_000;
/// Kind of the event that stores a plan.
const EVENT: &str = "ablation";

/// A plan as stored: with the names of instances and parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StoredPlan {
    /// Number of the configuration from which the path starts.
    pub from: u32,
    /// Number of the configuration to which the path leads.
    pub to: u32,
    /// The changed parameters in the order in which they race.
    pub order: Vec<String>,
    /// The pairs on which the changes race: instance and seed.
    pub pairs: Vec<(String, u32)>,
    /// The pairs on which the result is checked.
    pub fresh: Vec<(String, u32)>,
}

impl StoredPlan {
    /// Plans an ablation from the baseline to the configuration `best`. `names` are the names of the training
    /// instances.
    pub fn new(settings: &Settings, history: &History, best: ConfigId, names: &[String]) -> Self {
        let (baseline, tuned) = (history.configuration(ConfigId(0)), history.configuration(best));
        let order = order(settings, history, baseline, tuned);
        let mut rng = Rng::new(settings.problem.seed, "ablation", u64::from(best.0));
        // A deterministic cost is the same each time, so nothing fresh can be measured.
        let repeats_exactly = settings.racing.deterministic && !settings.validation.are_times;
        let count = if repeats_exactly { names.len() } else { names.len().max(LEAST_PAIRS) }.min(MOST_PAIRS);
        let mut draw = || {
            let mut pairs = Vec::new();
            while pairs.len() < count {
                let mut round: Vec<&String> = names.iter().collect();
                rng.shuffle(&mut round);
                let pair = |name: &String| (name.clone(), (rng.bits() >> 33) as u32);
                pairs.extend(round.into_iter().map(pair));
            }
            pairs.truncate(count);
            pairs
        };
        let pairs = draw();
        let fresh = if repeats_exactly { Vec::new() } else { draw() };
        let name = |id: ParameterId| settings.problem.space.parameter(id).name().to_owned();
        Self { from: 0, to: best.0, order: order.into_iter().map(name).collect(), pairs, fresh }
    }

    /// Returns the event that stores the plan.
    pub fn event(&self, at: f64) -> Result<StoredEvent, serde_json::Error> {
        Ok(StoredEvent { at, kind: EVENT.to_owned(), text: serde_json::to_string(self)? })
    }

    /// Returns the last plan for a configuration among the stored events.
    pub fn of_events(events: &[StoredEvent], best: ConfigId) -> Option<Self> {
        let plans = events.iter().rev().filter(|event| event.kind == EVENT);
        plans
            .filter_map(|event| serde_json::from_str::<Self>(&event.text).ok())
            .find(|plan| plan.to == best.0)
    }

    /// Returns the plan in terms of this campaign's instances. Pairs on unknown instances are left out.
    pub fn plan(&self, settings: &Settings, history: &History, names: &[String]) -> Plan {
        let space = &settings.problem.space;
        let pair = |(name, seed): &(String, u32)| {
            let instance = names.iter().position(|one| one == name)?;
            Some(Pair { instance: InstanceId(instance as u32), seed: Seed(*seed) })
        };
        Plan {
            space: space.clone(),
            objective: settings.problem.objective.clone(),
            baseline: history.configuration(ConfigId(self.from)).clone(),
            best: history.configuration(ConfigId(self.to)).clone(),
            pairs: self.pairs.iter().filter_map(pair).collect(),
            fresh: self.fresh.iter().filter_map(pair).collect(),
            order: self.order.iter().filter_map(|name| space.find(name)).collect(),
        }
    }
}

/// Returns the readings of stored trials that can be compared with trials on the machine `host`.
pub fn readings(
    rows: Vec<StoredValidation>,
    history: &History,
    names: &[String],
    terms: &Terms,
    host: Option<&str>,
) -> Readings {
    let mut readings = Readings::default();
    for row in comparable(rows, terms, host) {
        let (config, name, seed) = row.key();
        let Some(instance) = names.iter().position(|one| one == name) else { continue };
        let pair = Pair { instance: InstanceId(instance as u32), seed };
        if config.index() < history.configurations().len() {
            readings.add(history.configuration(config), pair, &row.record.trial.observation);
        }
    }
    readings
}

/// Returns the changed parameters, those with the largest predicted gain first. A good first candidate gives
/// low caps to all others.
fn order(
    settings: &Settings,
    history: &History,
    baseline: &Configuration,
    best: &Configuration,
) -> Vec<ParameterId> {
    let space = &settings.problem.space;
    let all = changed(space, baseline, best);
    let instances = InstanceTable::alike();
    let trials = history.trials().len();
    let part = Part::thinned(trials, trials, MOST_TRIALS);
    let data = learning::costs(&settings.problem, history, part, &instances);
    let Ok((forest, _)) = ForestTrainer::new(ForestSettings::default(), settings.problem.seed).fit(&data)
    else {
        return all;
    };
    let predicted = |&id: &ParameterId| {
        let Ok(next) = space.adopt(baseline, best, &[id]) else { return f64::INFINITY };
        let mut mean = [0.0];
        forest.expect_marginal(Points::new(&space.encode(&next), space.row_length()), &mut mean);
        mean[0]
    };
    let mut order: Vec<(f64, ParameterId)> = all.iter().map(|id| (predicted(id), *id)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, id)| id).collect()
}
