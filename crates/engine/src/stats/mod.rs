//! The statistics behind a verdict: how certain it is that the tuned configuration beats the default.
//!
//! | file | subject |
//! |---|---|
//! | `paired` | comparison of two configurations on the same pairs: ratio, interval and p value |
//! | `contrast` | sums of both configurations' costs, including failures |
//! | `bootstrap` | bootstrap interval for the ratio |
//! | `sign_flip` | p value for the difference |
//! | `verdict` | whether an improvement may be claimed, and whether the gain seen in training is confirmed |
//! | `standing` | what the trials so far say about one configuration |
//! | `interval` | mean cost of one configuration, computed cheaply enough for every status update |
//!
//! All costs here are compared costs (see [`Objective::compared`](crate::Objective::compared)). So a timeout
//! is a large number, and a failure without a cutoff is infinite. This module returns numbers only; the code
//! that prints them chooses the wording.

mod bootstrap;
mod contrast;
mod interval;
mod paired;
mod sign_flip;
#[cfg(test)]
mod simulated;
mod standing;
mod verdict;

pub use interval::{MeanCost, mean_cost};
pub use paired::{CompareError, Comparison, Measured, Unit, compare, ratio_of_means};
pub use standing::{Standing, holdings, standing};
pub use verdict::{Basis, Claim, CostVerdict, Solved, Validated, judge};

use serde::{Deserialize, Serialize};

/// A 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    #[serde(with = "math::json_number")]
    pub low: f64,
    /// Upper end; infinite if the data do not limit it.
    #[serde(with = "math::json_number")]
    pub high: f64,
}
