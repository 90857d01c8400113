//! Puts an optimizer together: a racer, and a proposer that begins with given configurations and a design.

use engine::history::History;
use engine::problem::Problem;
use engine::propose::{Initial, Proposer};
use engine::racing::{CappedRacer, Racing, Snapshot};
use engine::{Configuration, Optimizer, SettingError};
use space::design::Design;

use crate::search::Search;

/// The parts of an optimizer.
#[derive(Clone, Copy, Debug)]
pub struct Assembly<'a> {
    /// The problem to solve: the space, the objective and the instances.
    pub problem: &'a Problem,
    /// Settings for the races, which compare configurations.
    pub racing: &'a Racing,
    /// The method that proposes configurations.
    pub search: &'a Search,
    /// Configurations that race before all others.
    pub initial: &'a [Configuration],
    /// Whether requests must not depend on how long the running trials have been running.
    pub repeatable: bool,
}

impl Assembly<'_> {
    /// Checks every setting.
    pub fn check(&self) -> Result<(), SettingError> {
        self.problem.check()?;
        self.racing.check()?;
        self.search.check(self.problem)?;
        if self.initial.iter().all(|one| *one.space() == self.problem.space) {
            Ok(())
        } else {
            Err(SettingError::OtherSpace { setting: "initial" })
        }
    }

    /// Creates an optimizer for a history, resumed from a snapshot if there is one.
    pub fn optimizer(
        &self,
        mut history: History,
        snapshot: Option<Snapshot>,
    ) -> Result<Optimizer, SettingError> {
        self.check()?;
        let proposer = self.proposer()?;
        let (problem, racing) = (self.problem.clone(), self.racing.clone());
        let baseline = history.intern(&problem.default);
        history.relate(baseline, &problem.objective.constraints);
        let racer = match snapshot {
            Some(snapshot) => CappedRacer::restore(problem, racing, snapshot, &history),
            None => CappedRacer::new(problem, racing, &mut history),
        };
        let racer = if self.repeatable { racer.hands_off() } else { racer };
        Ok(Optimizer::new(history, Box::new(racer), proposer))
    }

    /// Returns the search, with the settings that suit the target.
    pub(crate) fn suited_search(&self) -> Search {
        self.search.for_target(&self.problem.space, self.racing.deterministic)
    }

    /// Creates the proposer: first the initial configurations, then a design, then the search.
    pub(crate) fn proposer(&self) -> Result<Box<dyn Proposer>, SettingError> {
        let Problem { space, seed, .. } = self.problem;
        let search = self.suited_search();
        let then = search.proposer(self.problem);
        let (given, count) = (self.initial.to_vec(), search.design());
        Ok(Box::new(Initial::new(given, space, Design::LatinHypercube, count, *seed, then)?))
    }
}
