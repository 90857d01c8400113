//! Forest or networks: whichever [foretells](held_out) the campaign's own trials better.
//!
//! Judged by the log likelihood of trials whose configurations a model has not seen, whenever trials have
//! doubled. Before the first judgement the forest proposes, since it learns more from little.

use super::due::due;
use super::thompson::affordable;
use super::{Learner, Task};
use crate::history::History;
use crate::rng::Rng;
use crate::surrogate::neural::NeuralSettings;
use crate::surrogate::{TrainingSet, held_out};

/// Parts of the trials, each foretold by models of the others.
const FOLDS: usize = 4;

/// A judgement of both.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// After how many trials.
    pub trials: usize,
    /// The better one.
    pub learner: Learner,
    /// The mean log likelihood of a trial by forests.
    pub forest: f64,
    /// By networks.
    pub neural: f64,
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

    /// Whether networks are to propose now.
    pub(super) fn prefers_neural(&mut self, task: &Task, history: &History) -> bool {
        match task.settings.learner {
            Learner::Forest => false,
            Learner::Neural => true,
            Learner::Auto => {
                self.judge(task, history);
                self.choice().is_some_and(|choice| choice.learner == Learner::Neural)
            }
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
    let Task { problem, settings, instances } = task;
    let data = TrainingSet::costs(problem, history, trials, instances);
    let seed = Rng::new(problem.seed, "choice", trials as u64).bits();
    // One is asked at a time, and judged so.
    let one = NeuralSettings { members: 1, ..affordable(settings, data.len()) };
    let neural = held_out(&one, &data, FOLDS, seed)?;
    let forest = held_out(&settings.forest, &data, FOLDS, seed)?;
    let learner = if neural > forest { Learner::Neural } else { Learner::Forest };
    Some(Choice { trials, learner, forest, neural })
}
