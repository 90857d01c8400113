//! Campaigns in words: the text that the command line and the report share.
//!
//! | module | contents |
//! |---|---|
//! | [`Costs`] and the functions at the root | numbers, times, counts, shares and ratios |
//! | [`verdict`] | the verdict in sentences |
//! | [`bounds`] | constraints, and whether configurations satisfy them |
//! | [`changes`] | the differences between a configuration and the default |
//! | [`mattered`] | which changes and which parameters mattered |
//!
//! The view provides the figures; this crate only formats them, and prints nothing.

pub mod bounds;
pub mod changes;
mod figures;
pub mod mattered;
pub mod verdict;

pub use figures::*;
