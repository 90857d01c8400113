//! The targets as their callers meet them.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod program;
mod solver;
mod worlds;
