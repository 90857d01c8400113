//! What a campaign is made of, however it was described.

use engine::design::Design;
use engine::history::History;
use engine::propose::{Initial, LocalSearch, Proposer, RandomSearch};
use engine::racing::{CappedRacer, Problem, Racing, Snapshot};
use engine::space::SampleError;
use engine::{Configuration, Optimizer};

use crate::budget::Budget;
use crate::validation::Terms;

/// Points of the first design.
const DESIGN: usize = 10;

/// Who proposes configurations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Random search.
    Random,
    /// Small changes of the incumbent in turns with random search.
    Local,
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
        let then: Box<dyn Proposer> = match self.search {
            Search::Random => Box::new(RandomSearch::new(space.clone(), *seed)),
            Search::Local => Box::new(LocalSearch::new(space.clone(), *seed)),
        };
        let initial = self.initial.clone();
        let proposer = Initial::new(initial, space, Design::LatinHypercube, DESIGN, *seed, then)?;
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
