//! The probability that a configuration satisfies all constraints.
//!
//! ```text
//! ln P = Σ_i ln Φ((λ_i - μ_i) / σ_i)          or, if outputs depend on each other,
//! ln P = ln P(X_1 <= (λ_1 - μ_1) / σ_1, ..., X_k <= (λ_k - μ_k) / σ_k),   X ~ N(0, R)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | λ_i | the bound of a constraint |
//! | μ_i, σ_i | mean and standard deviation that its model predicts for the output, over all instances or for the worst pair |
//! | R | [correlations](super::dependence) of the models' residuals |
//!
//! Each output has its own model. By default, this model is of the same kind as the model of the cost, or a
//! forest if the cost is learned by networks. A constraint may specify another kind. If a trial was stopped
//! before it reported an output, the model of that output ignores the trial.

use surrogate::{Gradient, Points, Prediction};

use super::dependence::{Dependence, Residual, correlations};
use super::due::Due;
use super::learned::{Learned, Trainer, trainer};
use super::{Learner, Task};
use crate::acquisition::{MultivariateNormal, log_feasibility, log_joint_feasibility};
use crate::history::History;
use crate::learning;

/// Smallest standard deviation of predictions, as a share of the spread of the readings. This minimum does
/// not apply to Gaussian processes. Other models need it because trees may be wrong even if they all agree,
/// and a custom surrogate may be overconfident.
const LEAST_DEVIATION: f64 = 0.02;

/// The models of the constrained outputs.
#[derive(Default)]
pub(super) struct Feasibility {
    /// Number of trials at the last fit from scratch, and the trainers that later fits start from.
    fresh: Option<(usize, Vec<Box<dyn Trainer>>)>,
    /// Number of trials at the last fit.
    fitted: usize,
    models: Vec<Model>,
    /// The joint distribution of the residuals, if dependence is enabled and can be estimated.
    joint: Option<MultivariateNormal>,
}

/// The model of one output.
struct Model {
    output: Box<dyn Learned>,
    /// Index of the constraint.
    constraint: usize,
    bound: f64,
    /// Smallest variance assumed for its predictions.
    least_variance: f64,
    /// Number of points that the model has absorbed.
    points: usize,
}

impl Feasibility {
    /// Fits the models that are due.
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
            self.joint = self.joint_distribution(task, history, last);
            self.fitted = last;
        }
        for model in self.models.iter_mut().filter(|model| model.output.can_absorb()) {
            let data = task.constraint(history, trials, model.constraint);
            model.output.absorb(&data, model.points);
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
            // An output that no trial has reported is unknown, so it rules out no configuration.
            let Some(output) = output else { continue };
            let deviation = if learner_of(task, index, learner).may_be_certain() {
                0.0
            } else {
                LEAST_DEVIATION * data.spread()
            };
            models.push(Model {
                output,
                constraint: index,
                bound: constraint.bound,
                least_variance: deviation * deviation,
                points: data.len(),
            });
        }
        models
    }

    /// Returns the joint distribution of the residuals of the models, which were fitted to this many trials.
    fn joint_distribution(
        &self,
        task: &Task,
        history: &History,
        trials: usize,
    ) -> Option<MultivariateNormal> {
        if task.settings.dependence == Dependence::Independent || self.models.len() < 2 {
            return None;
        }
        let mut by_trial = Vec::with_capacity(self.models.len());
        for model in &self.models {
            let residuals = model.output.residuals()?;
            let part = task.part(trials);
            let places = learning::constraint_places(&task.problem, history, part, model.constraint);
            let of_reading = |reading: usize| residuals[reading].map(|value| Residual { reading, value });
            by_trial.push(places.into_iter().map(|place| place.and_then(of_reading)).collect());
        }
        let correlations = correlations(&by_trial)?;
        Some(MultivariateNormal::new(&correlations, self.models.len()))
    }

    /// Returns whether at least one output has a model.
    pub(super) fn is_known(&self) -> bool {
        !self.models.is_empty()
    }

    /// Returns the predicted excess of each output over its bound, for each configuration.
    pub(super) fn excesses(&self, rows: Points<'_>) -> Vec<Vec<Prediction>> {
        let mut all = vec![Vec::with_capacity(self.models.len()); rows.len()];
        let mut found = vec![Prediction::default(); rows.len()];
        for model in &self.models {
            model.output.predict_marginal(rows, &mut found);
            all.iter_mut().zip(&found).for_each(|(one, found)| one.push(model.excess(*found)));
        }
        all
    }

    /// Returns the logarithm of the probability that outputs with these predicted excesses satisfy all
    /// constraints.
    pub(super) fn log_probability(&self, excesses: &[Prediction]) -> f64 {
        self.joint
            .as_ref()
            .map_or_else(|| log_feasibility(excesses), |joint| log_joint_feasibility(excesses, joint))
    }

    /// Returns the predicted excess of each output over its bound, with its gradient, for each
    /// configuration; `None` if a model has no gradient.
    pub(super) fn excesses_with_gradient(
        &self,
        rows: Points<'_>,
    ) -> Option<Vec<Vec<(Prediction, Gradient)>>> {
        let mut all = vec![Vec::with_capacity(self.models.len()); rows.len()];
        for model in &self.models {
            let found = model.output.predict_with_gradient(rows)?;
            for (one, (output, gradient)) in all.iter_mut().zip(found) {
                one.push((model.excess(output), gradient));
            }
        }
        Some(all)
    }
}

/// Returns the learner for a constrained output, given the learner for the cost.
fn learner_of(task: &Task, constraint: usize, of_cost: Learner) -> Learner {
    task.settings.constraints.get(constraint).copied().flatten().unwrap_or(of_cost)
}

impl Model {
    fn excess(&self, output: Prediction) -> Prediction {
        Prediction { mean: output.mean - self.bound, variance: output.variance.max(self.least_variance) }
    }
}
