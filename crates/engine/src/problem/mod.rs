//! The tuning problem as the engine sees it: the space, the objective, and the constraints.

mod comparison;
pub mod constraint;
mod noise;
mod side;

pub use comparison::{Objective, Problem, Total};
pub use constraint::{Constraint, Holding, Over};
pub use noise::Noise;
pub use side::Side;
