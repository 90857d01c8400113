//! Trials in forms that other programs read, one after the other, so that a campaign of any length
//! needs the same memory.
//!
//! | form | what it is |
//! |---|---|
//! | CSV, JSON Lines | every trial with all that is known of it, then those of validations |
//! | SMAC3 | `runhistory.json` as version 2.3 and later writes it |
//!
//! Costs have the user's sign, except for SMAC3, which minimises as the search does.

mod csv;
mod json_lines;
mod smac3;

pub use csv::csv;
pub use json_lines::json_lines;
pub use smac3::{Smac3Export, smac3};

use std::io;

use engine::Reading;
use scenario::Sense;
use store::StoreError;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// Trials of the search.
    pub trials: u64,
    /// Trials of validations.
    pub validations: u64,
}

/// Why trials cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// They cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody takes them.
    #[error("cannot write the trials")]
    Write(#[from] io::Error),
}

/// A cost as the user measures it, and whether it is only a bound.
fn shown(sense: Sense, cost: Option<Reading>) -> (Option<f64>, Option<bool>) {
    (cost.map(|cost| sense.shown(cost.lower_bound())), cost.map(Reading::is_censored))
}
