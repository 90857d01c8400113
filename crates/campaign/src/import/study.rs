//! The constraints of an Optuna study: numbers that the sampler stored for each trial. A trial is feasible if
//! all of its numbers are at or below zero.

use std::collections::HashMap;

use rusqlite::Connection;
use serde_json::Value;

/// SQL query for the stored constraints.
const SQL: &str = "SELECT trial_id, value_json FROM trial_system_attributes WHERE key = 'constraints'";

/// Returns the constraint values of each trial that has them, by `trial_id`. The error describes what is not
/// in the expected format.
pub(super) fn constraints(connection: &Connection) -> Result<HashMap<i64, Vec<f64>>, String> {
    let read = || {
        let mut statement = connection.prepare(SQL)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<Vec<(i64, String)>, rusqlite::Error>>()
    };
    let rows = read().map_err(|error| error.to_string())?;
    let values = |(trial, text): (i64, String)| {
        let values = serde_json::from_str(&text);
        Ok((trial, values.map_err(|error| format!("the constraints of trial {trial}: {error}"))?))
    };
    rows.into_iter().map(values).collect()
}

/// Returns the name of a constraint in captune. In Optuna, constraints have numbers but no names.
pub(super) fn constraint_name(place: usize) -> String {
    format!("constraint{place}")
}

/// Returns the choice whose index is the stored number `code`, if there is one.
pub(super) fn choice(choices: &[Value], code: f64) -> Option<&Value> {
    choices.iter().zip(0u32..).find(|(_, place)| f64::from(*place) == code).map(|(choice, _)| choice)
}
