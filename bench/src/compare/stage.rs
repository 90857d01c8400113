//! A scenario that is ready to run.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;
use engine::Objective;

use super::scenarios::Scenario;
use crate::contest::arena::Arena;
use crate::contest::subject::Benchmark;

/// A scenario with its subject.
pub(super) struct Stage {
    pub(super) scenario: Scenario,
    pub(super) arena: Arc<Arena>,
}

impl Stage {
    /// Prepares a scenario. Fails if the subject has a different checksum.
    pub(super) fn new(scenario: Scenario, benchmark: Benchmark) -> Result<Self> {
        let objective = Objective::capped(scenario.cutoff);
        let arena = Arena::new(scenario.name, benchmark, objective, scenario.runs, scenario.checksum)?;
        Ok(Self { scenario, arena: Arc::new(arena) })
    }

    /// Returns the total cost of all trials in a cell, as a budget.
    pub(super) fn budget(&self) -> Budget {
        Budget { cpu: Some(self.scenario.budget), ..Budget::default() }
    }
}
