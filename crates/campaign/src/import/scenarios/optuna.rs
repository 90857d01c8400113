//! Reads an Optuna study from an SQLite file.
//!
//! The objective is a Python function, so the user has to fill in the command. The parameters come from the
//! distributions stored with the trials. If some trials lack a parameter, the parameter has a condition, but
//! Optuna does not store the condition. Each constraint becomes an output that the program has to print, with
//! an upper bound of zero.

use std::collections::BTreeMap;
use std::path::Path;

use engine::Space;
use rusqlite::{Connection, OpenFlags};
use scenario::configuration_file;
use scenario::draft::foreign::Paths;
use scenario::draft::{Draft, value};
use serde_json::Value;
use space::float_text;
use space::format::{self, Format};

use super::{Found, Origin};
use crate::import::study::{self, constraint_name};
use crate::import::{ImportError, python_word};

/// Pattern that finds the number that the target has to print.
const PRINTED: &str = r"'^value: ([-+0-9.eE]+)$'";

/// Name of the file with the initial configuration.
const START: &str = "best-of-study.toml";

pub(super) fn read(file: &Path, paths: &Paths) -> Result<Found, ImportError> {
    let study = Study::read(file).map_err(|error| match error {
        StudyError::Sqlite(error) => ImportError::Shape { path: file.to_owned(), what: error.to_string() },
        StudyError::Shape(what) => ImportError::Shape { path: file.to_owned(), what },
    })?;
    let mut draft = Draft::default();
    draft.about.push(format!("From the Optuna study `{}` in `{}`.", study.name, paths.shown(file)));
    draft.set("name", value::text(&study.name));
    draft.set(
        "target.command",
        value::texts(["python3", "{folder}/objective.py", "{params}", "--seed={seed}"]),
    );
    draft.to_do.push(
        "target.command: a program that takes the parameters as --name=value and prints `value: NUMBER`"
            .into(),
    );
    draft.set("outputs.value.pattern", PRINTED);
    match study.directions.as_slice() {
        [direction, rest @ ..] => {
            let key = if direction == "MAXIMIZE" { "objective.maximise" } else { "objective.minimise" };
            draft.set(key, value::text("value"));
            if !rest.is_empty() {
                draft.lose(format!("the objectives after the first ({}): only the first counts", rest.len()));
            }
        }
        [] => {
            draft.set("objective.minimise", value::text("value"));
        }
    }
    draft.set("limits.wall", value::text("1h"));
    draft.note("limits.wall", "Optuna does not limit trials; an hour is a guess.");
    draft.set("budget.trials", (2 * study.trials).max(100).to_string());
    draft.note("budget.trials", format!("The study has {} trials.", study.trials));
    let space = space(&mut draft, &study)?;
    constraints(&mut draft, &study);
    initial(&mut draft, &study, &space);
    if study.pruned > 0 {
        draft.lose(format!(
            "intermediate values of pruned trials ({}): they are not bounds on the final value",
            study.pruned
        ));
    }
    Ok(Found { origin: Origin::Optuna, draft, runs: Some(file.to_owned()) })
}

#[derive(Debug, thiserror::Error)]
enum StudyError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{0}")]
    Shape(String),
}

/// The parts of a study that are read.
struct Study {
    name: String,
    directions: Vec<String>,
    trials: u64,
    pruned: u64,
    /// Name, latest distribution and number of trials of each parameter, ordered by first appearance.
    parameters: Vec<(String, Value, u64)>,
    /// Number of constraints.
    constraints: usize,
    /// The best trial that has all parameters and satisfies all constraints.
    best: Option<Best>,
}

/// A trial whose configuration the campaign starts from.
struct Best {
    number: u64,
    value: f64,
    /// Parameter values, which Optuna encodes as numbers.
    parameters: BTreeMap<String, f64>,
}

