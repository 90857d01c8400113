//! One optimisation, piece by piece, with real files and real programs.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod change;
mod command_line;
mod mistakes;
mod process;
mod reference;
mod scenario;
mod stage;
