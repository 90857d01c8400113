//! What models learn from: the readings of a history, as training sets.

mod part;
mod training;

pub use part::Part;
pub use training::{constraint, constraint_places, costs, outcomes, scale_of, spent};
