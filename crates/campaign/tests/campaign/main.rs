//! Tests of whole campaigns, with real files and real programs.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod ablated;
mod import;
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
mod revalidated;
mod servers;
mod session;
mod settings;
mod simulated;
mod staging;
mod unreliable;
mod watched;
