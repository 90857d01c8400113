//! Tests with a real `nats-server`. They are skipped where there is none, unless EXPECT_NATS is set.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod admission;
mod broken;
mod conformance;
mod stage;
#[cfg(feature = "tls")]
mod trust;
