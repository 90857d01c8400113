//! Restarts of the Gaussian process, on problems with a single instance.
//!
//! A Gaussian process that is sure of a local optimum proposes this point again and again, with differences
//! of less than a percent. Such a search has converged. Two of three proposals then come from a *restart*: a
//! second process that learns only from its own trials and from random ones, and so begins like a new
//! campaign. The others still come from the process that has learned from all trials. When the restart has
//! converged, too, the next one begins.
//!
//! ```text
//! converged:   COPIES near copies of the best configuration since the last improvement by more than w
//! w = min(SPREAD_SHARE (mean - best), BEST_SHARE |best|)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | best, mean | lowest and mean cost of the trials of the same search |
//! | near copy | a configuration in which every parameter differs from the best by at most [`NEAR`] of its range |
//!
//! Whether and where a restart begins follows from the history alone, so an interrupted campaign continues as
//! if it had never stopped.

use space::Configuration;
use surrogate::Reading;

use super::improvement::Improvement;
use super::known::{feasible, rows};
use super::learner::Method;
use super::{Learner, Task};
use crate::history::History;
use crate::trial::ConfigId;

/// Number of near copies after which a search has converged.
const COPIES: usize = 12;
/// Largest difference between the values of a parameter in near copies, as a share of its range.
const NEAR: f64 = 0.01;
/// Improvements by less than this share of the difference between mean and best do not count.
const SPREAD_SHARE: f64 = 1e-3;
/// Improvements by more than this share of the best cost always count.
const BEST_SHARE: f64 = 0.01;

/// One proposal in this many comes from the process that has learned from all trials, unless it is random.
const WHOLE_EVERY: usize = 3;

/// The latest restart.
pub(super) struct Restart {
    /// Number of the first configuration that belongs to it; 0 if there is none.
    first: usize,
    model: Improvement,
}

impl Restart {
    pub(super) fn new() -> Self {
        Self { first: 0, model: Improvement::new(Learner::Gaussian) }
    }

    /// Returns the proposal of the latest restart for the configuration with this number; `None` if the
    /// process that has learned from all trials should propose it.
    pub(super) fn propose(
        &mut self,
        task: &Task,
        history: &History,
        number: usize,
    ) -> Option<Option<Configuration>> {
        let first = first_of_latest(task, history);
        if first == 0 || !belongs(task, number) {
            return None;
        }
        if first != self.first {
            *self = Self { first, ..Self::new() };
        }
        let found = self.model.propose(task, &own_history(task, history, first), number);
        // A restart does not know what was tried before.
        Some(found.filter(|found| history.find(found).is_none()))
    }
}

/// Returns whether a configuration with this number, proposed after the beginning of a restart, belongs to
/// the restart.
fn belongs(task: &Task, number: usize) -> bool {
    !number.is_multiple_of(WHOLE_EVERY) || number.is_multiple_of(task.settings.random_every)
}

/// Returns the number of the first configuration of the latest restart; 0 if there is none.
fn first_of_latest(task: &Task, history: &History) -> usize {
    if task.problem.instances > 1 {
        return 0;
    }
    let costs = exact_costs(task, history);
    let ids: Vec<ConfigId> = (0..costs.len()).map(|at| ConfigId(at as u32)).collect();
    let rows = rows(task, history, &ids);
    let width = task.problem.space.row_length();
    let row = |at: usize| &rows[at * width..(at + 1) * width];
    let is_near =
        |one: usize, other: usize| row(one).iter().zip(row(other)).all(|(a, b)| (a - b).abs() <= NEAR);
    let mut first = 0;
    let mut search = Search::default();
    for (at, &cost) in costs.iter().enumerate() {
        if first > 0 && !belongs(task, at) {
            continue;
        }
        search.add(at, cost, is_near);
        if search.copies >= COPIES {
            (first, search) = (at + 1, Search::default());
        }
    }
    first
}

/// Returns the cost of each configuration, by number; infinity if it is unknown, only a lower bound, or that
/// of an infeasible configuration.
fn exact_costs(task: &Task, history: &History) -> Vec<f64> {
    let feasible = feasible(task, history, history.trials().len());
    let mut costs = vec![f64::INFINITY; feasible.len()];
    for trial in history.trials() {
        let at = trial.key.config.index();
        if let (true, Some(Reading::Exact(cost))) = (feasible[at], trial.observation.cost()) {
            costs[at] = cost;
        }
    }
    costs
}

/// A search up to some configuration.
#[derive(Default)]
struct Search {
    /// The number of the configuration with the lowest cost so far, and this cost.
    best: Option<(usize, f64)>,
    /// Sum and number of the finite costs so far.
    sum: f64,
    count: usize,
    /// Number of near copies since the last improvement that counts.
    copies: usize,
}

impl Search {
    fn add(&mut self, at: usize, cost: f64, is_near: impl Fn(usize, usize) -> bool) {
        if let Some((best, lowest)) = self.best {
            let mean = self.sum / self.count as f64;
            let worthwhile = (SPREAD_SHARE * (mean - lowest)).min(BEST_SHARE * lowest.abs());
            if cost < lowest - worthwhile {
                self.copies = 0;
            } else if is_near(at, best) {
                self.copies += 1;
            }
        }
        if cost.is_finite() {
            (self.sum, self.count) = (self.sum + cost, self.count + 1);
            if self.best.is_none_or(|(_, lowest)| cost < lowest) {
                self.best = Some((at, cost));
            }
        }
    }
}