impl Study {
    fn read(file: &Path) -> Result<Self, StudyError> {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement =
            connection.prepare("SELECT study_id, study_name FROM studies ORDER BY study_id")?;
        let studies: Vec<(i64, String)> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let [(id, name)] = studies.as_slice() else {
            let names: Vec<&str> = studies.iter().map(|(_, name)| name.as_str()).collect();
            let what =
                format!("it has {} studies ({}), but one is expected", studies.len(), names.join(", "));
            return Err(StudyError::Shape(what));
        };
        let sql = "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective";
        let mut statement = connection.prepare(sql)?;
        let directions: Vec<String> =
            statement.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let count = |state: &str| {
            let sql = "SELECT count(*) FROM trials WHERE study_id = ? AND state LIKE ?";
            connection.query_row(sql, (id, state), |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
        };
        let (trials, pruned) = (count("%")?, count("PRUNED")?);
        let parameters = parameters(&connection, *id)?;
        let order = if directions.first().is_some_and(|word| word == "MAXIMIZE") { "DESC" } else { "ASC" };
        let bounded = study::constraints(&connection).map_err(StudyError::Shape)?;
        let constraints = bounded.values().map(Vec::len).max().unwrap_or(0);
        // As in Optuna, a trial without constraint values is infeasible.
        let is_feasible = |trial: i64| {
            constraints == 0 || bounded.get(&trial).is_some_and(|all| all.iter().all(|value| *value <= 0.0))
        };
        let best = best(&connection, *id, parameters.len(), order, is_feasible)?;
        Ok(Self { name: name.clone(), directions, trials, pruned, parameters, constraints, best })
    }
}

fn parameters(connection: &Connection, id: i64) -> Result<Vec<(String, Value, u64)>, StudyError> {
    let sql = "SELECT param_name, distribution_json FROM trial_params JOIN trials USING (trial_id)
               WHERE study_id = ? ORDER BY trial_id, param_id";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut parameters: Vec<(String, Value, u64)> = Vec::new();
    for row in rows {
        let (name, text) = row?;
        let distribution = serde_json::from_str(&text)
            .map_err(|error| StudyError::Shape(format!("the distribution of `{name}`: {error}")))?;
        match parameters.iter_mut().find(|(known, _, _)| *known == name) {
            Some((_, known, count)) => {
                *known = distribution;
                *count += 1;
            }
            None => parameters.push((name, distribution, 1)),
        }
    }
    if parameters.is_empty() {
        return Err(StudyError::Shape("no trial of the study has parameters".to_owned()));
    }
    Ok(parameters)
}

/// Returns the best feasible trial that has all parameters.
fn best(
    connection: &Connection,
    id: i64,
    parameters: usize,
    order: &str,
    is_feasible: impl Fn(i64) -> bool,
) -> Result<Option<Best>, StudyError> {
    let sql = format!(
        "SELECT trial_id, number, value FROM trial_values JOIN trials USING (trial_id)
         WHERE study_id = ? AND state = 'COMPLETE' AND objective = 0 AND value IS NOT NULL
         AND (SELECT count(*) FROM trial_params AS own WHERE own.trial_id = trials.trial_id) = ?
         ORDER BY value {order}, trial_id"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map((id, parameters as i64), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, f64>(2)?))
    })?;
    let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
    let Some((trial, number, value)) = rows.into_iter().find(|(trial, ..)| is_feasible(*trial)) else {
        return Ok(None);
    };
    let mut statement =
        connection.prepare("SELECT param_name, param_value FROM trial_params WHERE trial_id = ?")?;
    let values = statement.query_map([trial], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let parameters = values.collect::<Result<_, _>>()?;
    Ok(Some(Best { number: number.cast_unsigned(), value, parameters }))
}

/// Returns a parameter in the TOML format of spaces. The error describes what cannot be expressed in that
/// format.
fn domain(distribution: &Value) -> Result<String, String> {
    let attributes = &distribution["attributes"];
    let name = distribution["name"].as_str().unwrap_or_default();
    let number = |key: &str| {
        let number = attributes[key].as_f64();
        number.ok_or_else(|| format!("`{key}` of {name} is not a number"))
    };
    let range = |kind: &str, log: bool, step: Option<f64>| {
        let shown = |number: f64| match kind {
            "integer" => format!("{}", number as i64),
            _ => float_text(number),
        };
        let (low, high) = (number("low")?, number("high")?);
        if low >= high {
            return Ok(format!("constant = {}", shown(low)));
        }
        let step = step.filter(|step| kind == "float" || *step != 1.0);
        let step = step.map(|step| format!(", step = {}", shown(step))).unwrap_or_default();
        let log = if log { ", log = true" } else { "" };
        Ok(format!("{kind} = [{}, {}]{log}{step}", shown(low), shown(high)))
    };
    let log = attributes["log"].as_bool().unwrap_or(false);
    let step = attributes["step"].as_f64();
    match name {
        "FloatDistribution" => range("float", log, step),
        "IntDistribution" => range("integer", log, step),
        "UniformDistribution" => range("float", false, None),
        "LogUniformDistribution" => range("float", true, None),
        "DiscreteUniformDistribution" => range("float", false, attributes["q"].as_f64()),
        "IntUniformDistribution" => range("integer", false, step),
        "IntLogUniformDistribution" => range("integer", true, None),
        "CategoricalDistribution" => {
            let choices = attributes["choices"].as_array().ok_or("it has no `choices`")?;
            let choices: Vec<String> = choices.iter().map(choice).collect();
            let kind = if choices.len() == 1 { "constant = " } else { "choices = [" };
            let end = if choices.len() == 1 { "" } else { "]" };
            Ok(format!("{kind}{}{end}", choices.join(", ")))
        }
        other => Err(format!("unknown distribution `{other}`")),
    }
}

/// Formats a choice in TOML: numbers as numbers, everything else as text.
fn choice(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        other => value::text(&python_word(other)),
    }
}

