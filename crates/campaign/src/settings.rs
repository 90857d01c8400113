//! The settings of a campaign, independent of the scenario format.

pub use captune::{ByModel, Search};

use captune::Assembly;
use engine::history::History;
use engine::problem::Problem;
use engine::racing::{Racing, Snapshot};
use engine::{Configuration, Optimizer, SettingError};

use crate::budget::Budget;

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
    pub fn optimizer(&self, history: History, snapshot: Option<Snapshot>) -> Result<Optimizer, SettingError> {
        let Self { problem, racing, search, initial, repeatable, .. } = self;
        Assembly { problem, racing, search, initial, repeatable: *repeatable }.optimizer(history, snapshot)
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
