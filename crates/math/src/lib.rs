//! Mathematical functions with bit-identical results on every platform.
//!
//! | item | subject |
//! |---|---|
//! | [`Rng`] | random numbers in named streams |
//! | [`elementary`] | exponential and logarithm, written so that loops over them can be vectorised |
//! | [`normal`] | the normal distribution, accurate far into its tails |
//! | [`TruncatedNormal`] | the normal distribution truncated from below |
//! | [`student`] | quantiles of Student's t distribution for small samples |
//! | [`mann_whitney()`] | the Mann-Whitney test for two unpaired samples |
//! | [`json_number`] | numbers in JSON, including non-finite ones |
//! | [`Lbfgs`] | minimisation of a smooth function in a box, using its gradient |

pub mod elementary;
pub mod json_number;
mod lbfgs;
mod mann_whitney;
pub mod normal;
mod normal_truncated;
mod rng;
pub mod student;

pub use lbfgs::{Lbfgs, Minimum, StoppingRule};
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use normal_truncated::TruncatedNormal;
pub use rng::{Rng, mix};
