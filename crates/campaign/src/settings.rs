//! What a campaign is made of, however it was described.

use engine::history::History;
use engine::problem::Problem;
use engine::propose::{Initial, Learner, LocalSearch, ModelSearch, ModelSettings, Proposer, RandomSearch};
use engine::racing::{CappedRacer, Racing, Snapshot};
use engine::{Configuration, Optimizer, Space};
use space::SampleError;
use space::design::Design;
use surrogate::InstanceTable;

use crate::budget::Budget;

/// Points of the first design.
const DESIGN: usize = 10;
/// The same for a Gaussian process, which learns from few: with the default they are as many as its first
/// fit takes.
const SMALL_DESIGN: usize = 4;

/// Who proposes configurations.
#[derive(Clone, PartialEq, Debug)]
pub enum Search {
    /// Random search.
    Random,
    /// Small changes of the incumbent in turns with random search.
    Local,
    /// What a model of all trials finds worth a race, in turns with random search.
    Model(Box<ByModel>),
}

/// How a model searches.
#[derive(Clone, PartialEq, Debug)]
pub struct ByModel {
    /// The model, and what it is asked.
    pub model: ModelSettings,
    /// What is known of the instances; `None` if that is only which is which.
    pub features: Option<InstanceTable>,
    /// Largest share of the time on the clock for the optimizer; not for campaigns that are repeatable
    /// or in simulated time.
    pub overhead: f64,
}

impl Default for ByModel {
    fn default() -> Self {
        Self { model: ModelSettings::default(), features: None, overhead: 0.1 }
    }
}

impl Search {
    /// The default for a target: see [`ModelSettings::suited`].
    pub fn suited(space: &Space, deterministic: bool) -> Self {
        let model = ModelSettings::suited(space, deterministic);
        Self::Model(Box::new(ByModel { model, ..ByModel::default() }))
    }

    /// Points of the first design.
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
    /// What is tuned.
    pub problem: Problem,
    /// How configurations are compared.
    pub racing: Racing,
    /// Who proposes them.
    pub search: Search,
    /// Configurations to race before all others.
    pub initial: Vec<Configuration>,
    /// How the end is validated.
    pub validation: Terms,
    /// When to stop.
    pub budget: Budget,
    /// Whether results are taken in the order of asking, so that they do not depend on the number
    /// of workers.
    pub repeatable: bool,
    /// Whether the cost is CPU time, so that a target using none is worth a warning.
    pub cpu_matters: bool,
}

impl Settings {
    /// An optimizer for a history, going on from a snapshot if there is one.
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
        let racer = match snapshot {
            Some(snapshot) => CappedRacer::restore(problem, racing, snapshot, &history),
            None => CappedRacer::new(problem, racing, &mut history),
        };
        // What has been asked for must not depend on how far other trials have come.
        let racer = if self.repeatable { racer.hands_off() } else { racer };
        Ok(Optimizer::new(history, Box::new(racer), Box::new(proposer)))
    }
}

/// How a validation is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    /// Whether it is done when a search has ended.
    pub wanted: bool,
    /// Where trials are stopped, if not at the search's cutoff.
    pub cutoff: Option<f64>,
    /// Measurements of each instance; by default as many as make enough pairs.
    pub seeds: Option<u32>,
    /// Campaign seconds that it may take.
    pub budget: Option<f64>,
    /// Whether it is a part of a verdict over several folds: every instance is then measured as often as
    /// in the other folds, and the default is measured even if nothing better was found.
    pub of_fold: bool,
    /// Whether a seed changes what the target does, so that another one is another pair; else only its times differ.
    pub has_seeds: bool,
    /// Whether costs are times, which differ from machine to machine.
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
