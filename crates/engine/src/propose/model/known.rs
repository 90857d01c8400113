//! What the first trials of a history say, whatever learns from them.

use super::Task;
use crate::history::History;
use crate::racing::constraint::Tally;
use crate::rng::Rng;
use crate::surrogate::forest::{Forest, ForestSettings, ForestTrainer};
use crate::surrogate::{Points, Prediction, Predictor, TrainingSet};
use crate::trial::ConfigId;

/// The configurations that the first so many trials were of, and the others.
pub(super) fn tried_and_pending(history: &History, trials: usize) -> (Vec<ConfigId>, Vec<ConfigId>) {
    let mut seen = vec![false; history.configurations().len()];
    history.trials()[..trials].iter().for_each(|trial| seen[trial.key.config.index()] = true);
    let ids = || (0..seen.len()).map(|index| ConfigId(index as u32));
    (ids().filter(|id| seen[id.index()]).collect(), ids().filter(|id| !seen[id.index()]).collect())
}

/// The rows of configurations, one after the other.
pub(super) fn rows(task: &Task, history: &History, ids: &[ConfigId]) -> Vec<f64> {
    ids.iter().flat_map(|&id| task.problem.space.encode(history.configuration(id))).collect()
}

/// Which configurations, by number, the first so many trials were of and show to be feasible.
pub(super) fn feasible(task: &Task, history: &History, trials: usize) -> Vec<bool> {
    let constraints = &task.problem.objective.constraints;
    let (tried, _) = tried_and_pending(history, trials);
    let mut tallies = vec![Tally::default(); history.configurations().len()];
    for trial in history.trials()[..trials].iter().filter(|_| !constraints.is_empty()) {
        tallies[trial.key.config.index()].take_in(&trial.observation);
    }
    let mut feasible = vec![false; tallies.len()];
    for id in tried {
        feasible[id.index()] = constraints.is_empty() || tallies[id.index()].violation(constraints) == 0.0;
    }
    feasible
}

/// The mean cost expected of each configuration by number; NaN of those not tried or not feasible.
pub(super) fn expected_of_tried(
    task: &Task,
    history: &History,
    trials: usize,
    predictor: &dyn Predictor,
) -> Vec<f64> {
    let feasible = feasible(task, history, trials);
    let ids = (0..feasible.len()).map(|index| ConfigId(index as u32));
    let tried: Vec<ConfigId> = ids.filter(|id| feasible[id.index()]).collect();
    let mut expected = vec![f64::NAN; feasible.len()];
    let rows = rows(task, history, &tried);
    let points = Points::new(&rows, task.problem.space.row_length());
    let mut found = vec![Prediction::default(); points.len()];
    predictor.predict_marginal(points, &mut found);
    for (id, found) in tried.into_iter().zip(found) {
        expected[id.index()] = found.mean;
    }
    expected
}

/// A forest that tells which trials succeed, if some failed.
pub(super) fn success(task: &Task, history: &History, trials: usize) -> Option<Forest> {
    let failed = history.trials()[..trials].iter().any(|trial| trial.observation.status().is_failure());
    if !failed {
        return None;
    }
    let seed = Rng::new(task.problem.seed, "success", trials as u64).bits();
    let outcomes = TrainingSet::outcomes(&task.problem, history, trials, &task.instances);
    let (forest, _) = ForestTrainer::new(ForestSettings::of_success(), seed).fit(&outcomes).ok()?;
    Some(forest)
}
