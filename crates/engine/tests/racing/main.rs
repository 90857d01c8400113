//! Tests of races through the public interface.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod killed_trials;
mod laws;
mod repeatable;
