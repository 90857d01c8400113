//! Tests of the view on stored campaigns.

#![allow(missing_docs, clippy::unwrap_used)]

mod documented;
mod ground;
mod pages;
mod picture;
mod redacted;
mod stage;
