//! The interface of configurators: each receives an arena, a budget and a seed, and returns its trajectory.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;

use super::arena::Arena;
use super::trajectory::Trajectory;

/// A configurator.
pub(crate) trait Configurator: Sync {
    /// Returns the name used in rows and on the command line.
    fn name(&self) -> &'static str;

    /// Runs one cell: searches until the budget is spent. The first incumbent is the default, before any
    /// trial.
    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Trajectory>;
}
