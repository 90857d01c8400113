//! Mathematical functions with bit-identical results on every platform.
//!
//! | item | subject |
//! |---|---|
//! | [`Rng`] | random numbers in named streams |
//! | [`elementary`] | exponential and logarithm, written so that loops over them can be vectorised |
//! | [`normal`] | the normal distribution, accurate far into its tails |
//! | [`TruncatedNormal`] | the normal distribution truncated from below |
//! | [`student`] | quantiles of Student's t distribution for small samples |
//! | [`quantile()`] | quantiles of a series of numbers |
//! | [`json_number`] | numbers in JSON, including non-finite ones |
//! | [`Lbfgs`] | minimisation of a smooth function in a box, using its gradient |

pub mod elementary;
pub mod json_number;
mod lbfgs;
pub mod normal;
mod normal_truncated;
mod quantile;
mod rng;
pub mod student;

pub use lbfgs::{Lbfgs, Minimum, StoppingRule};
pub use normal_truncated::TruncatedNormal;
pub use quantile::quantile;
pub use rng::{Rng, mix};
