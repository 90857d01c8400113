//! Tests with trials of real programs.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod answers;
mod command_line;
mod constraints;
mod executors;
mod outputs;
mod process;
mod protocols;
mod set_up;

/// Path of the program that hosts supervisors.
const SUPERVISOR: &str = env!("CARGO_BIN_EXE_supervisor");
