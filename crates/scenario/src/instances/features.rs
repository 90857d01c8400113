//! The key `instances.features`: numbers that describe each instance.
//!
//! The file has comma-separated values and a header. The first column contains the name of the instance as in
//! the scenario, or its file name alone if that is unambiguous. The file may have a hundred thousand rows of
//! a hundred numbers, so it is read in one pass and stored as numbers.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use space::{Diagnostic, Diagnostics, Span};

use super::super::report::{Found, Report};
use super::{Entry, Instance};

/// Features of the instances. Clones share the data.
#[derive(Clone, PartialEq, Debug)]
pub struct Features(Arc<Data>);

#[derive(PartialEq, Debug)]
struct Data {
    columns: Vec<String>,
    /// Indices of the numeric columns.
    numeric: Vec<usize>,
    /// Index of each instance's row, by name.
    rows: HashMap<String, usize>,
    /// Values row by row, one per column. NaN stands for a cell that is not a number.
    cells: Vec<f64>,
    /// The family column's value in each row, if there is such a column.
    families: Vec<String>,
}

impl Features {
    /// Returns the names of all columns except the first.
    pub fn columns(&self) -> &[String] {
        &self.0.columns
    }

    /// Returns an instance's value in the family column.
    pub(super) fn family(&self, instance: &Instance) -> Option<&str> {
        self.0.families.get(*self.0.rows.get(&instance.name)?).map(String::as_str)
    }

    /// Returns the names of the numeric columns, which are all columns except a family column with text.
    pub fn numbers(&self) -> Vec<&str> {
        self.0.numeric.iter().map(|&column| self.0.columns[column].as_str()).collect()
    }

    /// Returns the numbers of an instance, in the order of [`Features::numbers`].
    pub fn row(&self, instance: &Instance) -> impl Iterator<Item = f64> {
        let Data { columns, numeric, rows, cells, .. } = &*self.0;
        let start = rows.get(&instance.name).map(|row| row * columns.len());
        numeric.iter().map(move |column| start.map_or(f64::NAN, |start| cells[start + column]))
    }
}

impl Data {
    /// Returns the columns in which every row has the same number; empty if there is only one row.
    fn constant(&self) -> Vec<usize> {
        let width = self.columns.len();
        let mut rows = self.cells.chunks(width.max(1));
        let Some(first) = rows.next().filter(|_| self.rows.len() > 1) else { return Vec::new() };
        let mut same = self.numeric.clone();
        rows.for_each(|row| same.retain(|&column| row[column] == first[column]));
        same
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the last component of a name if the name is a path.
fn file_name(name: &str) -> Option<&str> {
    Path::new(name).file_name().and_then(OsStr::to_str)
}

/// Reads the file for these instances. The column `family` may contain text.
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
            let hint = format!("paths are relative to the scenario's folder `{}`", folder.display());
            report.mistake(found.span(), format!("`{}`: `{name}` cannot be read: {error}", found.key), hint);
            return None;
        }
    };
    let mut mistakes = Vec::new();
    let data = Table::of(&text).data(entries, family, &mut mistakes);
    if !mistakes.is_empty() {
        let message = format!("the features file `{name}` has mistakes, shown below");
        report.mistakes.push(Diagnostic::new(found.span(), message));
        referred.push(Diagnostics::new(name, text, mistakes));
        return None;
    }
    let columns = data.constant().into_iter().map(|place| &data.columns[place]);
    let same: Vec<String> = columns
        .filter(|column| Some(column.as_str()) != family)
        .map(|column| format!("`{column}`"))
        .collect();
    match &same[..] {
        [] => {}
        [one] => {
            let message = format!("the feature {one} is the same for all instances");
            report.warn(found.span(), message, "a constant feature carries no information: remove it");
        }
        several => {
            let message =
                format!("{} features are the same for all instances: {}", several.len(), several.join(", "));
            report.warn(found.span(), message, "constant features carry no information: remove them");
        }
    }
    Some(Features(Arc::new(data)))
}

/// A cell and its place in the file.
type Cell<'t> = (&'t str, Span);

