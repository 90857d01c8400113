//! Reads the trials of an Optuna study.
//!
//! A study has no seeds, and several trials may have the same parameters. The first of these trials gets seed
//! 0, the next one seed 1, and so on. If a study has several objectives, captune uses the first one.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use scenario::Sense;
use serde_json::Value;
use space::Literal;

use super::{Ending, Run};
use crate::import::python_word;
use crate::import::study::{choice, constraint_name, constraints};

/// `trial_id`, number in the study, state and value of a trial.
type Trial = (i64, i64, String, Option<f64>);

/// The parts of a study that are read.
pub(super) struct Read {
    pub(super) list: Vec<Run>,
    pub(super) sense: Sense,
    pub(super) unused: Vec<String>,
}

/// Reads the runs. The error describes what is not in the expected format.
pub(super) fn read(file: &Path) -> Result<Read, String> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| error.to_string())?;
    let rows = || {
        let sql = "SELECT direction, objective FROM study_directions ORDER BY objective";
        let mut statement = connection.prepare(sql)?;
        let directions: Vec<(String, i64)> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let sql = "SELECT trials.trial_id, number, state, value FROM trials
                   LEFT JOIN trial_values ON trial_values.trial_id = trials.trial_id AND objective = 0
                   ORDER BY trials.trial_id";
        let mut statement = connection.prepare(sql)?;
        let trials: Vec<Trial> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
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
    let studies = directions.iter().filter(|(_, objective)| *objective == 0).count();
    if studies != 1 {
        return Err(format!("it has {studies} studies, but one is expected"));
    }
    let sense = if directions[0].0 == "MAXIMIZE" { Sense::Maximise } else { Sense::Minimise };
    let unused =
        directions[1..].iter().map(|(_, place)| format!("objective {place}: only the first one is used"));
    let unused = unused.collect();
    let bounded = constraints(&connection)?;
    let mut repeats: HashMap<String, i64> = HashMap::new();
    let run = |(id, number, state, cost): &Trial| {
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
        let repeats = repeats.entry(format!("{values:?}")).or_default();
        let seed = *repeats;
        *repeats += 1;
        let told = bounded.get(id).into_iter().flatten().enumerate();
        let outputs = told.map(|(place, value)| (constraint_name(place), *value)).collect();
        let place = format!("trial {number}");
        let instance = String::new();
        Ok(Run {
            place,
            values: values.into(),
            outputs,
            instance,
            seed,
            ending,
            cap: None,
            time: None,
            readings: Vec::new(),
        })
    };
    let list = trials.iter().map(run).collect::<Result<_, String>>()?;
    Ok(Read { list, sense, unused })
}

/// Returns the value that Optuna has stored as the number `code`.
fn literal(code: f64, distribution: &Value) -> Literal {
    let is_whole = distribution["name"].as_str().is_some_and(|name| name.starts_with("Int"));
    match distribution["attributes"]["choices"].as_array() {
        Some(choices) => {
            choice(choices, code).map_or(Literal::Float(code), |choice| Literal::Text(python_word(choice)))
        }
        // A number with a fractional part is passed on and refused later.
        None if is_whole && code.fract() == 0.0 && code.abs() < 9e15 => Literal::Integer(code as i64),
        None => Literal::Float(code),
    }
}
