//! The key `instances.features`: numbers that describe each instance.
//!
//! A file of comma-separated values with a header; the first column names the instance as the scenario
//! does, or by its file name alone where that is unambiguous.

use std::collections::BTreeMap;
use std::path::Path;

use engine::space::{Diagnostic, Diagnostics, Span};

use super::super::report::{Found, Report};
use super::{Entry, Instance};

/// What is known of the instances, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    columns: Vec<String>,
    /// The cells of each instance by its name.
    rows: BTreeMap<String, Vec<String>>,
}

impl Features {
    /// All columns but the first.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    pub(super) fn cell(&self, instance: &Instance, column: usize) -> Option<&str> {
        Some(self.rows.get(&instance.name)?.get(column)?.as_str())
    }

    /// The columns that hold numbers, which is all but one that names families.
    pub fn numbers(&self) -> Vec<&str> {
        self.numeric().map(|column| self.columns[column].as_str()).collect()
    }

    /// A row of numbers for each instance, in the order given and of [`Features::numbers`].
    pub fn matrix(&self, instances: &[Instance]) -> Vec<Vec<f64>> {
        let cell = |instance, column| self.cell(instance, column).and_then(|text| text.parse().ok());
        let row =
            |instance| self.numeric().map(|column| cell(instance, column).unwrap_or(f64::NAN)).collect();
        instances.iter().map(row).collect()
    }

    fn numeric(&self) -> impl Iterator<Item = usize> {
        let is_number = |column: &usize| self.rows.values().all(|row| number(&row[*column]).is_some());
        (0..self.columns.len()).filter(is_number)
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads the file for these instances; `family` is a column that need not hold numbers.
pub(super) fn read(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    folder: &Path,
    entries: &[&Entry],
    family: Option<&str>,
    referred: &mut Vec<Diagnostics>,
) -> Option<Features> {
    let name = report.text(found)?;
    let text = match std::fs::read_to_string(folder.join(&name)) {
        Ok(text) => text,
        Err(error) => {
            let hint = format!("paths count from the scenario's folder `{}`", folder.display());
            report.mistake(found.span(), format!("`{}`: `{name}` cannot be read: {error}", found.key), hint);
            return None;
        }
    };
    let table = Table::of(&text);
    let mut mistakes = Vec::new();
    let features = table.features(entries, family, &mut mistakes);
    if !mistakes.is_empty() {
        let message = format!("the features `{name}` have mistakes, shown below");
        report.mistakes.push(Diagnostic::new(found.span(), message));
        referred.push(Diagnostics::new(name, text, mistakes));
        return None;
    }
    let is_same = |place: usize| {
        let mut cells = features.rows.values().map(|row| &row[place]);
        let first = cells.next();
        features.rows.len() > 1 && cells.all(|cell| Some(cell) == first)
    };
    let columns = features.columns.iter().enumerate();
    let columns = columns.filter(|(place, column)| Some(column.as_str()) != family && is_same(*place));
    let same: Vec<String> = columns.map(|(_, column)| format!("`{column}`")).collect();
    match &same[..] {
        [] => {}
        [one] => {
            let message = format!("the feature {one} is the same for all instances");
            report.warn(found.span(), message, "it says nothing: leave it out");
        }
        several => {
            let message =
                format!("{} features are the same for all instances: {}", several.len(), several.join(", "));
            report.warn(found.span(), message, "they say nothing: leave them out");
        }
    }
    Some(features)
}

/// A cell and its place.
type Cell<'t> = (&'t str, Span);

struct Table<'t> {
    header: Vec<Cell<'t>>,
    rows: Vec<Vec<Cell<'t>>>,
}

impl<'t> Table<'t> {
    fn of(text: &'t str) -> Self {
        let mut rows = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let mut at = start;
            start += line.len();
            if line.trim().is_empty() {
                continue;
            }
            let cell = |part: &'t str| {
                let begin = at + part.len() - part.trim_start().len();
                at += part.len() + 1;
                let cell = part.trim();
                let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
                (inner, Span::new(begin, begin + cell.len().max(1)))
            };
            rows.push(line.split(',').map(cell).collect::<Vec<_>>());
        }
        let mut rows = rows.into_iter();
        Self { header: rows.next().unwrap_or_default(), rows: rows.collect() }
    }

    fn features(&self, entries: &[&Entry], family: Option<&str>, mistakes: &mut Vec<Diagnostic>) -> Features {
        let columns: Vec<String> = self.header.iter().skip(1).map(|(name, _)| (*name).to_owned()).collect();
        if columns.is_empty() {
            let hint = "the first line names the columns, such as `instance,variables,clauses`";
            mistakes.push(Diagnostic::new(Span::new(0, 1), "there are no features").hint(hint));
        }
        let mut by_name: BTreeMap<&str, &Vec<Cell<'t>>> = BTreeMap::new();
        for row in &self.rows {
            let (name, span) = row[0];
            if row.len() != self.header.len() {
                let message =
                    format!("`{name}` has {} cells, but the header has {}", row.len(), self.header.len());
                mistakes.push(Diagnostic::new(span, message));
            } else if by_name.insert(name, row).is_some() {
                mistakes
                    .push(Diagnostic::new(span, format!("`{name}` is given twice")).hint("keep one of them"));
            }
        }
        let mut missing: Vec<&str> = Vec::new();
        let mut rows = BTreeMap::new();
        for entry in entries {
            let name = entry.instance.name.as_str();
            let alone = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name);
            let is_alone =
                |other: &&&Entry| Path::new(&other.instance.name).file_name() == Path::new(name).file_name();
            let unambiguous = || entries.iter().filter(is_alone).count() == 1;
            let row = by_name.get(name).or_else(|| by_name.get(alone).filter(|_| unambiguous()));
            let Some(row) = row else {
                missing.push(name);
                continue;
            };
            for (place, (cell, span)) in row.iter().enumerate().skip(1) {
                if number(cell).is_none() && Some(self.header[place].0) != family {
                    let message = format!("`{cell}` is no number");
                    mistakes.push(Diagnostic::new(*span, message).hint("features are finite numbers"));
                }
            }
            rows.insert(name.to_owned(), row.iter().skip(1).map(|(cell, _)| (*cell).to_owned()).collect());
        }
        if let Some(first) = missing.first() {
            let more =
                if missing.len() > 1 { format!(" and {} more", missing.len() - 1) } else { String::new() };
            let hint = "every instance has a row that begins with its name or its file's name";
            mistakes.push(Diagnostic::new(Span::NONE, format!("`{first}`{more} has no features")).hint(hint));
        }
        Features { columns, rows }
    }
}
