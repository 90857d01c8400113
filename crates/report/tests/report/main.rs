//! Tests of the report: its content, its server, and both in a real browser.

#![allow(missing_docs, clippy::unwrap_used)]

mod browser;
mod chromium;
mod content;
mod large;
mod server;
mod stage;
