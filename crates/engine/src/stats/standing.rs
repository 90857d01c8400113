//! What the trials so far say about one configuration.

use serde::{Deserialize, Serialize};

use super::{Interval, mean_cost};
use crate::history::{History, Trial};
use crate::observation::Status;
use crate::problem::constraint::Tally;
use crate::problem::{Holding, Objective};
use crate::trial::ConfigId;

/// The results of one configuration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Its number.
    pub config: ConfigId,
    /// Number of pairs on which its cost is known.
    pub pairs: usize,
    /// Its mean compared cost on these pairs; NaN if there are none.
    #[serde(with = "math::json_number")]
    pub mean: f64,
    /// 95 % confidence interval for the mean.
    pub interval: Option<Interval>,
    /// Number of these pairs on which the configuration times out.
    pub timeouts: usize,
    /// Its result for each constraint.
    pub holdings: Vec<Holding>,
}

impl Standing {
    /// Returns whether the configuration satisfies every constraint so far.
    pub fn is_feasible(&self) -> bool {
        self.holdings.iter().all(Holding::is_kept)
    }
}

/// Summarises the trials of one configuration.
pub fn standing(history: &History, objective: &Objective, config: ConfigId) -> Standing {
    let known = || {
        let known = |trial: &Trial| objective.known(&trial.observation);
        history.readings(config).filter_map(move |(_, trial)| Some((known(trial)?, trial)))
    };
    let mean = mean_cost(known().map(|(cost, _)| cost));
    let timeout = |trial: &Trial| trial.observation.status() == Status::Timeout;
    Standing {
        config,
        pairs: mean.map_or(0, |mean| mean.pairs),
        mean: mean.map_or(f64::NAN, |mean| mean.mean),
        interval: mean.and_then(|mean| mean.interval),
        timeouts: known().filter(|(_, trial)| timeout(trial)).count(),
        holdings: holdings(history, objective, config),
    }
}

/// Returns a configuration's result for each constraint.
pub fn holdings(history: &History, objective: &Objective, config: ConfigId) -> Vec<Holding> {
    if objective.constraints.is_empty() {
        return Vec::new();
    }
    let trials = history.readings(config).map(|(_, trial)| &trial.observation);
    Tally::of(trials).holdings(&objective.constraints)
}
