//! Proposals that maximise an acquisition function based on a forest, a Gaussian process or a custom
//! surrogate.
//!
//! The model has not seen any trial of the pending configurations. These configurations are assumed to cost
//! what the model expects, so that simultaneous proposals differ.
//!
//! Fits happen after [fixed numbers](super::due) of trials t and use exactly the first t trials. Whenever t
//! has doubled, a forest is fitted from scratch; later fits start from that forest. So any fit can be
//! reproduced without the fits in between: after an interruption or a hurried period, two fits are enough.
//! Gaussian processes, custom surrogates, and fits to a [share](super::task) of many trials always start from
//! scratch. Models that can absorb trials without a new fit do so, trial by trial.

use std::f64::consts::LN_10;

use math::Rng;
use space::Configuration;
use surrogate::forest::Forest;
use surrogate::{Gradient, Points, Prediction, Predictor, Scale};

use super::due::Due;
use super::feasibility::Feasibility;
use super::known::{expected_of_tried, most_promising, rows, success, tried_and_pending};
use super::learned::{Learned, Trainer, trainer};
use super::learner::Method;
use super::search::{Judge, search};
use super::{Learner, Task, Utility};
use crate::acquisition::{
    Acquisition, ExpectedImprovement, ExpectedSaving, LowerBound, ProbabilityOfImprovement,
    log_probability_below, with_success,
};
use crate::history::History;
use crate::propose::Forecast;

/// Share of the cutoff below which a predicted cost means that the trial ends before the cutoff. The share is
/// below 1 because forests predict at most the cutoff itself for trials that time out.
const SAFE_SHARE: f64 = 0.9;

/// The models of one learner.
pub(super) struct Improvement {
    learner: Learner,
    model: Option<Model>,
    feasibility: Feasibility,
}

/// The model of the cost.
struct Model {
    /// The last fit from scratch: the number of trials, and the trainer that later fits start from.
    fresh: (usize, Box<dyn Trainer>),
    /// Number of trials at the last fit.
    fitted: usize,
    /// Number of trials absorbed so far.
    trials: usize,
    costs: Option<Costs>,
}

struct Costs {
    learned: Box<dyn Learned>,
    /// Number of points absorbed so far.
    points: usize,
    /// Forest that predicts which trials succeed; `None` if no trial has failed.
    success: Option<Forest>,
    /// Model of the budget that a trial uses, if the utility needs one.
    spent: Option<Box<dyn Learned>>,
    scale: Scale,
    /// The expected mean cost of each configuration, indexed by number; NaN for those that were not tried or
    /// are not feasible.
    expected: Vec<f64>,
    /// The smallest expected cost.
    best: Option<f64>,
}

impl Improvement {
    /// Creates the models of a learner: a forest, a Gaussian process or a custom surrogate.
    pub(super) fn new(learner: Learner) -> Self {
        Self { learner, model: None, feasibility: Feasibility::default() }
    }
}

impl Method for Improvement {
    /// Returns the new configuration with the largest utility; `None` before the first fit.
    fn propose(&mut self, task: &Task, history: &History, number: usize) -> Option<Configuration> {
        self.learn(task, history);
        self.feasibility.learn(task, self.learner, history);
        let Model { trials, costs: Some(costs), .. } = self.model.as_ref()? else { return None };
        let (tried, pending) = tried_and_pending(history, *trials);
        let tried = most_promising(tried, &costs.expected, task.settings.known);
        let pending = rows(task, history, &pending);
        let believing = costs.learned.believing(Points::new(&pending, task.problem.space.row_length()));
        let judge = Judging {
            costs,
            learned: &*believing,
            feasibility: &self.feasibility,
            utility: task.settings.utility,
            cutoff: task.problem.objective.cutoff.map(|cutoff| costs.scale.model(SAFE_SHARE * cutoff)),
        };
        let mut rng = Rng::new(task.problem.seed, "model search", number as u64);
        search(&task.problem.space, history, &tried, &judge, &task.settings, &mut rng)
    }

