//! Honest ends: how sure one may be that the tuned configuration beats the default.
//!
//! | file | question |
//! |---|---|
//! | `paired` | two configurations on the same pairs: how much better is one, and can it be luck? |
//! | `contrast` | what do both cost in sum, failures included? |
//! | `bootstrap` | between which ratios does the true one lie? |
//! | `sign_flip` | how often would luck alone make such a difference? |
//! | `verdict` | may an improvement be claimed, and does it carry over from training? |
//! | `interval` | the mean cost of one configuration, cheap enough for every tick |
//!
//! All costs here are compared costs (see [`Objective::compared`](crate::Objective::compared)), so a
//! timeout is a large number and a failure without a cutoff is infinite. Nothing here is worded: that
//! is for whoever prints it.

mod bootstrap;
mod contrast;
mod interval;
mod paired;
mod sign_flip;
#[cfg(test)]
mod simulated;
mod verdict;

pub use interval::{MeanCost, mean_cost};
pub use paired::{CompareError, Comparison, Measured, Unit, compare, ratio_of_means};
pub use verdict::{Basis, Claim, CostVerdict, Solved, Validated, judge};

use serde::{Deserialize, Serialize};

/// A 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    #[serde(with = "math::json_number")]
    pub low: f64,
    /// Its upper end; infinite where the data set no bound.
    #[serde(with = "math::json_number")]
    pub high: f64,
}
