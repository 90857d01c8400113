//! Tests of the report.

#![allow(missing_docs, clippy::unwrap_used)]
