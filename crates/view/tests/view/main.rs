//! Campaigns as their stores keep them.

#![allow(missing_docs, clippy::unwrap_used)]

mod documented;
mod picture;
mod stage;
