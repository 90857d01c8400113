//! Exports trials in formats that other programs can read. Trials are written one at a time, so memory use
//! does not depend on their number.
//!
//! | format | contents |
//! |---|---|
//! | CSV, JSON Lines | every trial with everything known about it, then the validation trials |
//! | SMAC3 | `runhistory.json` as version 2.3 and later writes it |
//!
//! Costs have the user's sign. SMAC3 is the exception: it always minimises, as the search does.

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

/// Numbers of trials exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// Number of search trials.
    pub trials: u64,
    /// Number of validation trials.
    pub validations: u64,
}

/// Reason why trials cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trials cannot be read from the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Writing failed.
    #[error("cannot write the trials")]
    Write(#[from] io::Error),
}

/// Returns a cost with the user's sign, and whether it is only a bound.
fn shown(sense: Sense, cost: Option<Reading>) -> (Option<f64>, Option<bool>) {
    (cost.map(|cost| sense.shown(cost.lower_bound())), cost.map(Reading::is_censored))
}
