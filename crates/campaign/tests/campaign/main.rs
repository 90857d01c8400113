//! Campaigns from the outside, with real files and real programs.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod constraints;
mod import;
mod instances;
mod interrupted;
mod killed;
mod lost;
mod measure;
mod model;
mod older;
mod panics;
mod properties;
mod repeated;
mod replaced;
mod scenario;
mod servers;
mod session;
mod simulated;
mod unreliable;
mod watched;
