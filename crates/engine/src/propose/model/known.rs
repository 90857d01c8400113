//! Values that all learners derive from the first trials of a history.

use math::Rng;
use surrogate::forest::{Forest, ForestSettings, ForestTrainer};
use surrogate::{Points, Predictor};

use super::Task;
use crate::history::History;
use crate::problem::constraint::Tally;
use crate::trial::ConfigId;

/// Number of configurations predicted in one block.
const BLOCK: usize = 4096;

/// Splits the configurations into those tried in the first `trials` trials and all others.
pub(super) fn tried_and_pending(history: &History, trials: usize) -> (Vec<ConfigId>, Vec<ConfigId>) {
    let mut seen = vec![false; history.configurations().len()];
    history.trials()[..trials].iter().for_each(|trial| seen[trial.key.config.index()] = true);
    let ids = || (0..seen.len()).map(|index| ConfigId(index as u32));
    (ids().filter(|id| seen[id.index()]).collect(), ids().filter(|id| !seen[id.index()]).collect())
}

/// Selects `count` configurations: first those with the smallest expected costs, then the latest of those
/// whose expected cost is unknown.
pub(super) fn most_promising(mut ids: Vec<ConfigId>, expected: &[f64], count: usize) -> Vec<ConfigId> {
    let cost = |id: &ConfigId| expected.get(id.index()).copied().filter(|cost| !cost.is_nan());
    if ids.len() > count {
        let order = |one: &ConfigId, other: &ConfigId| {
            let costs = cost(one).unwrap_or(f64::INFINITY).total_cmp(&cost(other).unwrap_or(f64::INFINITY));
            costs.then(other.cmp(one))
        };
        ids.select_nth_unstable_by(count, order);
        ids.truncate(count);
        ids.sort_unstable_by(order);
    }
    ids
}

/// Encodes configurations as rows, one after another.
pub(super) fn rows(task: &Task, history: &History, ids: &[ConfigId]) -> Vec<f64> {
    ids.iter().flat_map(|&id| task.problem.space.encode(history.configuration(id))).collect()
}

/// Returns whether each configuration was tried in the first `trials` trials and is feasible according to
/// them. The result is indexed by the configuration's number.
pub(super) fn feasible(task: &Task, history: &History, trials: usize) -> Vec<bool> {
    let constraints = &task.problem.objective.constraints;
    let (tried, _) = tried_and_pending(history, trials);
    let mut tallies = vec![Tally::default(); history.configurations().len()];
    for trial in history.trials()[..trials].iter().filter(|_| !constraints.is_empty()) {
        tallies[trial.key.config.index()].add(&trial.observation);
    }
    let mut feasible = vec![false; tallies.len()];
    for id in tried {
        feasible[id.index()] = constraints.is_empty() || tallies[id.index()].violation(constraints) == 0.0;
    }
    feasible
}

/// Returns the expected mean cost of each configuration, indexed by number; NaN for those not tried or not
/// feasible.
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
    let mut found = vec![0.0; BLOCK];
    // All rows at once would need too much memory. Between two blocks, an interruption can take effect.
    for block in tried.chunks(BLOCK) {
        if task.interrupt.is_raised() {
            break;
        }
        let rows = rows(task, history, block);
        let found = &mut found[..block.len()];
        predictor.expect_marginal(Points::new(&rows, task.problem.space.row_length()), found);
        for (id, found) in block.iter().zip(found) {
            expected[id.index()] = *found;
        }
    }
    expected
}

/// Fits a forest that predicts which trials succeed; `None` if no trial has failed.
pub(super) fn success(task: &Task, history: &History, trials: usize) -> Option<Forest> {
    let failed = history.trials()[..trials].iter().any(|trial| trial.observation.status().is_failure());
    if !failed {
        return None;
    }
    let seed = Rng::new(task.problem.seed, "success", trials as u64).bits();
    let outcomes = task.outcomes(history, trials);
    let (forest, _) = ForestTrainer::new(ForestSettings::of_success(), seed).fit(&outcomes).ok()?;
    Some(forest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_of_least_expected_cost_come_first_then_the_latest() {
        let expected = [3.0, f64::NAN, 1.0, f64::NAN, 2.0];
        let ids = |ids: &[u32]| ids.iter().map(|&id| ConfigId(id)).collect::<Vec<_>>();
        let promising = |count| most_promising(ids(&[0, 1, 2, 3, 4, 5]), &expected, count);
        assert_eq!(promising(2), ids(&[2, 4]));
        assert_eq!(promising(5), ids(&[2, 4, 0, 5, 3]));
        assert_eq!(promising(6), ids(&[0, 1, 2, 3, 4, 5]));
    }
}
