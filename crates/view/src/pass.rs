//! The cost of one pass of the default over the instances, reported once it is known well enough.

use std::collections::BTreeSet;

use campaign::budget::Budget;
use campaign::event::{Event, What};
use engine::stats::Interval;
use engine::{ConfigId, InstanceId, Status};
use execution::Record;
use serde::Serialize;

use crate::costs::Costs;

/// Largest number of instances needed for the report.
const ENOUGH: usize = 10;

/// Observes the trials of the default.
#[derive(Clone, Debug, Default)]
pub struct Pass {
    met: BTreeSet<InstanceId>,
    trials: u64,
    timeouts: u64,
    wall: f64,
    cpu: f64,
    /// The smallest and the largest cost of a trial.
    costs: Option<Interval>,
    is_reported: bool,
}

/// The resources of a campaign.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Means {
    /// Number of training instances.
    pub instances: u64,
    /// Number of trials that run at the same time.
    pub workers: u64,
    /// The budget.
    pub budget: Budget,
}

/// The cost of a pass.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PassCost {
    /// Number of trials of the default that it is estimated from.
    pub trials: u64,
    /// Number of these trials that timed out.
    pub timeouts: u64,
    /// The smallest and the largest cost of a trial.
    pub costs: [f64; 2],
    /// Wall time in seconds to run every instance once.
    pub wall: f64,
    /// Number of passes that the budget covers without capping; `None` if it has no limit.
    pub affordable: Option<f64>,
}

impl Pass {
    /// Takes in an event. Returns the cost of a pass once, when it is known well enough.
    pub fn after(&mut self, event: &Event, means: &Means, costs: &Costs) -> Option<PassCost> {
        if self.is_reported {
            return None;
        }
        match &event.what {
            What::TrialEnded(record)
                if record.trial.key.config == ConfigId(0) && !record.status().is_uninformative() =>
            {
                self.add(record);
                let enough = usize::try_from(means.instances).unwrap_or(usize::MAX).min(ENOUGH);
                if self.met.len() < enough {
                    return None;
                }
            }
            // The default is beaten and will hardly be tried on more pairs.
            What::NewIncumbent(_) => {}
            _ => return None,
        }
        // A default that fails has no cost.
        let range = self.costs?;
        self.is_reported = true;
        let one = |total: f64| total / self.trials as f64;
        let Means { instances, workers, budget } = means;
        let trials = [
            budget.wall.map(|wall| wall * *workers as f64 / one(self.wall)),
            budget.cpu.map(|cpu| cpu / one(self.cpu)),
            budget.trials.map(|trials| trials as f64),
        ];
        let trials = trials.into_iter().flatten().fold(f64::INFINITY, f64::min);
        Some(PassCost {
            trials: self.trials,
            timeouts: self.timeouts,
            costs: costs.ends(range),
            wall: one(self.wall) * *instances as f64,
            affordable: trials.is_finite().then(|| trials / *instances as f64),
        })
    }

    fn add(&mut self, record: &Record) {
        self.met.insert(record.trial.key.pair.instance);
        self.trials += 1;
        self.timeouts += u64::from(record.status() == Status::Timeout);
        self.wall += record.detail.wall.unwrap_or(0.0);
        self.cpu += record.detail.cpu.unwrap_or(0.0);
        if let Some(cost) = record.trial.observation.cost() {
            let cost = cost.lower_bound();
            let Interval { low, high } = self.costs.unwrap_or(Interval { low: cost, high: cost });
            self.costs = Some(Interval { low: low.min(cost), high: high.max(cost) });
        }
    }
}
