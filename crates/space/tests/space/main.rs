//! Parameter spaces from text to configurations.

// The engine reads no file and no variable; its tests do.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used)]

mod agreement;
mod carried;
mod configspace;
mod configurations;
mod discover;
mod files;
mod foreign;
mod mistakes;
mod mistakes_irace;
mod mistakes_pcs;
mod mistakes_pcs_clauses;
mod properties;
mod spaces;