/// Returns the part of the history that belongs to the restart that begins with this configuration.
fn own_history(task: &Task, history: &History, first: usize) -> History {
    let mut own = History::new();
    let mut ids = vec![None; history.configurations().len()];
    for at in (first..ids.len()).filter(|&at| belongs(task, at)) {
        ids[at] = Some(own.intern(&history.configurations()[at]));
    }
    for trial in history.trials() {
        if let Some(config) = ids[trial.key.config.index()] {
            let mut trial = trial.clone();
            trial.key.config = config;
            own.push(trial);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use math::Rng;
    use space::format::{Format, read};
    use surrogate::{InstanceTable, Interrupt};

    use super::super::ModelSearch;
    use super::super::tests::{drive, optimizer, small};
    use super::*;
    use crate::history::Trial;
    use crate::observation::Observation;
    use crate::problem::{Objective, Problem};
    use crate::racing::Racing;
    use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, TrialKey, Why};

    fn task(instances: u32) -> Task {
        let text = "x = { float = [0, 1] }\ny = { float = [0, 1] }\n";
        let space = read(text, "plane", Format::Toml).unwrap();
        let objective = Objective::uncapped();
        let problem =
            Problem { default: space.default_configuration(), space, objective, instances, seed: 1 };
        let settings = small(Learner::Gaussian);
        Task { problem, settings, instances: InstanceTable::alike(), interrupt: Interrupt::default() }
    }

    fn add(task: &Task, history: &mut History, at: [f64; 2], cost: f64) {
        let config = history.intern(&task.problem.space.configuration_of_codes(at.to_vec()).unwrap());
        let key = TrialKey { config, pair: Pair { instance: InstanceId(0), seed: Seed(1) } };
        let (id, why) = (TrialId(history.trials().len() as u64), Why::Challenge);
        history.push(Trial { id, key, cap: Cap::NONE, why, observation: Observation::finished(cost) });
    }

    /// Returns a history of scattered points and then this many copies of one point. The cost falls by a
    /// share with every copy.
    fn stuck(task: &Task, copies: usize, fall: f64) -> History {
        let (mut history, mut rng) = (History::new(), Rng::new(1, "scattered", 0));
        for _ in 0..10 {
            add(task, &mut history, [rng.unit() / 2.0, rng.unit()], 2.0 + rng.unit());
        }
        for copy in 0..=copies {
            let by = 1e-4 * copy as f64;
            add(task, &mut history, [0.7 + by, 0.6 - by], (1.0 - fall).powf(copy as f64));
        }
        history
    }

    #[test]
    fn a_restart_begins_after_copies_of_the_best() {
        let (task, of_two_instances) = (task(1), task(2));
        let first = |copies, fall| first_of_latest(&task, &stuck(&task, copies, fall));
        assert_eq!(first(COPIES - 1, 0.0), 0);
        assert_eq!(first(COPIES, 0.0), 10 + 1 + COPIES);
        assert_eq!(first(COPIES, 1e-4), 10 + 1 + COPIES, "the improvements are too small to count");
        assert_eq!(first(2 * COPIES - 1, 0.02), 0, "improvements by two percent count");
        assert_eq!(first_of_latest(&of_two_instances, &stuck(&task, 40, 0.0)), 0);
    }

    #[test]
    fn points_that_differ_in_one_parameter_are_no_copies() {
        let task = task(1);
        let mut history = stuck(&task, 0, 0.0);
        for point in 0..40 {
            add(&task, &mut history, [0.7, 0.02 * f64::from(point)], 1.5);
        }
        assert_eq!(first_of_latest(&task, &history), 0);
    }

    #[test]
    fn a_restart_knows_only_its_own_trials_and_may_converge_too() {
        let task = task(1);
        let mut history = stuck(&task, COPIES, 0.0);
        let first = history.configurations().len();
        for number in first..first + 8 {
            add(&task, &mut history, [0.1, 0.1 * (number - first) as f64], number as f64);
        }
        let own = own_history(&task, &history, first);
        let costs = own.trials().iter().map(|trial| trial.observation.cost().unwrap());
        let expected = (first..first + 8).filter(|&number| belongs(&task, number));
        assert!(costs.eq(expected.map(|number| Reading::Exact(number as f64))));
        for copy in 0..4 * COPIES {
            add(&task, &mut history, [0.3 + 1e-5 * copy as f64, 0.9], 1.5);
        }
        let second = first_of_latest(&task, &history);
        assert!(second > first + 8 + COPIES, "{second}");
    }

    /// A wide valley with a floor of 1 and a narrow one with a floor of 0.5.
    fn valleys(x: f64, y: f64) -> f64 {
        let bowl = |a: f64, b: f64| (x - a) * (x - a) + (y - b) * (y - b);
        (1.0 + bowl(0.7, 0.6)).min(0.5 + 12.0 * bowl(0.12, 0.15))
    }

    #[test]
    fn a_restart_leaves_a_local_optimum() {
        let mut found = 0;
        for seed in 0..4 {
            let task = task(1);
            let problem = Problem { seed, ..task.problem };
            let search = Box::new(ModelSearch::new(problem.clone(), small(Learner::Gaussian)));
            let racing = Racing { deterministic: true, ..Racing::default() };
            let mut optimizer = optimizer(&problem, &racing, search);
            drive(&mut optimizer, 120, 1, &mut |request| {
                let number = |name| request.configuration.number(name).unwrap();
                Observation::finished(valleys(number("x"), number("y")))
            });
            let costs =
                optimizer.history().trials().iter().filter_map(|trial| match trial.observation.cost() {
                    Some(Reading::Exact(cost)) => Some(cost),
                    _ => None,
                });
            found += usize::from(costs.fold(f64::INFINITY, f64::min) < 0.6);
        }
        assert_eq!(found, 4);
    }
}