    fn forecast(&self, task: &Task, configuration: &Configuration) -> Option<Forecast> {
        let costs = self.model.as_ref()?.costs.as_ref()?;
        let row = task.problem.space.encode(configuration);
        let mut found = [Prediction::default()];
        costs.learned.predict_marginal(Points::new(&row, row.len()), &mut found);
        let [Prediction { mean, .. }] = found;
        let deviation = found[0].deviation();
        let [cost, low, high] = [mean, mean - deviation, mean + deviation].map(|at| costs.scale.cost(at));
        Some(Forecast { cost, low, high })
    }

    fn expected(&mut self, task: &Task, history: &History) -> &[f64] {
        self.learn(task, history);
        self.model.as_ref().and_then(|model| model.costs.as_ref()).map_or(&[], |costs| &costs.expected)
    }
}

impl Improvement {
    /// Makes the fits that are due and absorbs the trials that have ended since then.
    fn learn(&mut self, task: &Task, history: &History) {
        let now = history.trials().len();
        let Some(Due { fresh, last }) = task.due(now) else {
            self.model = None;
            return;
        };
        let mut model = match self.model.take() {
            Some(model) if model.fresh.0 == fresh && model.fitted == last && model.trials <= now => model,
            Some(model) if model.fresh.0 == fresh => fit(task, self.learner, history, model.fresh, last),
            _ => {
                let mut trainer = trainer(task, self.learner, self.learner.word(), fresh as u64);
                if last > fresh {
                    trainer.prepare(&task.costs(history, fresh));
                }
                fit(task, self.learner, history, (fresh, trainer), last)
            }
        };
        model.absorb(task, history);
        self.model = Some(model);
    }
}

fn fit(
    task: &Task,
    learner: Learner,
    history: &History,
    mut fresh: (usize, Box<dyn Trainer>),
    trials: usize,
) -> Model {
    let data = task.costs(history, trials);
    let learned = if trials == fresh.0 { fresh.1.fit(&data) } else { fresh.1.copy().fit(&data) };
    let costs = learned.map(|learned| {
        let success = success(task, history, trials);
        let mut costs = Costs {
            learned,
            points: data.len(),
            success,
            spent: spent(task, learner, history, trials),
            scale: data.scale(),
            expected: Vec::new(),
            best: None,
        };
        costs.expect(task, history, trials);
        costs
    });
    Model { fresh, fitted: trials, trials, costs }
}

impl Model {
    fn absorb(&mut self, task: &Task, history: &History) {
        let now = history.trials().len();
        // Collecting the points of many trials takes a long time, and forests could not absorb them.
        let can = |costs: &&mut Costs| costs.learned.can_absorb() && self.trials < now;
        let Some(costs) = self.costs.as_mut().filter(can) else { return };
        let data = task.costs(history, now);
        // If the scale has changed, a new fit is needed. That fit will be made when it is due.
        if data.scale() == costs.scale {
            costs.learned.absorb(&data, costs.points);
            costs.points = data.len();
            self.trials = now;
            costs.expect(task, history, now);
        }
    }
}

impl Costs {
    fn expect(&mut self, task: &Task, history: &History, trials: usize) {
        self.expected = expected_of_tried(task, history, trials, self.learned.predictor());
        self.best = self.expected.iter().copied().filter(|mean| !mean.is_nan()).min_by(f64::total_cmp);
    }
}

/// Fits a model of the logarithm of the budget that trials use; `None` if the utility does not need it.
fn spent(task: &Task, learner: Learner, history: &History, trials: usize) -> Option<Box<dyn Learned>> {
    if task.settings.utility != Utility::ImprovementPerSpent {
        return None;
    }
    trainer(task, learner, "spent", trials as u64).fit(&task.spent(history, trials))
}

/// A judge that rates configurations by the utility of their predictions.
struct Judging<'a> {
    costs: &'a Costs,
    learned: &'a dyn Learned,
    feasibility: &'a Feasibility,
    utility: Utility,
    /// Predicted cost, on the model's scale, below which a trial is taken to end before the cutoff.
    cutoff: Option<f64>,
}

