//! Test suites that every implementation of a trait must pass, and random worlds to run them in.
//!
//! A suite is a function that panics with the number of the world in which a law was broken. The same
//! number gives the same world again.

pub mod racer;
mod world;

pub use world::{Traits, Truth, World};