/// A line of the file and its offset.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Line<'t> {
    fn cells(self) -> impl Iterator<Item = Cell<'t>> {
        let mut at = self.start;
        self.text.split(',').map(move |part| {
            let begin = at + part.len() - part.trim_start().len();
            at += part.len() + 1;
            let cell = part.trim();
            let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
            (inner, Span::new(begin, begin + cell.len().max(1)))
        })
    }
}

struct Table<'t> {
    header: Vec<Cell<'t>>,
    lines: Vec<Line<'t>>,
}

impl<'t> Table<'t> {
    fn of(text: &'t str) -> Self {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|text| {
            let line = Line { text, start };
            start += text.len();
            line
        });
        let mut lines = lines.filter(|line| !line.text.trim().is_empty());
        let header = lines.next().map_or_else(Vec::new, |line| line.cells().collect());
        Self { header, lines: lines.collect() }
    }

    fn data(&self, entries: &[&Entry], family: Option<&str>, mistakes: &mut Vec<Diagnostic>) -> Data {
        let columns: Vec<String> = self.header.iter().skip(1).map(|(name, _)| (*name).to_owned()).collect();
        if columns.is_empty() {
            let hint = "write a header such as `instance,variables,clauses`";
            mistakes.push(Diagnostic::new(Span::new(0, 1), "the header has no feature columns").hint(hint));
        }
        let by_name = self.by_name(mistakes);
        let mut namesakes: HashMap<&str, usize> = HashMap::new();
        for name in entries.iter().filter_map(|entry| file_name(&entry.instance.name)) {
            *namesakes.entry(name).or_default() += 1;
        }
        let mut missing: Vec<&str> = Vec::new();
        let mut rows = HashMap::with_capacity(entries.len());
        let (mut cells, mut families) = (Vec::with_capacity(entries.len() * columns.len()), Vec::new());
        let mut is_numeric = vec![true; columns.len()];
        for entry in entries {
            let name = entry.instance.name.as_str();
            let alone = file_name(name).filter(|alone| namesakes[alone] == 1);
            let line = by_name.get(name).or_else(|| by_name.get(alone?));
            let Some(line) = line else {
                missing.push(name);
                continue;
            };
            for (place, (cell, span)) in line.cells().skip(1).enumerate() {
                let value = number(cell);
                let is_family = Some(columns[place].as_str()) == family;
                if value.is_none() && !is_family {
                    let message = format!("expected a number, got `{cell}`");
                    mistakes.push(Diagnostic::new(span, message).hint("write a finite number"));
                }
                if is_family {
                    families.push(cell.to_owned());
                }
                is_numeric[place] &= value.is_some();
                cells.push(value.unwrap_or(f64::NAN));
            }
            let next = rows.len();
            rows.insert(name.to_owned(), next);
        }
        if let Some(first) = missing.first() {
            let more =
                if missing.len() > 1 { format!(" and {} more", missing.len() - 1) } else { String::new() };
            let hint = "every instance needs a row that starts with its name or its file name";
            mistakes.push(Diagnostic::new(Span::NONE, format!("no features for `{first}`{more}")).hint(hint));
        }
        let numeric = (0..columns.len()).filter(|&column| is_numeric[column]).collect();
        Data { columns, numeric, rows, cells, families }
    }

    /// Returns the lines by instance name. Lines with mistakes are left out.
    fn by_name(&self, mistakes: &mut Vec<Diagnostic>) -> HashMap<&'t str, Line<'t>> {
        let mut by_name = HashMap::with_capacity(self.lines.len());
        for line in &self.lines {
            let Some((name, span)) = line.cells().next() else { continue };
            let count = line.text.split(',').count();
            if count != self.header.len() {
                let message = format!("`{name}` has {count} cells, but the header has {}", self.header.len());
                mistakes.push(Diagnostic::new(span, message));
            } else if by_name.insert(name, *line).is_some() {
                mistakes
                    .push(Diagnostic::new(span, format!("`{name}` is given twice")).hint("keep one of them"));
            }
        }
        by_name
    }
}
