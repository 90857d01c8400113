//! Cholesky factors of dense matrices, stored in plain slices.
//!
//! This is a separate crate so that it is compiled with full optimisation even in unoptimised builds. Results
//! are bit-identical on every processor.

mod column;
mod factor;
mod instructions;
mod product;
mod triangle;
mod vector;

pub use factor::Factor;
