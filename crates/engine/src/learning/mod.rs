//! The training sets of models, built from the trials of a history.

mod part;
mod training;

pub use part::Part;
pub use training::{constraint, constraint_places, costs, outcomes, scale_of, spent};
