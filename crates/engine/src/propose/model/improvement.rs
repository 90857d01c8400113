//! Where a forest expects most to be gained.
//!
//! Configurations that the model has not seen a trial of are [believed](Forest::believing) to cost what it
//! expects, so that several proposals at once differ.
//!
//! Fits happen after [fixed numbers](super::due) of trials t and use just the first t. One starts from
//! nothing whenever t has doubled, the others start from that one, so that any fit can be made without
//! those between: after an interruption, or a hurry, it takes two at most.

use super::due::{Due, due};
use super::known::{expected_of_tried, rows, success, tried_and_pending};
use super::search::{Judge, search};
use super::{Task, Utility};
use crate::acquisition::{
    Acquisition, ExpectedImprovement, ExpectedSaving, LowerBound, ProbabilityOfImprovement,
};
use crate::history::History;
use crate::rng::Rng;
use crate::space::Configuration;
use crate::surrogate::forest::{Forest, ForestTrainer};
use crate::surrogate::{Points, Prediction, Predictor, Scale, TrainingSet};

/// What the forest knows by now, if there is enough to know.
#[derive(Default)]
pub(super) struct Improvement {
    model: Option<Model>,
}

/// What is known after some number of trials.
struct Model {
    /// The last fit that started from nothing: after how many trials, and what later ones start from.
    fresh: (usize, ForestTrainer),
    trials: usize,
    fitted: Option<Fitted>,
}

struct Fitted {
    forest: Forest,
    /// Which trials fail, if any did.
    success: Option<Forest>,
    scale: Scale,
    /// The mean cost that the forest expects of each configuration by number; NaN of those that were not
    /// tried or are not feasible.
    expected: Vec<f64>,
    /// The smallest of these.
    best: Option<f64>,
}

impl Improvement {
    /// The new configuration of largest utility; `None` before the first fit.
    pub(super) fn propose(&mut self, task: &Task, history: &History, number: usize) -> Option<Configuration> {
        self.learn(task, history);
        let Model { trials, fitted: Some(fitted), .. } = self.model.as_ref()? else { return None };
        let (tried, pending) = tried_and_pending(history, *trials);
        let pending = rows(task, history, &pending);
        let believing = fitted.forest.believing(Points::new(&pending, task.problem.space.row_length()));
        let judge = Judging { fitted, forest: &believing, utility: task.settings.utility };
        let mut rng = Rng::new(task.problem.seed, "model search", number as u64);
        search(&task.problem.space, history, &tried, &judge, &task.settings, &mut rng)
    }

    /// What the configurations tried are expected to cost; nothing before the first fit.
    pub(super) fn expected(&mut self, task: &Task, history: &History) -> &[f64] {
        self.learn(task, history);
        self.model.as_ref().and_then(|model| model.fitted.as_ref()).map_or(&[], |fitted| &fitted.expected)
    }

    /// Fits what is due by now, if it is not there yet.
    fn learn(&mut self, task: &Task, history: &History) {
        let settings = &task.settings;
        let Some(Due { fresh, last }) = due(settings.first_fit, settings.refit, history.trials().len())
        else {
            self.model = None;
            return;
        };
        match self.model.take() {
            Some(model) if model.fresh.0 == fresh && model.trials == last => self.model = Some(model),
            Some(model) if model.fresh.0 == fresh => self.model = Some(fit(task, history, model.fresh, last)),
            _ => {
                let seed = Rng::new(task.problem.seed, "forest", fresh as u64).bits();
                let mut trainer = ForestTrainer::new(settings.forest.clone(), seed);
                if last > fresh {
                    // Where there is no cost yet, the next one starts from nothing as well.
                    let costs = TrainingSet::costs(&task.problem, history, fresh, &task.instances);
                    let _ = trainer.fit(&costs);
                }
                self.model = Some(fit(task, history, (fresh, trainer), last));
            }
        }
    }
}

fn fit(task: &Task, history: &History, mut fresh: (usize, ForestTrainer), trials: usize) -> Model {
    let costs = TrainingSet::costs(&task.problem, history, trials, &task.instances);
    let grown = if trials == fresh.0 { fresh.1.fit(&costs) } else { fresh.1.clone().fit(&costs) };
    let fitted = grown.ok().map(|(forest, _)| {
        let expected = expected_of_tried(task, history, trials, &forest);
        let best = expected.iter().copied().filter(|mean| !mean.is_nan()).min_by(f64::total_cmp);
        let success = success(task, history, trials);
        Fitted { forest, success, scale: costs.scale(), expected, best }
    });
    Model { fresh, trials, fitted }
}

/// Judges configurations by the utility of what is expected of them.
struct Judging<'a> {
    fitted: &'a Fitted,
    forest: &'a Forest,
    utility: Utility,
}

impl Judge for Judging<'_> {
    fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>) {
        let mut costs = vec![Prediction::default(); rows.len()];
        self.forest.predict_marginal(rows, &mut costs);
        let best = self.fitted.best;
        let acquisition: &dyn Acquisition = match (self.utility, self.fitted.scale) {
            (Utility::ExpectedImprovement, Scale::Log10 { .. }) => &ExpectedSaving,
            (Utility::ExpectedImprovement, Scale::Linear) => &ExpectedImprovement,
            (Utility::LowerBound(deviations), _) => &LowerBound { deviations },
            (Utility::ProbabilityOfImprovement, _) => &ProbabilityOfImprovement,
        };
        out.clear();
        out.extend(costs.iter().map(|&cost| acquisition.log_utility(cost, &[], best)));
        if let Some(success) = &self.fitted.success {
            success.predict_marginal(rows, &mut costs);
            for (utility, share) in out.iter_mut().zip(&costs) {
                *utility = crate::acquisition::with_success(*utility, share.mean);
            }
        }
    }
}
