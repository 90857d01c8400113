//! Tests that acknowledged records are neither lost nor duplicated, and that unusable files are rejected with
//! a message.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod child;
mod crew;
mod documented;
mod full;
mod kill;
mod lookup;
mod older;
mod power;
mod reading;
mod refusal;
mod round_trip;
mod stage;
mod writing;
