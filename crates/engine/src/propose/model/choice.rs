//! Chooses the learner that [predicts](held_out) the trials of this campaign best: a forest, networks or a
//! Gaussian process.
//!
//! Whenever the number of trials has doubled, the learners are compared by the log-likelihood that they
//! assign to held-out trials. The models are fitted without any trials of the held-out configurations. Before
//! the first comparison, the forest proposes. A Gaussian process takes part only if there are few enough
//! points and columns.

use math::Rng;
use serde::{Deserialize, Serialize};
use surrogate::held_out;

use super::due::due;
use super::{Learner, Task};
use crate::history::History;

/// Number of folds in the cross-validation.
const FOLDS: usize = 4;

/// Largest number of columns for which a Gaussian process takes part.
const FEW_COLUMNS: usize = 40;

/// The result of comparing the learners.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// Number of trials at the time of the comparison.
    pub trials: usize,
    /// The best learner.
    pub learner: Learner,
    /// Mean held-out log-likelihood per trial, for forests.
    #[serde(with = "math::json_number")]
    pub forest: f64,
    /// Mean held-out log-likelihood per trial, for networks.
    #[serde(with = "math::json_number")]
    pub neural: f64,
    /// Mean held-out log-likelihood per trial, for Gaussian processes; `None` if there are too many points or
    /// columns for them.
    pub gaussian: Option<f64>,
}

/// A chooser of learners, which remembers its last choice.
#[derive(Default)]
pub(super) struct Chooser {
    /// Number of trials at the last comparison, and its result if there were enough trials to compare.
    judged: Option<(usize, Option<Choice>)>,
}

impl Chooser {
    /// Returns the last choice.
    pub(super) fn choice(&self) -> Option<Choice> {
        self.judged.and_then(|(_, choice)| choice)
    }

    /// Returns the learner that proposes now.
    pub(super) fn learner(&mut self, task: &Task, history: &History) -> Learner {
        match task.settings.learner {
            Learner::Auto => {
                self.judge(task, history);
                self.choice().map_or(Learner::Forest, |choice| choice.learner)
            }
            named => named,
        }
    }

    fn judge(&mut self, task: &Task, history: &History) {
        let now = due(2 * task.settings.first_fit, 1.0, history.trials().len()).map(|due| due.last);
        if now == self.judged.map(|(trials, _)| trials) {
            return;
        }
        self.judged = now.map(|trials| (trials, judged(task, history, trials)));
    }
}

fn judged(task: &Task, history: &History, trials: usize) -> Option<Choice> {
    let Task { problem, settings, .. } = task;
    let data = task.costs(history, trials);
    let seed = Rng::new(problem.seed, "choice", trials as u64).bits();
    // A proposal uses a single network, so a single network is compared.
    let neural = held_out(&settings.network(data.len()), &data, FOLDS, seed)?;
    let forest = held_out(&task.forest(trials), &data, FOLDS, seed)?;
    let few = data.len() <= settings.gaussian_points && data.columns().len() <= FEW_COLUMNS;
    let gaussian = if few { held_out(&settings.gaussian, &data, FOLDS, seed) } else { None };
    let scores =
        [(Learner::Forest, Some(forest)), (Learner::Neural, Some(neural)), (Learner::Gaussian, gaussian)];
    let best = scores.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    Some(Choice { trials, learner: best?.0, forest, neural, gaussian })
}
