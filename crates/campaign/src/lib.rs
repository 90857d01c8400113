//! One optimisation from start to stop: what to tune, running trials, keeping them, and going on
//! after an interruption.

pub mod scenario;
pub mod target;
