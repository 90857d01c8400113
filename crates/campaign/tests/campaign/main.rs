//! Campaigns from the outside, with real files and real programs.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod change;
mod interrupted;
mod mistakes;
mod reference;
mod scenario;
mod simulated;
mod stage;
mod store;
