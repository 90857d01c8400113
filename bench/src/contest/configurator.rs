//! What every configurator does: it gets an arena, a budget and a seed, and gives back its course.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;

use super::arena::Arena;
use super::course::Course;

/// Someone who searches.
pub(crate) trait Configurator: Sync {
    /// As in rows and on the command line.
    fn name(&self) -> &'static str;

    /// One cell: searches until the budget is spent. The first incumbent is the default, before any trial.
    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Course>;
}
