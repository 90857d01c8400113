//! Training sets for models, built from the trials in a history.

mod part;
mod training;

pub use part::Part;
pub use training::{constraint, constraint_places, costs, outcomes, scale_of, spent};
