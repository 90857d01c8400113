//! Tests of the targets through their public interface.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod machines;
mod program;
mod solver;
mod worlds;
