//! Parameter spaces from text to configurations.

// The crate does not read files or environment variables; its tests do.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used)]

mod agreement;
mod configspace;
mod configurations;
mod discover;
mod files;
mod mistakes;
mod mistakes_irace;
mod mistakes_pcs;
mod mistakes_pcs_clauses;
mod other_formats;
mod properties;
mod round_trip;
mod spaces;
