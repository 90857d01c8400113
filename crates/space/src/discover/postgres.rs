//! PostgreSQL's view `pg_settings` as CSV with a header; the columns may be in any order.
//!
//! ```text
//! name,setting,unit,category,short_desc,context,vartype,min_val,max_val,enumvals
//! work_mem,4096,kB,Resource Usage / Memory,"Sets the memory, per query",user,integer,64,2147483647,
//! ```

use std::collections::HashMap;

use super::super::parse_number;
use super::draft::{Draft, Numbers, Opt};

/// Prefixes of categories whose settings affect speed.
const TUNED: [&str; 6] = [
    "Resource Usage",
    "Query Tuning",
    "Write-Ahead Log / Settings",
    "Write-Ahead Log / Checkpoints",
    "Autovacuum",
    "Lock Management",
];
/// Settings that put data at risk.
const RISKY: [&str; 4] = ["fsync", "full_page_writes", "wal_sync_method", "wal_init_zero"];
const DURABILITY: &str = "some values may lose the last commits in a crash";

pub(super) fn read(text: &str, draft: &mut Draft) {
    let mut rows = records(text.trim_start_matches('\u{feff}')).into_iter();
    let header: HashMap<String, usize> =
        rows.next().unwrap_or_default().into_iter().enumerate().map(|(index, name)| (name, index)).collect();
    for row in rows {
        let cell =
            |column: &str| header.get(column).and_then(|&index| row.get(index)).map_or("", String::as_str);
        let name = cell("name");
        if name.is_empty() || cell("vartype").is_empty() {
            continue;
        }
        let (category, value) = (cell("category"), cell("setting"));
        let known = header.contains_key("category");
        if cell("context") == "internal" {
            draft.leave_out(name, "cannot be set");
            continue;
        }
        if RISKY.contains(&name) {
            draft.leave_out(name, "puts data at risk");
            continue;
        }
        if name == "max_stack_depth" {
            draft.leave_out(name, "limited by the operating system, not by its range");
            continue;
        }
        if known && !TUNED.iter().any(|start| category.starts_with(start)) {
            draft.leave_out(name, "in a category that does not affect speed");
            continue;
        }
        let review = (name == "synchronous_commit").then_some(DURABILITY);
        let about = match cell("unit") {
            "" => cell("short_desc").to_owned(),
            unit => format!("in {unit}; {}", cell("short_desc")),
        };
        let option = Opt { name, switch: None, about: &about, review };
        let (lower, upper) = (parse_number(cell("min_val")), parse_number(cell("max_val")));
        match (cell("vartype"), lower, upper, parse_number(value)) {
            ("bool", ..) => draft.boolean(&option, value == "on"),
            ("enum", ..) => draft.choices(&option, braced(cell("enumvals")), value),
            (kind @ ("integer" | "real"), Some(lower), Some(upper), Some(default)) => {
                draft.number(&option, Numbers::closed(lower, upper, default, kind == "integer"));
            }
            ("string", ..) => draft.leave_out(name, "any text is allowed"),
            _ => draft.leave_out(name, "its range could not be parsed"),
        }
    }
}

/// Returns the words of an array as PostgreSQL prints it: `{a,"b c"}`.
fn braced(text: &str) -> Vec<String> {
    let inside = text.trim().trim_start_matches('{').trim_end_matches('}');
    records(inside).into_iter().flatten().filter(|word| !word.is_empty()).collect()
}

/// Splits CSV into rows and cells; quoted cells may contain commas, line breaks and doubled quotes.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}
