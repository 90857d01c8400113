//! Tests of the public interface for scenarios.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod change;
mod constraints;
mod instances;
mod mistakes;
mod reference;
mod valid;
