//! How probable it is that a configuration keeps all constraints.
//!
//! ```text
//! ln P = Σ_i ln Φ((λ_i - μ_i) / σ_i)          or, where outputs depend on each other,
//! ln P = ln P(X_1 <= (λ_1 - μ_1) / σ_1, ..., X_k <= (λ_k - μ_k) / σ_k),   X ~ N(0, R)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | λ_i | the bound of a constraint |
//! | μ_i, σ_i | what its model expects of the output, over all instances or of the worst pair |
//! | R | [correlations](super::dependence) of what the models did not foretell |
//!
//! Each output has a model of its own: of the kind that models the cost, of forests where that is networks, or of
//! the kind that was asked for. A trial that was stopped before it told an output is not in that output's model.

use surrogate::{Points, Prediction, Slopes};

use super::dependence::{Dependence, Surprise, correlations};
use super::due::Due;
use super::learned::{Learned, Trainer, trainer};
use super::{Learner, Task};
use crate::acquisition::{MultivariateNormal, log_feasibility, log_joint_feasibility};
use crate::history::History;
use crate::learning;

/// Least deviation of an expectation that is not of a Gaussian process, as a share of the spread of what was read:
/// where all trees agree they may still be wrong, and so may be a surrogate that knows no doubt.
const LEAST_DOUBT: f64 = 0.02;

/// What is known of the constrained outputs by now.
#[derive(Default)]
pub(super) struct Feasibility {
    /// After how many trials their first fit from nothing was, and what later ones start from.
    fresh: Option<(usize, Vec<Box<dyn Trainer>>)>,
    /// After how many trials the last one was.
    fitted: usize,
    models: Vec<Model>,
    /// How their outputs depend on each other, where that is asked for and can be told.
    law: Option<MultivariateNormal>,
}

/// The model of one output.
struct Model {
    output: Box<dyn Learned>,
    /// Which constraint.
    constraint: usize,
    bound: f64,
    /// Least variance.
    doubt: f64,
    /// Points it has taken in.
    points: usize,
}

impl Feasibility {
    /// Learns what is due by now.
    pub(super) fn learn(&mut self, task: &Task, learner: Learner, history: &History) {
        let count = task.problem.objective.constraints.len();
        let trials = history.trials().len();
        let Some(Due { fresh, last }) = task.due(trials) else {
            *self = Self::default();
            return;
        };
        if count == 0 {
            return;
        }
        if self.fresh.as_ref().is_none_or(|(known, _)| *known != fresh) {
            let new = |index: usize| {
                let learner = learner_of(task, index, learner);
                let mut trainer = trainer(task, learner, &format!("constraint {index}"), fresh as u64);
                if last > fresh {
                    trainer.prepare(&task.constraint(history, fresh, index));
                }
                trainer
            };
            self.fresh = Some((fresh, (0..count).map(new).collect()));
            self.fitted = 0;
        }
        if self.fitted != last {
            self.models = self.fit(task, learner, history, last);
            self.law = self.law(task, history, last);
            self.fitted = last;
        }
        for model in self.models.iter_mut().filter(|model| model.output.takes_in()) {
            let data = task.constraint(history, trials, model.constraint);
            model.output.take_in(&data, model.points);
            model.points = data.len().max(model.points);
        }
    }

    fn fit(&mut self, task: &Task, learner: Learner, history: &History, trials: usize) -> Vec<Model> {
        let Some((fresh, trainers)) = &mut self.fresh else { return Vec::new() };
        let mut models = Vec::new();
        for (index, constraint) in task.problem.objective.constraints.iter().enumerate() {
            let data = task.constraint(history, trials, index);
            let output =
                if trials == *fresh { trainers[index].fit(&data) } else { trainers[index].copy().fit(&data) };
            // Nothing is known of an output that no trial has told: it rules nothing out.
            let Some(output) = output else { continue };
            let doubt = if learner_of(task, index, learner) == Learner::Gaussian {
                0.0
            } else {
                LEAST_DOUBT * data.spread()
            };
            models.push(Model {
                output,
                constraint: index,
                bound: constraint.bound,
                doubt: doubt * doubt,
                points: data.len(),
            });
        }
        models
    }

    /// How the outputs depend on each other, by models that were fitted to so many trials.
    fn law(&self, task: &Task, history: &History, trials: usize) -> Option<MultivariateNormal> {
        if task.settings.dependence == Dependence::Independent || self.models.len() < 2 {
            return None;
        }
        let mut by_trial = Vec::with_capacity(self.models.len());
        for model in &self.models {
            let residuals = model.output.residuals()?;
            let part = task.part(trials);
            let places = learning::constraint_places(&task.problem, history, part, model.constraint);
            let surprise = |reading: usize| residuals[reading].map(|residual| Surprise { reading, residual });
            by_trial.push(places.into_iter().map(|place| place.and_then(surprise)).collect());
        }
        let correlations = correlations(&by_trial)?;
        Some(MultivariateNormal::new(&correlations, self.models.len()))
    }

    /// Whether any output is known.
    pub(super) fn is_known(&self) -> bool {
        !self.models.is_empty()
    }

    /// How far each output is expected to lie above its bound, configuration by configuration.
    pub(super) fn excesses(&self, rows: Points<'_>) -> Vec<Vec<Prediction>> {
        let mut all = vec![Vec::with_capacity(self.models.len()); rows.len()];
        let mut found = vec![Prediction::default(); rows.len()];
        for model in &self.models {
            model.output.predict_marginal(rows, &mut found);
            all.iter_mut().zip(&found).for_each(|(one, found)| one.push(model.excess(*found)));
        }
        all
    }

    /// The logarithm of the probability that outputs so far above their bounds keep them all.
    pub(super) fn log_probability(&self, excesses: &[Prediction]) -> f64 {
        self.law
            .as_ref()
            .map_or_else(|| log_feasibility(excesses), |law| log_joint_feasibility(excesses, law))
    }

    /// How far each output is expected to lie above its bound, with slopes, configuration by configuration;
    /// `None` if a model has none.
    pub(super) fn excesses_with_slopes(&self, rows: Points<'_>) -> Option<Vec<Vec<(Prediction, Slopes)>>> {
        let mut all = vec![Vec::with_capacity(self.models.len()); rows.len()];
        for model in &self.models {
            let found = model.output.predict_with_slopes(rows)?;
            for (one, (output, slopes)) in all.iter_mut().zip(found) {
                one.push((model.excess(output), slopes));
            }
        }
        Some(all)
    }
}

/// What learns the output of a constraint, given what learns the cost.
fn learner_of(task: &Task, constraint: usize, of_cost: Learner) -> Learner {
    task.settings.constraints.get(constraint).copied().flatten().unwrap_or(of_cost)
}

impl Model {
    fn excess(&self, output: Prediction) -> Prediction {
        Prediction { mean: output.mean - self.bound, variance: output.variance.max(self.doubt) }
    }
}
