//! Races from the outside.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod laws;
mod own_surrogate;
mod repeatable;
