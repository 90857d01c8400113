//! Test suites that every implementation of a trait must pass, and random worlds in which to run them.
//!
//! A suite is a function. If a law is broken, it panics with the number of the world. The same number gives
//! the same world again.

pub mod racer;
mod world;

pub use world::{Traits, Truth, World};