impl Judging<'_> {
    /// Returns the log utility of a cost, including the probability that all constraints are satisfied. While
    /// no feasible configuration is known, only two probabilities count: that of satisfying the constraints,
    /// and that of ending before the cutoff. A trial that times out reports no output, so nothing would be
    /// learned from a configuration that satisfies the constraints but is too slow.
    fn log_utility(&self, cost: Prediction, log_feasible: f64) -> f64 {
        let best = self.costs.best;
        if best.is_none() && self.feasibility.is_known() {
            return log_feasible + self.cutoff.map_or(0.0, |cutoff| log_probability_below(cost, cutoff));
        }
        let acquisition: &dyn Acquisition = match (self.utility, self.costs.scale) {
            (Utility::ExpectedImprovement | Utility::ImprovementPerSpent, Scale::Log10 { .. }) => {
                &ExpectedSaving
            }
            (Utility::ExpectedImprovement | Utility::ImprovementPerSpent, Scale::Linear) => {
                &ExpectedImprovement
            }
            (Utility::LowerBound(deviations), _) => &LowerBound { deviations },
            (Utility::ProbabilityOfImprovement, _) => &ProbabilityOfImprovement,
        };
        acquisition.log_utility(cost, &[], best) + log_feasible
    }
}

impl Judge for Judging<'_> {
    fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>) {
        let mut costs = vec![Prediction::default(); rows.len()];
        self.learned.predict_marginal(rows, &mut costs);
        let excesses = self.feasibility.excesses(rows);
        out.clear();
        let judged = costs.iter().zip(&excesses);
        out.extend(
            judged
                .map(|(&cost, excesses)| self.log_utility(cost, self.feasibility.log_probability(excesses))),
        );
        if let Some(spent) = &self.costs.spent {
            spent.predict_marginal(rows, &mut costs);
            out.iter_mut().zip(&costs).for_each(|(utility, spent)| *utility -= LN_10 * spent.mean);
        }
        if let Some(success) = &self.costs.success {
            success.predict_marginal(rows, &mut costs);
            for (utility, share) in out.iter_mut().zip(&costs) {
                *utility = with_success(*utility, share.mean);
            }
        }
    }

    fn judge_with_gradient(&self, rows: Points<'_>, gradients: &mut [f64]) -> Option<Vec<f64>> {
        let costs = self.learned.predict_with_gradient(rows)?;
        let excesses = self.feasibility.excesses_with_gradient(rows)?;
        let spent = match &self.costs.spent {
            None => None,
            Some(spent) => Some(spent.predict_with_gradient(rows)?),
        };
        gradients.fill(0.0);
        let mut utilities = Vec::with_capacity(rows.len());
        let each = costs.iter().zip(&excesses).zip(gradients.chunks_exact_mut(rows.width()));
        for (at, (((cost, of_cost), excesses), out)) in each.enumerate() {
            let above: Vec<Prediction> = excesses.iter().map(|(excess, _)| *excess).collect();
            let log_feasible = self.feasibility.log_probability(&above);
            let mut utility = self.log_utility(*cost, log_feasible);
            let by_cost = derivative(*cost, |cost| self.log_utility(cost, log_feasible));
            add_chain_rule(of_cost, by_cost, out);
            for (index, (excess, of_excess)) in excesses.iter().enumerate() {
                let mut moved = above.clone();
                let by_excess = derivative(*excess, |excess| {
                    moved[index] = excess;
                    self.log_utility(*cost, self.feasibility.log_probability(&moved))
                });
                add_chain_rule(of_excess, by_excess, out);
            }
            if let Some(spent) = &spent {
                let (spent, of_spent) = &spent[at];
                utility -= LN_10 * spent.mean;
                add_chain_rule(of_spent, Derivative { mean: -LN_10, variance: 0.0 }, out);
            }
            utilities.push(utility);
        }
        // The forest that predicts which trials succeed has no gradient, so it is ignored here.
        Some(utilities)
    }
}

/// Adds the gradient of a utility by the chain rule: the gradient of a prediction times the derivative of the
/// utility with respect to this prediction.
fn add_chain_rule(gradient: &Gradient, derivative: Derivative, out: &mut [f64]) {
    for (out, (mean, variance)) in out.iter_mut().zip(gradient.mean.iter().zip(&gradient.variance)) {
        *out += derivative.mean * mean + derivative.variance * variance;
    }
}

/// The derivative of a utility with respect to a prediction.
struct Derivative {
    mean: f64,
    variance: f64,
}

