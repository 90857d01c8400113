//! A scenario made ready.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;
use engine::Objective;

use super::scenarios::Scenario;
use crate::contest::arena::Arena;
use crate::contest::subject::Known;

/// A scenario with its subject.
pub(super) struct Stage {
    pub(super) scenario: Scenario,
    pub(super) arena: Arc<Arena>,
}

impl Stage {
    /// Refuses a subject that is not the scenario's.
    pub(super) fn new(scenario: Scenario, known: Known) -> Result<Self> {
        let objective = Objective::capped(scenario.cutoff);
        let arena = Arena::new(scenario.name, known, objective, scenario.runs, scenario.checksum)?;
        Ok(Self { scenario, arena: Arc::new(arena) })
    }

    /// What all trials of a cell may cost.
    pub(super) fn budget(&self) -> Budget {
        Budget { cpu: Some(self.scenario.budget), ..Budget::default() }
    }
}
