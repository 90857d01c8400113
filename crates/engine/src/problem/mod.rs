//! What is tuned, as the engine sees it: the space, what is minimised, and the bounds that must be kept.

mod comparison;
pub mod constraint;

pub use comparison::{Objective, Problem, Total};
pub use constraint::{Constraint, Holding, Over};
