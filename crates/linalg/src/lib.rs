//! Factors of dense matrices, on plain slices.
//!
//! A crate of its own, since `faer` takes longer to compile than all of the engine: it is built once, and with
//! full optimisation even where the rest is not.
//!
//! Sums of `faer` follow the widest vectors of the processor: their last digits differ between kinds of
//! processors, and repeat on one.

mod factor;

pub use factor::Factor;
