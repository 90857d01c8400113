//! Tests importing files from other configurators as scenarios and trials.

mod peers;
mod runs;
mod scenarios;
mod studies;

use std::path::{Path, PathBuf};

/// Returns the folder with files from other configurators.
pub(crate) fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/campaign/import/data")
}
