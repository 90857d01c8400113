//! The learner that predicts trials best, as [`Chooser`](super::super::choice::Chooser) finds it. Where a
//! single model has to answer at once, it is a forest.

use super::super::learned::Trainer;
use super::super::{ModelSettings, Task};
use super::{Keys, Kind, Learner};

/// Estimated seconds for the first comparison of learners with few trials. The comparison fits four networks,
/// forests and Gaussian processes.
const FIRST_JUDGEMENT: f64 = 1.0;
/// Time that a comparison spends on fitting forests, as a multiple of the first fit's time.
const JUDGED_FITS: f64 = 4.0;

pub(super) struct AutoLearner;

impl Kind for AutoLearner {
    fn trainer(&self, task: &Task, seed: u64, trials: usize) -> Box<dyn Trainer> {
        Learner::Forest.trainer(task, seed, trials)
    }

    fn first_seconds(&self, _settings: &ModelSettings, _trials: usize, forest: f64) -> f64 {
        FIRST_JUDGEMENT + JUDGED_FITS * forest
    }

    fn keys(&self) -> Keys {
        Keys {
            treatments: &["sample", "tobit", "likelihood", "mean", "drop", "ignore"],
            trees: true,
            residuals: true,
            outputs: false,
            ..Keys::default()
        }
    }
}
