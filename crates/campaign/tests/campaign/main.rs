//! Campaigns from the outside, with real files and real programs.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod answers;
mod change;
mod command_line;
mod constraints;
mod import;
mod instances;
mod interrupted;
mod killed;
mod lost;
mod measure;
mod mistakes;
mod model;
mod outputs;
mod panics;
mod process;
mod properties;
mod protocols;
mod reference;
mod repeated;
mod replaced;
mod scenario;
mod servers;
mod session;
mod set_up;
mod simulated;
mod stage;
mod store;
mod watched;
