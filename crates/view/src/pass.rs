//! The cost of one pass over the instances with the default, estimated from the default's first trial that
//! has a cost.

use campaign::budget::Budget;
use campaign::event::{Event, What};
use engine::{ConfigId, Status};
use serde::Serialize;

use crate::costs::Costs;

/// An estimator of the cost of a pass. It needs one trial of the default that has ended with a cost.
#[derive(Clone, Debug, Default)]
pub struct Pass {
    is_reported: bool,
}

/// The size and resources of a campaign.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Means {
    /// Number of training instances.
    pub instances: u64,
    /// Number of trials that run at the same time; 0 if unknown, because workers join and leave.
    pub workers: u64,
    /// The budget.
    pub budget: Budget,
}

/// The cost of one pass over the instances with the default.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PassCost {
    /// The cost of the default on its first pair.
    pub cost: f64,
    /// Whether that trial timed out.
    pub is_timeout: bool,
    /// Wall time in seconds to run every instance once, including set-up and teardown.
    pub wall: f64,
    /// Number of passes that the budget covers without capping; `None` if the budget has no limit
    /// or the number of workers is unknown.
    pub affordable: Option<f64>,
}

impl Pass {
    /// Processes an event. Returns the cost of a pass once, after the first trial of the default that has a
    /// cost.
    pub fn after(&mut self, event: &Event, means: &Means, costs: &Costs) -> Option<PassCost> {
        let What::TrialEnded(record) = &event.what else { return None };
        if self.is_reported || record.trial.key.config != ConfigId(0) || record.status().is_uninformative() {
            return None;
        }
        let cost = record.trial.observation.cost()?.lower_bound();
        self.is_reported = true;
        let Means { instances, workers, budget } = means;
        let trials = budget.trials_like(record, *workers).filter(|_| *workers > 0);
        Some(PassCost {
            cost: costs.number(cost),
            is_timeout: record.status() == Status::Timeout,
            wall: record.duration() * *instances as f64,
            affordable: trials.map(|trials| trials / *instances as f64),
        })
    }
}
