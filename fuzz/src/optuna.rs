//! Fuzzes the reader for Optuna studies. An input that begins like an SQLite file is used as the study's
//! file. Any other input contains rows for the study's tables, one per line: a letter for the table, then
//! cells separated by tabs.
//!
//! [`runs`](crate::runs) checks the trials, and [`draft`](crate::draft) checks a scenario drafted from the
//! study.

use std::path::Path;
use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::fixtures::file;
use crate::{draft, runs};

const TABLES: &str = "
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER, objective INTEGER);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT, value_type VARCHAR(7));
CREATE TABLE trial_system_attributes (trial_system_attribute_id INTEGER PRIMARY KEY, trial_id INTEGER, key VARCHAR(512), value_json TEXT);
INSERT INTO studies VALUES (1, 'fuzzed');
";

/// For each table: its letter, the statement that inserts a row, and the number of cells in a row.
const ROWS: [(&str, &str, usize); 5] = [
    ("d", "INSERT INTO study_directions (direction, study_id, objective) VALUES (?, 1, ?)", 2),
    ("t", "INSERT OR IGNORE INTO trials (trial_id, number, study_id, state) VALUES (?, ?, 1, ?)", 3),
    ("v", "INSERT INTO trial_values (trial_id, objective, value) VALUES (?, ?, ?)", 3),
    (
        "p",
        "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?, ?, ?, ?)",
        4,
    ),
    ("c", "INSERT INTO trial_system_attributes (trial_id, key, value_json) VALUES (?, 'constraints', ?)", 2),
];

static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = file("empty.db", b"");
    let connection = Connection::open(&path).expect("the folder is writable");
    connection
        .execute_batch("PRAGMA page_size = 512; PRAGMA journal_mode = OFF;")
        .expect("the pragmas are valid");
    connection.execute_batch(TABLES).expect("the tables are valid");
    connection.close().expect("no statement is in progress");
    std::fs::read(path).expect("the file was just written")
});

pub fn check(bytes: &[u8]) {
    let path = if bytes.starts_with(b"SQLite format 3\0") {
        file("study.db", bytes)
    } else {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let path = file("study.db", &EMPTY);
        fill(&path, text).expect("the tables accept every row");
        path
    };
    runs::check(&path, bytes.len() % 16 == 0);
    draft::check(&path);
}

/// Inserts the rows listed in `text`.
fn fill(path: &Path, text: &str) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    let rows = connection.transaction()?;
    for line in text.lines() {
        let mut cells = line.split('\t');
        let letter = cells.next().unwrap_or_default();
        let Some((_, sql, count)) = ROWS.iter().find(|(known, ..)| *known == letter) else { continue };
        let values: Vec<Value> = cells.chain(std::iter::repeat("")).take(*count).map(value).collect();
        // A primary key must be an integer.
        if letter != "t" || matches!(values[0], Value::Integer(_)) {
            rows.prepare_cached(sql)?.execute(params_from_iter(values))?;
        }
    }
    rows.commit()
}

fn value(cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    let whole = cell.parse().map(Value::Integer).ok();
    let number = || cell.parse().map(Value::Real).ok();
    whole.or_else(number).unwrap_or_else(|| Value::Text(cell.to_owned()))
}
