//! Mathematics that gives the same bits on every platform.
//!
//! | file | subject |
//! |---|---|
//! | [`Rng`] | random numbers of named streams |
//! | [`elementary`] | exponential and logarithm in a form that loops over them can be vectorised |
//! | [`normal`] | the normal law far into its tails |
//! | [`TruncatedNormal`] | the normal law cut off below |
//! | [`student`] | the quantiles that small samples need |
//! | [`mann_whitney()`] | two samples that are not paired: does one tend to be smaller? |
//! | [`json_number`] | numbers in JSON, also those that are not finite |
//! | [`Descent`] | the least value of a smooth function in a box, by its gradient |

mod descent;
pub mod elementary;
pub mod json_number;
mod mann_whitney;
pub mod normal;
mod normal_truncated;
mod rng;
pub mod student;

pub use descent::{Descent, Downhill, Minimum};
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use normal_truncated::TruncatedNormal;
pub use rng::{Rng, mix};
