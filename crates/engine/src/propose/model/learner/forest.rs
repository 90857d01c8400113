//! Forests: trees grown on all trials, which later fits start from.

use surrogate::forest::{Forest, ForestTrainer};
use surrogate::{Points, Predictor, TrainingSet};

use super::super::Task;
use super::super::learned::{Learned, Trainer};
use super::{Keys, Kind};

pub(super) struct ForestLearner;

impl Kind for ForestLearner {
    fn trainer(&self, task: &Task, seed: u64, trials: usize) -> Box<dyn Trainer> {
        Box::new(ForestTrainer::new(task.forest(trials), seed))
    }

    fn keys(&self) -> Keys {
        Keys { treatments: &["sample", "mean", "drop", "ignore"], trees: true, ..Keys::default() }
    }
}

impl Trainer for ForestTrainer {
    fn prepare(&mut self, data: &TrainingSet<'_>) {
        // If this fit fails because there is too little data, the next one starts from scratch as well.
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
