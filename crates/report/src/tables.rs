//! The data behind the pictures as CSV, one table each.

use serde_json::Value;
use view::pages::Pages;

/// A table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The name of its file, without the extension.
    pub name: &'static str,
    /// Its contents.
    pub csv: String,
}

/// Returns one table for each list of the pages. Columns are named like the keys of `--json`.
pub fn tables(pages: &Pages) -> Vec<Table> {
    let value = serde_json::to_value(pages).unwrap_or_default();
    let at = |path: &str| value.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default();
    let all = [
        ("incumbents", at("/trajectory/takeovers")),
        ("unseen", at("/trajectory/unseen")),
        ("pairs", at("/duel/pairs")),
        ("survival-default", at("/duel/of_default/survival")),
        ("survival-best", at("/duel/of_best/survival")),
        ("spending", at("/overview/spending")),
        ("changes", at("/overview/changes")),
        ("search-trials", at("/search/trials/shown")),
        ("configurations", at("/search/tried/shown")),
        ("matrix", matrix(pages)),
        ("races", at("/races/races/shown")),
        ("constraints", constraints(&at("/bounded/configurations/shown"))),
        ("forecasts", at("/forecasts/foretold/shown")),
        ("instances", at("/inputs/instances")),
        ("trials", at("/trials/rows/shown")),
    ];
    let filled = all.into_iter().filter(|(_, rows)| !rows.is_empty());
    filled.map(|(name, rows)| Table { name, csv: csv(&rows) }).collect()
}

/// Returns one row for each configuration and constraint.
fn constraints(configurations: &[Value]) -> Vec<Value> {
    let rows = configurations.iter().flat_map(|one| {
        let held = one.get("constraints").and_then(Value::as_array).into_iter().flatten();
        held.map(move |held| {
            let mut row = one.clone();
            if let Value::Object(row) = &mut row {
                row.remove("constraints");
                row.insert("constraint".to_owned(), held.clone());
            }
            row
        })
    });
    rows.collect()
}

/// Returns the matrix with one row per cell.
fn matrix(pages: &Pages) -> Vec<Value> {
    let matrix = &pages.matrix;
    let cells = matrix.rows.iter().flat_map(|row| {
        let cells = row.cells.iter().zip(&matrix.instances);
        cells.filter_map(|(cell, instance)| Some((row.configuration, instance, cell.as_ref()?)))
    });
    cells
        .map(|(configuration, instance, cell)| {
            let mut value = serde_json::json!({ "configuration": configuration, "instance": instance });
            if let (Value::Object(own), Ok(Value::Object(cell))) = (&mut value, serde_json::to_value(cell)) {
                own.extend(cell);
            }
            value
        })
        .collect()
}

/// Writes rows; nested objects get one column per key, lists are joined by spaces, and changes of parameters
/// by semicolons.
fn csv(rows: &[Value]) -> String {
    let flat: Vec<Vec<(String, String)>> = rows.iter().map(|row| flatten("", row)).collect();
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in flat.iter().flatten() {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let mut text = columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
    for row in &flat {
        let cell = |column: &&str| {
            row.iter().find(|(name, _)| name == column).map_or("", |(_, value)| value.as_str())
        };
        text += &(columns.iter().map(|column| quoted(cell(column))).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

fn flatten(prefix: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(object) => object
            .iter()
            .flat_map(|(key, value)| {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&name, value)
            })
            .collect(),
        Value::Array(list) => {
            let separator = if list.iter().any(Value::is_object) { "; " } else { " " };
            let parts: Vec<String> = list.iter().map(text_of).collect();
            vec![(prefix.to_owned(), parts.join(separator))]
        }
        other => vec![(prefix.to_owned(), text_of(other))],
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(change) if change.contains_key("name") && change.contains_key("value") => {
            let of = |key: &str| change.get(key).map(text_of).unwrap_or_default();
            let value = if change["value"].is_null() { "inactive".to_owned() } else { of("value") };
            format!("{}={value}", of("name"))
        }
        other => other.to_string(),
    }
}

/// Quotes a cell if necessary. A text that a spreadsheet would run as a formula gets an apostrophe.
fn quoted(text: &str) -> String {
    let is_formula =
        text.starts_with(['=', '@', '\t']) || (text.starts_with(['+', '-']) && text.parse::<f64>().is_err());
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_rows_become_columns_and_formulas_are_inert() {
        let rows = [
            json!({ "instance": "=cmd()", "default": { "cost": -1.5, "status": "a,b" } }),
            json!({ "instance": "b", "default": { "cost": null } }),
        ];
        assert_eq!(csv(&rows), "default.cost,default.status,instance\n-1.5,\"a,b\",'=cmd()\n,,b\n");
    }

    #[test]
    fn constraints_have_a_row_each_and_changes_are_readable() {
        let held =
            |name, value: Option<f64>| json!({ "name": name, "kept": value.is_some(), "value": value });
        let one = json!({ "configuration": 3, "constraints": [held("a", Some(1.5)), held("b", None)] });
        assert_eq!(
            csv(&constraints(&[one])),
            "configuration,constraint.kept,constraint.name,constraint.value\n3,true,a,1.5\n3,false,b,\n"
        );
        let changes = json!([{ "name": "x", "default": 5, "value": 3 }, { "name": "y", "value": null }]);
        assert_eq!(csv(&[json!({ "changes": changes })]), "changes\nx=3; y=inactive\n");
    }
}
