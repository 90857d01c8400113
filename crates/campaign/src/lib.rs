//! One optimisation from start to stop: what to tune, running trials, keeping them, and going on
//! after an interruption.

pub mod budget;
pub mod executor;
pub mod store;
pub mod target;
