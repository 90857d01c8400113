//! What can be learned again and again while a campaign goes on, whatever learns it.

use math::Rng;
use surrogate::forest::{Forest, ForestTrainer};
use surrogate::gaussian::{Gaussian, GaussianTrainer};
use surrogate::{Points, Predictor, TrainingSet};

use super::own::OwnTrainer;
use super::{Learner, Task};

/// Learns from sets that begin with the points of the one before.
pub(super) trait Trainer: Send {
    /// Learns what later fits start from, if they start from anything.
    fn prepare(&mut self, _data: &TrainingSet<'_>) {}

    /// What a set says; `None` if there is nothing in it.
    fn fit(&mut self, data: &TrainingSet<'_>) -> Option<Box<dyn Learned>>;

    /// Another one that knows the same.
    fn copy(&self) -> Box<dyn Trainer>;
}

/// A trained model of one output.
pub(super) trait Learned: Predictor {
    /// The same, believing that some configurations cost what is expected of them.
    fn believing(&self, configurations: Points<'_>) -> Box<dyn Learned>;

    /// Whether it can take in points without learning anew.
    fn takes_in(&self) -> bool {
        false
    }

    /// Takes in the points of a set from a number on, if it can.
    fn take_in(&mut self, _data: &TrainingSet<'_>, _from: usize) {}

    /// How far each reading it was fitted to lies from what all others foretell, in deviations, `None` of
    /// bounds; nothing at all of a model that cannot tell without learning anew.
    fn residuals(&self) -> Option<Vec<Option<f64>>> {
        None
    }

    /// As [`Predictor`].
    fn predictor(&self) -> &dyn Predictor;
}

/// Knows nothing yet; the purpose and the number of trials key its random stream.
pub(super) fn trainer(task: &Task, learner: Learner, purpose: &str, number: u64) -> Box<dyn Trainer> {
    let seed = Rng::new(task.problem.seed, purpose, number).bits();
    match (learner, &task.settings.own) {
        (Learner::Gaussian, _) => Box::new(GaussianTrainer::new(task.settings.gaussian.clone(), seed)),
        (Learner::Own, Some(own)) => Box::new(OwnTrainer { own: own.clone(), seed }),
        _ => Box::new(ForestTrainer::new(task.forest(number as usize), seed)),
    }
}

impl Trainer for ForestTrainer {
    fn prepare(&mut self, data: &TrainingSet<'_>) {
        // Where there is nothing to learn yet, the next one starts from nothing as well.
        let _ = Self::fit(self, data);
    }

    fn fit(&mut self, data: &TrainingSet<'_>) -> Option<Box<dyn Learned>> {
        let (forest, _) = Self::fit(self, data).ok()?;
        Some(Box::new(forest))
    }

    fn copy(&self) -> Box<dyn Trainer> {
        Box::new(self.clone())
    }
}

impl Learned for Forest {
    fn believing(&self, configurations: Points<'_>) -> Box<dyn Learned> {
        Box::new(Self::believing(self, configurations))
    }

    fn predictor(&self) -> &dyn Predictor {
        self
    }
}

impl Trainer for GaussianTrainer {
    fn fit(&mut self, data: &TrainingSet<'_>) -> Option<Box<dyn Learned>> {
        Some(Box::new(Self::fit(self, data).ok()?))
    }

    fn copy(&self) -> Box<dyn Trainer> {
        Box::new(self.clone())
    }
}

impl Learned for Gaussian {
    fn believing(&self, configurations: Points<'_>) -> Box<dyn Learned> {
        Box::new(Self::believing(self, configurations))
    }

    fn takes_in(&self) -> bool {
        true
    }

    fn take_in(&mut self, data: &TrainingSet<'_>, from: usize) {
        for at in from..data.len() {
            self.learn(&data.row(at).collect::<Vec<f64>>(), data.readings()[at]);
        }
    }

    fn residuals(&self) -> Option<Vec<Option<f64>>> {
        Some(Self::residuals(self))
    }

    fn predictor(&self) -> &dyn Predictor {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dependence;
    use super::super::dependence_tests::told;
    use super::*;
    use surrogate::Prediction;

    #[test]
    fn what_is_taken_in_is_known() {
        let (task, history) = told(Learner::Gaussian, Dependence::Independent, &[], &|_| Vec::new());
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
        learned.take_in(&all, 12);
        assert!(surprise(&*learned) < 0.1 * before, "{before} {}", surprise(&*learned));
    }
}
