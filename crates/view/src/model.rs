//! A model of the cost, fitted to the trials of a campaign: what is said about parameters is derived from it.

use campaign::settings::{Search, Settings};
use engine::learning::{self, Part};
use importance::completed;
use surrogate::InstanceTable;
use surrogate::forest::{Forest, ForestSettings, ForestTrainer};

use crate::costs::Costs;
use crate::error::ViewError;
use crate::records::Records;

/// Number of trees: more than a search uses, so that the spread over trees means something.
const TREES: usize = 16;

/// A forest that was fitted to the trials of a campaign, with random values for inactive parameters.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) settings: Settings,
    pub(crate) costs: Costs,
    pub(crate) forest: Forest,
    /// Number of trials that it learned from.
    pub(crate) trials: usize,
    /// Number of configurations with at least one of these trials.
    pub(crate) configurations: usize,
    /// Number of threads that may work on it.
    pub(crate) threads: usize,
}

impl Model {
    /// Fits a forest to at most this many trials; more are thinned. Returns `None` if no trial has
    /// a cost or no parameter varies.
    pub(crate) fn fit(records: &Records<'_>, most: usize) -> Result<Option<Self>, ViewError> {
        let settings = records.kept.settings()?;
        let costs = Costs::of(records.kept.scenario()?);
        let (space, history) = (&settings.problem.space, records.history());
        let instances = instances(&settings);
        let all = history.trials().len();
        let part = Part::thinned(all, all, most);
        let data = learning::costs(&settings.problem, history, part, &instances);
        let data = completed(data, settings.problem.seed);
        if data.is_empty() || space.ids().all(|id| !space.parameter(id).is_variable()) {
            return Ok(None);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let forest = ForestSettings { trees: TREES, threads, ..ForestSettings::default() };
        let Ok((forest, _)) = ForestTrainer::new(forest, settings.problem.seed).fit(&data) else {
            return Ok(None);
        };
        let (trials, configurations) = (data.len(), data.configurations());
        Ok(Some(Self { settings, costs, forest, trials, configurations, threads }))
    }

    /// Returns a predicted cost with the user's sign.
    pub(crate) fn cost(&self, predicted: f64) -> f64 {
        self.costs.number(self.forest.scale().cost(predicted))
    }
}

/// Returns the instances as the search's own model sees them.
fn instances(settings: &Settings) -> InstanceTable {
    let features = match &settings.search {
        Search::Model(by) => by.features.clone(),
        _ => None,
    };
    match (features, settings.problem.instances) {
        (Some(features), _) => features,
        (None, 0 | 1) => InstanceTable::alike(),
        (None, several) => InstanceTable::named(several as usize),
    }
}
