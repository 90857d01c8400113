//! Chooses the learner that [predicts](held_out) the trials of this campaign best: a forest, networks or a
//! Gaussian process.
//!
//! Whenever the number of trials has doubled, the learners are compared by the log-likelihood that they
//! assign to held-out trials. The models are fitted without any trials of the held-out configurations. Before
//! the first comparison, [`ModelSettings::first`](super::ModelSettings::first) proposes: the learner that suits
//! the target in general. Another one replaces it only if it predicts clearly better, by more than one standard
//! error of the mean difference:
//!
//! ```text
//! mean(d) > sd(d) / √n,   d_i = score of the other for trial i - score of the first
//! ```
//!
//! A Gaussian process takes part only if there are few enough points and columns.

use math::Rng;
use serde::{Deserialize, Serialize};
use surrogate::held_out;

use super::due::due;
use super::{Learner, Task};
use crate::history::History;

/// Number of folds in the cross-validation.
const FOLDS: usize = 4;
/// Number of trials before the first comparison.
const FIRST_COMPARISON: usize = 20;

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
                self.choice().map_or(task.settings.first, |choice| choice.learner)
            }
            named => named,
        }
    }

    fn judge(&mut self, task: &Task, history: &History) {
        let now = due(FIRST_COMPARISON, 1.0, history.trials().len()).map(|due| due.last);
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
    let few = data.merged_len() <= settings.gaussian_points && data.columns().len() <= FEW_COLUMNS;
    let gaussian = if few { held_out(&settings.gaussian, &data, FOLDS, seed) } else { None };
    let means = (mean(&forest), mean(&neural), gaussian.as_deref().map(mean));
    let scores =
        [(Learner::Forest, Some(forest)), (Learner::Neural, Some(neural)), (Learner::Gaussian, gaussian)];
    let scores: Vec<(Learner, Vec<f64>)> =
        scores.into_iter().filter_map(|(learner, scores)| Some((learner, scores?))).collect();
    let learner = best(&scores, settings.first)?;
    Some(Choice { trials, learner, forest: means.0, neural: means.1, gaussian: means.2 })
}

/// Returns the learner with the best mean score among those that are clearly better than the first one; the
/// first one if there are none. If the first one does not take part, the forest takes its place.
fn best(scores: &[(Learner, Vec<f64>)], first: Learner) -> Option<Learner> {
    let taking_part = |wanted: Learner| scores.iter().find(|(learner, _)| *learner == wanted);
    let first = taking_part(first).or_else(|| taking_part(Learner::Forest))?;
    let better = scores.iter().filter(|(_, scores)| is_clearly_better(scores, &first.1));
    let best = better.max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)));
    Some(best.unwrap_or(first).0)
}

fn is_clearly_better(scores: &[f64], than: &[f64]) -> bool {
    let differences: Vec<f64> = scores.iter().zip(than).map(|(a, b)| a - b).collect();
    let (n, mean) = (differences.len() as f64, mean(&differences));
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    mean > (squares / (n - 1.0) / n).sqrt()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_learner_stays_unless_another_is_clearly_better() {
        let scores = |gaussian: [f64; 4], neural: [f64; 4]| {
            vec![
                (Learner::Forest, vec![0.0; 4]),
                (Learner::Neural, neural.to_vec()),
                (Learner::Gaussian, gaussian.to_vec()),
            ]
        };
        let (even, lucky, better) = ([1.0; 4], [9.0, -1.0, -1.0, -1.0], [0.5; 4]);
        // The standard error of the lucky one's mean, 1.5, is 2.5.
        assert_eq!(best(&scores(lucky, [-1.0; 4]), Learner::Forest), Some(Learner::Forest));
        assert_eq!(best(&scores(lucky, better), Learner::Forest), Some(Learner::Neural));
        assert_eq!(best(&scores(even, better), Learner::Forest), Some(Learner::Gaussian));
        assert_eq!(
            best(&scores([-0.1, 0.1, -0.1, 0.1], [-1.0; 4]), Learner::Gaussian),
            Some(Learner::Gaussian)
        );
        assert_eq!(best(&scores([-1.0; 4], [-2.0; 4]), Learner::Gaussian), Some(Learner::Forest));
        let without: Vec<_> = scores(even, [-1.0; 4]).into_iter().take(2).collect();
        assert_eq!(best(&without, Learner::Gaussian), Some(Learner::Forest));
    }
}