fn space(draft: &mut Draft, study: &Study) -> Result<Space, ImportError> {
    let mut text = String::new();
    for (name, distribution, count) in &study.parameters {
        match domain(distribution) {
            Ok(domain) => text += &format!("{} = {{ {domain} }}\n", value::key(name)),
            Err(why) => {
                draft.lose(format!("the parameter `{name}`: {why}"));
            }
        }
        let all = study.parameters.iter().map(|(_, _, count)| *count).max().unwrap_or(0);
        if *count < all {
            draft.lose(format!(
                "the condition of `{name}`: only {count} of {all} trials have this parameter; add `when = \"…\"` to it"
            ));
        }
    }
    let space = format::read(&text, "the study", Format::Toml).map_err(ImportError::Space)?;
    draft.space(&space, "space.toml").map_err(ImportError::Express)?;
    Ok(space)
}

/// Adds the constraints of a study to the draft. A trial is feasible if all constraint values are at or below
/// zero.
fn constraints(draft: &mut Draft, study: &Study) {
    for place in 0..study.constraints {
        let name = constraint_name(place);
        let pattern = format!("'^{name}: ([-+0-9.eE]+)$'");
        draft.set(&format!("outputs.{name}.pattern"), pattern);
        draft.set(&format!("constraints.{name}"), value::text("<= 0"));
    }
    if study.constraints > 0 {
        let first = constraint_name(0);
        draft.to_do.push(format!(
            "target.command: the program must also print `{first}: NUMBER` and so on, the values that the study's \
             `constraints_func` returned"
        ));
    }
}

/// Uses the best trial that has all parameters as the first configuration to race. That configuration may no
/// longer be in the space, because the distributions may have changed after the trial.
fn initial(draft: &mut Draft, study: &Study, space: &Space) {
    let Some(Best { number, value: best, parameters: values }) = &study.best else {
        if study.constraints > 0 {
            draft.lose("an initial configuration: no trial has all parameters and satisfies all constraints");
        }
        return;
    };
    let mut text = format!("# trial {number} of the study: {best}\n");
    for (name, distribution, _) in &study.parameters {
        let Some(&code) = values.get(name).filter(|_| space.find(name).is_some()) else { continue };
        let is_whole = distribution["name"].as_str().is_some_and(|name| name.starts_with("Int"));
        let choices = distribution["attributes"]["choices"].as_array();
        let shown = match choices.and_then(|choices| study::choice(choices, code)) {
            Some(value) => choice(value),
            None if is_whole && code.fract() == 0.0 => value::number(code),
            None => float_text(code),
        };
        text += &format!("{} = {shown}\n", value::key(name));
    }
    if let Err(mistakes) = configuration_file::read(&text, START, space) {
        let why = mistakes.list().first().map_or("", |mistake| mistake.message.as_str());
        draft.lose(format!("an initial configuration: the best trial, {number}, is not in the space: {why}"));
        return;
    }
    draft.files.push((START.to_owned(), text));
    draft.set("initial", value::texts([START]));
}
