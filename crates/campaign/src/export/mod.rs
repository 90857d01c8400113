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

pub(crate) use csv::COLUMNS as CSV_COLUMNS;
pub use csv::csv;
pub use json_lines::json_lines;
pub use smac3::{Smac3Export, smac3};

use std::io;

use engine::{Configuration, Reading};
use scenario::Sense;
use serde_json::{Map, Value};
use space::Literal;
use toml::de::{DeTable, DeValue};

use crate::store::{Charter, StoreError};

/// Why a trial of a validation was run.
pub(crate) const VALIDATION: &str = "validation";

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

/// Which way is better in a campaign, also if its scenario can no longer be read in full.
fn sense(charter: &Charter) -> Sense {
    let table = DeTable::parse(&charter.scenario).ok();
    let maximises = |table: &DeTable<'_>| match table.get("objective").map(|value| value.get_ref()) {
        Some(DeValue::Table(objective)) => objective.contains_key("maximise"),
        _ => false,
    };
    if table.is_some_and(|table| maximises(table.get_ref())) { Sense::Maximise } else { Sense::Minimise }
}

/// A cost as the user measures it, and whether it is only a bound.
fn shown(sense: Sense, cost: Option<Reading>) -> (Option<f64>, Option<bool>) {
    (cost.map(|cost| sense.shown(cost.lower_bound())), cost.map(Reading::is_censored))
}

/// The active parameters by name.
fn values(configuration: &Configuration) -> Value {
    let value = |literal: Literal| match literal {
        Literal::Text(text) => Value::from(text),
        Literal::Integer(number) => Value::from(number),
        Literal::Float(number) => Value::from(number),
        Literal::Boolean(truth) => Value::from(truth),
    };
    let named = configuration.iter().map(|(name, literal)| (name.to_owned(), value(literal)));
    Value::Object(named.collect::<Map<_, _>>())
}
