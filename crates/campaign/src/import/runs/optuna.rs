//! The trials of an Optuna study that is minimised.

use std::path::Path;

use engine::space::Literal;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::{Ending, Run};
use crate::import::python_word;

/// The runs, or what is not as it should be.
pub(super) fn read(file: &Path) -> Result<Vec<Run>, String> {
    let rows = || {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let sql = "SELECT direction FROM study_directions WHERE objective = 0";
        let mut statement = connection.prepare(sql)?;
        let directions: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let sql = "SELECT trials.trial_id, state, value FROM trials
                   LEFT JOIN trial_values ON trial_values.trial_id = trials.trial_id AND objective = 0
                   ORDER BY trials.trial_id";
        let mut statement = connection.prepare(sql)?;
        let trials: Vec<(i64, String, Option<f64>)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        let sql = "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params
                   ORDER BY trial_id, param_id";
        let mut statement = connection.prepare(sql)?;
        let values: Vec<(i64, String, f64, String)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
            .collect::<Result<_, _>>()?;
        Ok::<_, rusqlite::Error>((directions, trials, values))
    };
    let (directions, trials, values) = rows().map_err(|error| error.to_string())?;
    if directions.len() != 1 {
        return Err(format!("it has {} studies where one is expected", directions.len()));
    }
    if directions[0] == "MAXIMIZE" {
        return Err("the study maximises: its trials cannot be taken over".to_owned());
    }
    let run = |(id, state, cost): &(i64, String, Option<f64>)| {
        let own = values.iter().filter(|(trial, ..)| trial == id);
        let own = own.map(|(_, name, code, distribution)| {
            let distribution: Value =
                serde_json::from_str(distribution).map_err(|error| error.to_string())?;
            Ok((name.clone(), literal(*code, &distribution)))
        });
        let ending = match (state.as_str(), cost) {
            ("COMPLETE", Some(cost)) => Ending::Finished(*cost),
            ("COMPLETE" | "FAIL", _) => Ending::Crashed,
            (other, _) => Ending::Nothing(format!("its state is {other}")),
        };
        let values: Vec<(String, Literal)> = own.collect::<Result<_, String>>()?;
        Ok(Run { values: values.into(), instance: String::new(), seed: 0, ending, cap: None, time: None })
    };
    trials.iter().map(run).collect()
}

/// The value that Optuna's number stands for.
fn literal(code: f64, distribution: &Value) -> Literal {
    let is_whole = distribution["name"].as_str().is_some_and(|name| name.starts_with("Int"));
    match distribution["attributes"]["choices"].as_array() {
        Some(choices) => choices
            .get(code as usize)
            .map_or(Literal::Float(code), |choice| Literal::Text(python_word(choice))),
        None if is_whole => Literal::Integer(code as i64),
        None => Literal::Float(code),
    }
}
