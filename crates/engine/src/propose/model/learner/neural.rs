//! Networks, by Thompson sampling: propose the configuration with the lowest cost according to a network trained for this
//! proposal.
//!
//! ```text
//! θ = arg min μ(θ) / s - ln p(θ) - ln q(θ)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ | the cost over all instances, predicted by a network that is trained for this proposal only |
//! | s | log10 e if the model predicts the logarithm of the cost, otherwise the spread of the readings |
//! | p | the probability that a trial succeeds, if some failed |
//! | q | the probability that all [constraints](super::super::feasibility) are satisfied, as predicted by forests; until a feasible configuration is known, μ counts only as far as it is above the cutoff |
//!
//! Networks differ in their initial weights and in the order in which they see the points. Where little is
//! known, they disagree, and some of them expect a low cost. Where every trial was stopped, they disagree as
//! well, but none of them expects a low cost. Expected improvement, which uses only the mean and the spread
//! of their predictions, would return to such regions again and again. Each proposal has its own network, so
//! the proposals of simultaneous workers differ.
//!
//! K. Eggensperger, K. Haase, P. Müller, M. Lindauer, F. Hutter, Neural Model-based Optimization with
//! Right-Censored Observations, 2020.

use math::Rng;
use space::Configuration;
use surrogate::forest::Forest;
use surrogate::{Points, Prediction, Predictor, Scale};

use super::super::feasibility::Feasibility;
use super::super::known::{feasible, most_promising, success, tried_and_pending};
use super::super::learned::Trainer;
use super::super::search::{Judge, search};
use super::super::{ModelSettings, Task};
use super::{Keys, Kind, Learner, Method};
use crate::acquisition::with_success;
use crate::history::History;
use crate::propose::Forecast;

pub(super) struct NeuralLearner;

impl Kind for NeuralLearner {
    /// Returns a forest, which learns constrained outputs and amounts of the budget.
    fn trainer(&self, task: &Task, seed: u64, trials: usize) -> Box<dyn Trainer> {
        Learner::Forest.trainer(task, seed, trials)
    }

    fn method(&self, _learner: Learner) -> Box<dyn Method> {
        Box::<Thompson>::default()
    }

    fn expects_costs(&self) -> bool {
        false
    }

    fn keys(&self) -> Keys {
        Keys {
            treatments: &["tobit", "mean", "drop", "ignore"],
            acquisition: false,
            outputs: false,
            ..Keys::default()
        }
    }
}

/// The state kept between proposals.
#[derive(Default)]
struct Thompson {
    /// Number of trials at the last fit, and the forest that predicts which trials succeed, if any failed.
    success: Option<(usize, Option<Forest>)>,
    feasibility: Feasibility,
}

impl Method for Thompson {
    /// Returns the configuration with the lowest cost according to a new network, among those not in the
    /// history. Returns `None` before the first fit, or if the network could not be trained.
    fn propose(&mut self, task: &Task, history: &History, number: usize) -> Option<Configuration> {
        let Task { problem, settings, .. } = task;
        let trials = history.trials().len();
        if trials < settings.first_fit {
            return None;
        }
        let costs = task.costs(history, trials);
        let mut rng = Rng::new(problem.seed, "thompson", number as u64);
        let (network, effort) = settings.network(costs.len()).train(&costs, &mut rng).ok()?;
        if effort.untrained > 0 {
            // Training failed, so the weights are random and the network's predictions are worthless.
            return None;
        }
        let unit = match costs.scale() {
            Scale::Log10 { .. } => std::f64::consts::LOG10_E,
            Scale::Linear => costs.spread().max(f64::MIN_POSITIVE),
        };
        self.learn_success(task, history);
        self.feasibility.learn(task, Learner::Forest, history);
        let judge = Judging {
            network: &network,
            unit,
            success: self.success.as_ref().and_then(|(_, forest)| forest.as_ref()),
            feasibility: &self.feasibility,
            any_feasible: feasible(task, history, trials).contains(&true),
            cutoff: costs.cutoff(),
        };
        let (tried, _) = tried_and_pending(history, trials);
        let tried = most_promising(tried, &[], settings.known);
        let wide = ModelSettings { candidates: settings.thompson_candidates, ..settings.clone() };
        let mut rng = Rng::new(problem.seed, "model search", number as u64);
        search(&problem.space, history, &tried, &judge, &wide, &mut rng)
    }

    /// The network is not kept.
    fn forecast(&self, _task: &Task, _configuration: &Configuration) -> Option<Forecast> {
        None
    }

    fn expected(&mut self, _task: &Task, _history: &History) -> &[f64] {
        &[]
    }
}

impl Thompson {
    /// Fits the forest that predicts which trials succeed, if a fit is due.
    fn learn_success(&mut self, task: &Task, history: &History) {
        let Some(trials) = task.due(history.trials().len()).map(|due| due.last) else { return };
        if self.success.as_ref().is_none_or(|(known, _)| *known != trials) {
            self.success = Some((trials, success(task, history, trials)));
        }
    }
}

/// A judge that rates configurations by the predictions of a network.
struct Judging<'a> {
    network: &'a dyn Predictor,
    unit: f64,
    success: Option<&'a Forest>,
    feasibility: &'a Feasibility,
    any_feasible: bool,
    /// The largest cost that a trial may reach, on the model's scale.
    cutoff: Option<f64>,
}

impl Judge for Judging<'_> {
    fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>) {
        let mut found = vec![Prediction::default(); rows.len()];
        self.network.predict_marginal(rows, &mut found);
        out.clear();
        let utility = |cost: &Prediction| {
            if self.any_feasible || !self.feasibility.is_known() {
                return -cost.mean / self.unit;
            }
            // While no feasible configuration is known, only two things count: feasibility, and ending before
            // the cutoff, because a trial that times out reports no output.
            self.cutoff.map_or(0.0, |cutoff| -(cost.mean - cutoff).max(0.0) / self.unit)
        };
        out.extend(found.iter().map(utility));
        for (utility, excesses) in out.iter_mut().zip(self.feasibility.excesses(rows)) {
            *utility += self.feasibility.log_probability(&excesses);
        }
        if let Some(success) = self.success {
            success.predict_marginal(rows, &mut found);
            for (utility, share) in out.iter_mut().zip(&found) {
                *utility = with_success(*utility, share.mean);
            }
        }
    }
}
