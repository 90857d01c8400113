//! From the files of others to scenarios and trials.

mod peers;
mod runs;
mod scenarios;
mod studies;

use std::path::{Path, PathBuf};

/// Files of others, kept with the tests.
pub(crate) fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/campaign/import/data")
}