/// Computes the derivative by central differences. The result is accurate because, for every acquisition
/// function, the utility is a smooth function of the mean and the variance.
fn derivative(at: Prediction, mut utility: impl FnMut(Prediction) -> f64) -> Derivative {
    const STEP: f64 = 1e-5;
    let deviation = at.deviation();
    if deviation <= 0.0 {
        return Derivative { mean: 0.0, variance: 0.0 };
    }
    let step = STEP * deviation;
    let mut slope = |of: &dyn Fn(f64) -> Prediction| {
        let slope = (utility(of(step)) - utility(of(-step))) / (2.0 * step);
        if slope.is_finite() { slope } else { 0.0 }
    };
    let mean = slope(&|step| Prediction { mean: at.mean + step, ..at });
    let by_deviation = slope(&|step| Prediction { variance: (deviation + step) * (deviation + step), ..at });
    Derivative { mean, variance: by_deviation / (2.0 * deviation) }
}

#[cfg(test)]
mod tests {
    use super::super::dependence::Dependence;
    use super::super::dependence_tests::random_history;
    use super::*;

    #[test]
    fn the_gradient_is_that_of_the_utility_whatever_the_dependence() {
        // The gradient of a lower confidence bound is small enough not to hide the gradients of the
        // constraints and of the budget used.
        let bound = Utility::LowerBound(1.0);
        let cases = [
            (Dependence::Independent, bound),
            (Dependence::Residuals, bound),
            (Dependence::Independent, Utility::ImprovementPerSpent),
        ];
        for (dependence, utility) in cases {
            let outputs = |output: f64| vec![output, 0.3 - output, output];
            let (mut task, history) =
                random_history(Learner::Gaussian, dependence, &[1.2, -0.2, 1.0], &outputs);
            task.settings.utility = utility;
            let mut improvement = Improvement::new(Learner::Gaussian);
            improvement.learn(&task, &history);
            improvement.feasibility.learn(&task, Learner::Gaussian, &history);
            let costs = improvement.model.as_ref().unwrap().costs.as_ref().unwrap();
            let judge = Judging {
                costs,
                learned: &*costs.learned,
                feasibility: &improvement.feasibility,
                utility: bound,
                cutoff: None,
            };
            assert_eq!(costs.spent.is_some(), utility == Utility::ImprovementPerSpent);
            for row in [[0.15, 0.3], [0.1, 0.6], [0.6, 0.4]] {
                let mut gradient = [0.0; 2];
                let here = judge.judge_with_gradient(Points::new(&row, 2), &mut gradient).unwrap()[0];
                let excesses = improvement.feasibility.excesses(Points::new(&row, 2));
                let log_feasible = improvement.feasibility.log_probability(&excesses[0]);
                assert!(log_feasible < -0.1, "{row:?}: {log_feasible}");
                let utility = |row: [f64; 2]| {
                    let mut out = Vec::new();
                    judge.judge(Points::new(&row, 2), &mut out);
                    out[0]
                };
                assert!((here - utility(row)).abs() < 1e-9 * here.abs(), "{here}");
                for column in 0..2 {
                    let moved = |by: f64| {
                        let mut row = row;
                        row[column] += by;
                        utility(row)
                    };
                    let known = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    assert!(
                        (gradient[column] - known).abs() < 0.01 * known.abs().max(1.0),
                        "{row:?} {known} {gradient:?}"
                    );
                }
            }
        }
    }

    /// Without the pending configuration, all searches would find the same maximum.
    #[test]
    fn no_proposal_is_close_to_a_pending_configuration() {
        let (task, mut history) =
            random_history(Learner::Gaussian, Dependence::Independent, &[], &|_| Vec::new());
        let mut improvement = Improvement::new(Learner::Gaussian);
        let mut propose = |history: &History, number: usize| {
            let found = improvement.propose(&task, history, number).unwrap();
            (task.problem.space.encode(&found), found)
        };
        let apart = |one: &[f64], other: &[f64]| {
            one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (first, found) = propose(&history, 25);
        let (again, _) = propose(&history, 26);
        assert!(apart(&first, &again) < 0.01, "{first:?} {again:?}");
        history.intern(&found);
        let (other, _) = propose(&history, 26);
        assert!(apart(&first, &other) > 0.03, "{first:?} {other:?}");
    }
}
