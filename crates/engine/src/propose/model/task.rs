//! The search problem, its settings, and the training sets for its models.
//!
//! A fit uses at most about [`ModelSettings::points`] readings, however long the campaign is. If there are
//! more trials, it learns from a share of them. When this share changes, so do the points. A fit to a share
//! of the trials therefore starts from scratch, and it imputes censored trials in only a few rounds.

use surrogate::forest::ForestSettings;
use surrogate::{InstanceTable, Interrupt, TrainingSet};

use super::ModelSettings;
use super::due::{Due, due};
use crate::history::History;
use crate::learning::{self, Part};
use crate::problem::Problem;

/// Largest number of imputation rounds for fits to a share of the trials.
const THINNED_ROUNDS: usize = 3;

pub(super) struct Task {
    pub(super) problem: Problem,
    pub(super) settings: ModelSettings,
    pub(super) instances: InstanceTable,
    /// Flag that is raised when no more proposals are needed; running fits then stop.
    pub(super) interrupt: Interrupt,
}

impl Task {
    /// Returns the fits due after this many trials.
    pub(super) fn due(&self, trials: usize) -> Option<Due> {
        let due = due(self.settings.first_fit, self.settings.refit, trials)?;
        Some(if due.last > self.settings.points { Due { fresh: due.last, ..due } } else { due })
    }

    /// Returns the trials that a model learns from. Until the next fit, they include all trials that the last
    /// fit used.
    pub(super) fn part(&self, trials: usize) -> Part {
        let last = self.due(trials).map_or(trials, |due| due.last);
        Part::thinned(trials, last, self.settings.points)
    }

    /// Returns the settings of a forest for a fit after this many trials.
    pub(super) fn forest(&self, trials: usize) -> ForestSettings {
        let mut forest = self.settings.forest.clone();
        if trials > self.settings.points {
            forest.rounds = forest.rounds.min(THINNED_ROUNDS);
        }
        forest
    }

    /// Returns the costs of the trials.
    pub(super) fn costs(&self, history: &History, trials: usize) -> TrainingSet<'_> {
        let Self { problem, instances, interrupt, .. } = self;
        learning::costs(problem, history, self.part(trials), instances).until(interrupt)
    }

    /// Returns whether each trial succeeded.
    pub(super) fn outcomes(&self, history: &History, trials: usize) -> TrainingSet<'_> {
        let Self { problem, instances, interrupt, .. } = self;
        learning::outcomes(problem, history, self.part(trials), instances).until(interrupt)
    }

    /// Returns the part of the budget that each trial used.
    pub(super) fn spent(&self, history: &History, trials: usize) -> TrainingSet<'_> {
        let Self { problem, instances, interrupt, .. } = self;
        learning::spent(problem, history, self.part(trials), instances).until(interrupt)
    }

    /// Returns the readings of a constrained output.
    pub(super) fn constraint(&self, history: &History, trials: usize, index: usize) -> TrainingSet<'_> {
        let Self { problem, instances, interrupt, .. } = self;
        learning::constraint(problem, history, self.part(trials), index, instances).until(interrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::super::{Learner, ModelSearch};
    use super::*;
    use crate::history::Trial;
    use crate::observation::Observation;
    use crate::problem::Objective;
    use crate::propose::Proposer;
    use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, TrialKey, Why};
    use math::Rng;
    use space::format::{Format, read};
    use surrogate::{FitError, Surrogate};

    /// Returns a history with this many trials of random configurations.
    fn random_history(trials: u64) -> (Task, History) {
        let space = read("x = { float = [0, 1] }\n", "line", Format::Toml).unwrap();
        let default = space.default_configuration();
        let problem = Problem { default, space, objective: Objective::capped(9.0), instances: 1, seed: 1 };
        let (mut history, mut rng) = (History::new(), Rng::new(1, "told", 0));
        for number in 0..trials {
            let code = rng.unit();
            let config = history.intern(&problem.space.configuration_of_codes(vec![code]).unwrap());
            let key = TrialKey { config, pair: Pair { instance: InstanceId(0), seed: Seed(1) } };
            let (id, why) = (TrialId(number), Why::Challenge);
            let observation = Observation::finished(1.0 + code);
            history.push(Trial { id, key, cap: Cap::at(9.0), why, observation });
        }
        let interrupt = Interrupt::default();
        let instances = InstanceTable::alike();
        (Task { problem, settings: small(Learner::Forest), instances, interrupt }, history)
    }

    #[test]
    fn fits_use_all_trials_while_these_are_few_and_then_a_share_of_bounded_size() {
        let (mut task, history) = random_history(400);
        let rows = |task: &Task, trials| task.costs(&history, trials).len();
        assert_eq!((rows(&task, 300), rows(&task, 400)), (300, 400));
        assert_eq!(task.due(400).map(|due| due.fresh < due.last), Some(true));
        task.settings.points = 100;
        assert_eq!(rows(&task, 100), 100);
        assert!((70..135).contains(&rows(&task, 400)), "{}", rows(&task, 400));
        let due = task.due(400).unwrap();
        assert_eq!(
            due.fresh, due.last,
            "a different share has different points, so the fit starts from scratch"
        );
        assert!(task.forest(400).rounds < task.forest(100).rounds);
        // Between two fits, points are only added.
        let (first, later) = (task.costs(&history, due.last), task.costs(&history, 400));
        assert_eq!(first.readings(), &later.readings()[..first.len()]);
    }

    #[test]
    fn an_interrupt_stops_every_fit() {
        let (task, history) = random_history(60);
        let data = || task.costs(&history, 60);
        task.interrupt.raise();
        let mut rng = Rng::new(1, "interrupted", 0);
        let ModelSettings { forest, neural, gaussian, .. } = &task.settings;
        let learners: [&dyn Surrogate; 3] = [forest, neural, gaussian];
        for learner in learners {
            assert_eq!(learner.fit(&data(), &mut rng).err(), Some(FitError::Interrupted));
        }
        let mut model = ModelSearch::new(task.problem.clone(), task.settings.clone());
        model.watch_interrupt(&task.interrupt);
        assert!(model.expected(&history).is_empty());
    }
}
