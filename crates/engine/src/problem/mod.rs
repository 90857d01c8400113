//! The tuning problem as the engine sees it: the space, the objective, and the constraints.

mod comparison;
pub mod constraint;
mod side;

pub use comparison::{Objective, Problem, Total};
pub use constraint::{Constraint, Holding, Over};
pub use side::Side;
