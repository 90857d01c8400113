//! Dense linear algebra, and the search for the least value of a smooth function: the only place that
//! knows `faer`, behind a few functions on plain slices.
//!
//! Sums of `faer` follow the widest vectors of the processor: their last digits differ between kinds of
//! processors, and repeat on one.

mod descent;
mod factor;

pub(crate) use descent::{Descent, minimise};
pub(crate) use factor::Factor;
