//! Gaussian processes: they absorb single trials, and restart after they have converged.

use space::Configuration;
use surrogate::gaussian::{Gaussian, GaussianTrainer};
use surrogate::{Points, Predictor, TrainingSet};

use super::super::improvement::Improvement;
use super::super::learned::{Learned, Trainer};
use super::super::restart::Restart;
use super::super::{ModelSettings, TURNS_UNTIL, Task};
use super::{Keys, Kind, Learner, Method};
use crate::history::History;
use crate::propose::Forecast;

/// Number of points in the initial design. A Gaussian process learns from few points; together with the
/// default, these are as many as its first fit needs.
const SMALL_DESIGN: usize = 4;
/// Estimated seconds for the first fit, divided by the cube of the number of points. An upper bound for
/// current machines.
const PER_CUBE: f64 = 2e-8;

pub(super) struct GaussianLearner;

impl Kind for GaussianLearner {
    fn suited(&self, default: ModelSettings) -> ModelSettings {
        ModelSettings { known: 200, design: SMALL_DESIGN, first_fit: 5, random_every: 20, ..default }
    }

    fn trainer(&self, task: &Task, seed: u64, _trials: usize) -> Box<dyn Trainer> {
        Box::new(GaussianTrainer::new(task.settings.gaussian.clone(), seed))
    }

    fn method(&self, learner: Learner) -> Box<dyn Method> {
        Box::new(Restarting { whole: Improvement::new(learner), restart: Restart::new() })
    }

    fn gives_way(&self) -> bool {
        true
    }

    fn may_be_certain(&self) -> bool {
        true
    }

    fn first_seconds(&self, settings: &ModelSettings, trials: usize, forest: f64) -> f64 {
        if settings.forest_from.is_some_and(|from| trials >= TURNS_UNTIL * from) {
            return forest;
        }
        let points = trials.min(settings.gaussian.max_points) as f64;
        forest + PER_CUBE * points * points * points
    }

    fn keys(&self) -> Keys {
        Keys { treatments: &["likelihood", "drop", "ignore"], residuals: true, ..Keys::default() }
    }
}

/// A process that has learned from all trials, and its latest [restart](super::super::restart).
struct Restarting {
    whole: Improvement,
    restart: Restart,
}

impl Method for Restarting {
    fn propose(&mut self, task: &Task, history: &History, number: usize) -> Option<Configuration> {
        match self.restart.propose(task, history, number) {
            Some(found) => found,
            None => self.whole.propose(task, history, number),
        }
    }

    fn forecast(&self, task: &Task, configuration: &Configuration) -> Option<Forecast> {
        self.whole.forecast(task, configuration)
    }

    fn expected(&mut self, task: &Task, history: &History) -> &[f64] {
        self.whole.expected(task, history)
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

    fn can_absorb(&self) -> bool {
        true
    }

    fn absorb(&mut self, data: &TrainingSet<'_>, from: usize) {
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
