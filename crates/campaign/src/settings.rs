//! The settings of a campaign, independent of the scenario format.

use engine::history::History;
use engine::problem::Problem;
use engine::propose::{Initial, Learner, LocalSearch, ModelSearch, ModelSettings, Proposer, RandomSearch};
use engine::racing::{CappedRacer, Racing, Snapshot};
use engine::{Configuration, Optimizer, Space};
use space::SampleError;
use space::design::Design;
use surrogate::InstanceTable;

use crate::budget::Budget;

/// Number of points in the initial design.
const DESIGN: usize = 10;
/// Number of points in the initial design for a Gaussian process, which learns from few points. Together with
/// the default, this is as many points as its first fit needs.
const SMALL_DESIGN: usize = 4;

/// The method that proposes configurations.
#[derive(Clone, PartialEq, Debug)]
pub enum Search {
    /// Random search.
    Random,
    /// Small changes to the incumbent, alternating with random search.
    Local,
    /// Configurations that a model of all trials considers worth a race, alternating with random search.
    Model(Box<ByModel>),
}

/// Settings for a model-based search.
#[derive(Clone, PartialEq, Debug)]
pub struct ByModel {
    /// The settings of the model.
    pub model: ModelSettings,
    /// Features of the instances; `None` if the model knows only which instance each trial ran on.
    pub features: Option<InstanceTable>,
    /// Largest share of the wall time that the optimizer may use. This limit does not apply to campaigns that
    /// are repeatable or run in simulated time.
    pub overhead: f64,
}

impl Default for ByModel {
    fn default() -> Self {
        Self { model: ModelSettings::default(), features: None, overhead: 0.1 }
    }
}

impl Search {
    /// Returns the default search for a target: see [`ModelSettings::suited`].
    pub fn suited(space: &Space, deterministic: bool) -> Self {
        let model = ModelSettings::suited(space, deterministic);
        Self::Model(Box::new(ByModel { model, ..ByModel::default() }))
    }

    /// Returns the number of points in the initial design.
    fn design(&self) -> usize {
        match self {
            Self::Model(by) if by.model.learner == Learner::Gaussian => SMALL_DESIGN,
            _ => DESIGN,
        }
    }

    fn proposer(&self, problem: &Problem) -> Box<dyn Proposer> {
        match self {
            Self::Random => Box::new(RandomSearch::new(problem.space.clone(), problem.seed)),
            Self::Local => Box::new(LocalSearch::new(problem.space.clone(), problem.seed)),
            Self::Model(by) => {
                let (problem, model) = (problem.clone(), by.model.clone());
                Box::new(match &by.features {
                    Some(features) => ModelSearch::with_instances(problem, model, features.clone()),
                    None => ModelSearch::new(problem, model),
                })
            }
        }
    }
}

/// A campaign's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The problem to solve: the space, the objective and the instances.
    pub problem: Problem,
    /// Settings for the races, which compare configurations.
    pub racing: Racing,
    /// The method that proposes configurations.
    pub search: Search,
    /// Configurations that race before all others.
    pub initial: Vec<Configuration>,
    /// Settings for the validation of the result.
    pub validation: Terms,
    /// The limits at which the campaign stops.
    pub budget: Budget,
    /// Whether the campaign processes results in the order in which the trials were requested, so that its
    /// outcome does not depend on the number of workers.
    pub repeatable: bool,
    /// Whether the cost is CPU time. If so, a target that uses almost no CPU time causes a warning.
    pub cpu_matters: bool,
}

impl Settings {
    /// Creates an optimizer for a history, resumed from a snapshot if there is one.
    pub fn optimizer(
        &self,
        mut history: History,
        snapshot: Option<Snapshot>,
    ) -> Result<Optimizer, SampleError> {
        let Problem { space, seed, .. } = &self.problem;
        let then = self.search.proposer(&self.problem);
        let initial = self.initial.clone();
        let count = self.search.design();
        let proposer = Initial::new(initial, space, Design::LatinHypercube, count, *seed, then)?;
        let (problem, racing) = (self.problem.clone(), self.racing.clone());
        let baseline = history.intern(&problem.default);
        history.relate(baseline, &problem.objective.constraints);
        let racer = match snapshot {
            Some(snapshot) => CappedRacer::restore(problem, racing, snapshot, &history),
            None => CappedRacer::new(problem, racing, &mut history),
        };
        // Requests must not depend on how long the running trials have been running.
        let racer = if self.repeatable { racer.hands_off() } else { racer };
        Ok(Optimizer::new(history, Box::new(racer), Box::new(proposer)))
    }
}

/// Settings for a validation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    /// Whether a validation follows the search.
    pub wanted: bool,
    /// The cutoff for validation trials, if it differs from that of the search.
    pub cutoff: Option<f64>,
    /// Number of seeds per instance. `None` means as many as are needed for enough pairs.
    pub seeds: Option<u32>,
    /// Campaign time that the validation may take, in seconds.
    pub budget: Option<f64>,
    /// Whether the validation is part of a verdict over several folds. If so, every instance is measured as
    /// often as in the other folds, and the default is measured even if the search found nothing better.
    pub of_fold: bool,
    /// Whether the seed changes what the target does. If not, repeated trials differ only in their run times.
    pub has_seeds: bool,
    /// Whether costs are times. Times cannot be compared between machines.
    pub are_times: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            wanted: true,
            cutoff: None,
            seeds: None,
            budget: None,
            of_fold: false,
            has_seeds: true,
            are_times: false,
        }
    }
}
