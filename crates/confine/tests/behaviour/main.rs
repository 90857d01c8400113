//! Tests the behaviour of the crate in every tier that works on the machine.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod control;
mod death;
mod limits;
mod measure;
mod mistakes;
mod sequence;
mod stage;
mod surroundings;
