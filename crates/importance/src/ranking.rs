//! Relative costs: one number per configuration, although configurations have run on different pairs.
//!
//! ```text
//! relative(θ) = Σ c(θ, pair) / Σ c(best, pair)       over the pairs that both have run on
//! ```
//!
//! c is the compared cost; of a capped trial, its lower bound. Every challenger runs on pairs of the
//! incumbent, so nearly all configurations share pairs with the best one.

use engine::problem::{Objective, Total};
use engine::{ConfigId, History, Reading};

/// Returns the cost of every configuration relative to the best one's on the same pairs, by number. Smaller
/// is better. For costs that are not positive, the mean difference is returned instead of the ratio. The
/// entry is `None` if the two share no pair with a known cost.
pub fn relative_costs(history: &History, objective: &Objective, best: ConfigId) -> Vec<Option<f64>> {
    let count = history.configurations().len();
    let cost = |config: ConfigId, pair| {
        let trial = history.reading(config, pair)?;
        objective.compared(&trial.observation).map(Reading::lower_bound)
    };
    let is_ratio = objective.cutoff.is_some();
    let relative = |number: usize| {
        let config = ConfigId(number as u32);
        let common: Vec<(f64, f64)> = history
            .readings(config)
            .filter_map(|(pair, _)| Some((cost(config, pair)?, cost(best, pair)?)))
            .collect();
        if common.is_empty() {
            return None;
        }
        let own: Total = common.iter().map(|(own, _)| *own).sum();
        let reference: Total = common.iter().map(|(_, best)| *best).sum();
        if own.failures > reference.failures {
            return Some(f64::INFINITY);
        }
        Some(if is_ratio {
            own.cost / reference.cost.max(objective.grain).max(f64::MIN_POSITIVE)
        } else {
            (own.cost - reference.cost) / common.len() as f64
        })
    };
    (0..count).map(relative).collect()
}
