//! A forest, networks or a Gaussian process: whichever [foretells](held_out) the campaign's own trials best.
//!
//! Judged by the log likelihood of trials whose configurations a model has not seen, whenever trials have
//! doubled. Before the first judgement the forest proposes. A Gaussian process is judged while points and
//! columns are few enough for it.

use math::Rng;
use serde::{Deserialize, Serialize};
use surrogate::held_out;

use super::due::due;
use super::{Learner, Task};
use crate::history::History;

/// Parts of the trials, each foretold by models of the others.
const FOLDS: usize = 4;

/// Most columns for which a Gaussian process is judged.
const FEW_COLUMNS: usize = 40;

/// A judgement of all.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// After how many trials.
    pub trials: usize,
    /// The best one.
    pub learner: Learner,
    /// The mean log likelihood of a trial by forests.
    #[serde(with = "math::json_number")]
    pub forest: f64,
    /// By networks.
    #[serde(with = "math::json_number")]
    pub neural: f64,
    /// By Gaussian processes; `None` if there is too much to learn from for them.
    pub gaussian: Option<f64>,
}

/// Remembers the last judgement.
#[derive(Default)]
pub(super) struct Chooser {
    /// After how many trials, and what came of it if there was enough to judge by.
    judged: Option<(usize, Option<Choice>)>,
}

impl Chooser {
    /// The last judgement.
    pub(super) fn choice(&self) -> Option<Choice> {
        self.judged.and_then(|(_, choice)| choice)
    }

    /// Who is to propose now.
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
    // One is asked at a time, and judged so.
    let neural = held_out(&settings.network(data.len()), &data, FOLDS, seed)?;
    let forest = held_out(&task.forest(trials), &data, FOLDS, seed)?;
    let few = data.len() <= settings.gaussian_points && data.columns().len() <= FEW_COLUMNS;
    let gaussian = if few { held_out(&settings.gaussian, &data, FOLDS, seed) } else { None };
    let scores =
        [(Learner::Forest, Some(forest)), (Learner::Neural, Some(neural)), (Learner::Gaussian, gaussian)];
    let best = scores.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    Some(Choice { trials, learner: best?.0, forest, neural, gaussian })
}
