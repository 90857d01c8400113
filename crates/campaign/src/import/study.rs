//! The constraints of an Optuna study: numbers that each trial's sampler wrote down, and that a feasible
//! trial keeps at or below zero.

use std::collections::HashMap;

use rusqlite::Connection;
use serde_json::Value;

/// Where Optuna keeps them.
const SQL: &str = "SELECT trial_id, value_json FROM trial_system_attributes WHERE key = 'constraints'";

/// The values of each trial that has them, by Optuna's number of it. An error is what is not as it should be.
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

/// What a constraint is called here: Optuna only counts them.
pub(super) fn constraint_name(place: usize) -> String {
    format!("constraint{place}")
}

/// The choice that Optuna's number stands for, if it is the place of one.
pub(super) fn choice(choices: &[Value], code: f64) -> Option<&Value> {
    choices.iter().zip(0u32..).find(|(_, place)| f64::from(*place) == code).map(|(choice, _)| choice)
}
