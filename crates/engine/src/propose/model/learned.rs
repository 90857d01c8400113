//! The common interface of models that are fitted repeatedly during a campaign.

use math::Rng;
use surrogate::{Points, Predictor, TrainingSet};

use super::{Learner, Task};

/// A trainer that fits models to a sequence of training sets. Each set begins with the points of the previous
/// one.
pub(super) trait Trainer: Send {
    /// Prepares the state that later fits start from, if they do not start from scratch.
    fn prepare(&mut self, _data: &TrainingSet<'_>) {}

    /// Fits a model; `None` if that is not possible, for example because the set is empty.
    fn fit(&mut self, data: &TrainingSet<'_>) -> Option<Box<dyn Learned>>;

    /// Returns a clone.
    fn copy(&self) -> Box<dyn Trainer>;
}

/// A trained model of one output.
pub(super) trait Learned: Predictor {
    /// Returns a copy that assumes that these configurations cost what the model expects (kriging believer).
    fn believing(&self, configurations: Points<'_>) -> Box<dyn Learned>;

    /// Returns whether the model can absorb points without a new fit.
    fn can_absorb(&self) -> bool {
        false
    }

    /// Absorbs the points of a set from index `from` on, if the model can.
    fn absorb(&mut self, _data: &TrainingSet<'_>, _from: usize) {}

    /// Returns the leave-one-out residual of each reading, in standard deviations. The entry for a lower
    /// bound is `None`. The whole result is `None` if the model would have to be fitted again to compute
    /// residuals.
    fn residuals(&self) -> Option<Vec<Option<f64>>> {
        None
    }

    /// Returns the model as a [`Predictor`].
    fn predictor(&self) -> &dyn Predictor;
}

/// Creates a trainer. Its random stream is keyed by the purpose and the number of trials.
pub(super) fn trainer(task: &Task, learner: Learner, purpose: &str, number: u64) -> Box<dyn Trainer> {
    let seed = Rng::new(task.problem.seed, purpose, number).bits();
    learner.trainer(task, seed, number as usize)
}

#[cfg(test)]
mod tests {
    use super::super::Dependence;
    use super::super::dependence_tests::random_history;
    use super::*;
    use surrogate::Prediction;

    #[test]
    fn absorbed_points_are_learned() {
        let (task, history) =
            random_history(Learner::Gaussian, Dependence::Independent, &[], &|_| Vec::new());
        let set = |trials| task.costs(&history, trials);
        let mut learned = trainer(&task, Learner::Gaussian, "test", 0).fit(&set(12)).unwrap();
        let all = set(25);
        let rows: Vec<f64> = (12..25).flat_map(|at| all.row(at).collect::<Vec<f64>>()).collect();
        let surprise = |learned: &dyn Learned| {
            let mut out = [Prediction::default(); 13];
            learned.predict(Points::new(&rows, 2), &mut out);
            let readings = all.readings()[12..].iter();
            readings.zip(&out).map(|(read, out)| (read.lower_bound() - out.mean).abs()).fold(0.0, f64::max)
        };
        let before = surprise(&*learned);
        learned.absorb(&all, 12);
        assert!(surprise(&*learned) < 0.1 * before, "{before} {}", surprise(&*learned));
    }
}
