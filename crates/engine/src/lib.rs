//! The part of captune that decides: parameter spaces, random streams and designs.
//!
//! Everything here is a pure function of its arguments: no files, no clock, no environment, no
//! printing. The same settings, seed and history give the same decisions on every platform, which
//! is why logarithms and exponentials come from `libm` rather than from the operating system.

pub mod design;
mod elementary;
pub mod rng;
pub mod space;

pub use rng::Rng;
pub use space::{Configuration, Space};
