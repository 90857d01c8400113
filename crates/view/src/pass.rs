//! What one pass of the default over the instances takes, told once it is known well enough.

use std::collections::BTreeSet;

use campaign::budget::Budget;
use campaign::event::{Event, What};
use engine::stats::Interval;
use engine::{ConfigId, InstanceId, Status};
use execution::Record;
use serde::Serialize;

use crate::costs::Costs;

/// Instances that tell enough, if there are more.
const ENOUGH: usize = 10;

/// Watches the trials of the default.
#[derive(Clone, Debug, Default)]
pub struct Pass {
    met: BTreeSet<InstanceId>,
    trials: u64,
    timeouts: u64,
    wall: f64,
    cpu: f64,
    /// The least and the most that one cost.
    costs: Option<Interval>,
    told: bool,
}

/// What a campaign may use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Means {
    /// Instances to tune on.
    pub instances: u64,
    /// Trials at one time.
    pub workers: u64,
    /// What may be spent.
    pub budget: Budget,
}

/// What a pass takes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PassCost {
    /// Trials of the default that it is known from.
    pub trials: u64,
    /// How many of them timed out.
    pub timeouts: u64,
    /// The least and the most that one cost.
    pub costs: [f64; 2],
    /// Seconds on the clock to meet every instance once.
    pub wall: f64,
    /// How many passes the budget affords, without capping; `None` if nothing limits them.
    pub affordable: Option<f64>,
}

impl Pass {
    /// What a pass takes, when the time has come to say it.
    pub fn after(&mut self, event: &Event, means: &Means, costs: &Costs) -> Option<PassCost> {
        if self.told {
            return None;
        }
        match &event.what {
            What::TrialEnded(record)
                if record.trial.key.config == ConfigId(0) && !record.status().says_nothing() =>
            {
                self.add(record);
                let enough = usize::try_from(means.instances).unwrap_or(usize::MAX).min(ENOUGH);
                if self.met.len() < enough {
                    return None;
                }
            }
            // The default is beaten, and meets hardly any more pairs.
            What::NewIncumbent(_) => {}
            _ => return None,
        }
        // Nothing can be said of a default that fails.
        let range = self.costs?;
        self.told = true;
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
