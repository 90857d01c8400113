//! The key `instances.features`: numbers that describe each instance.
//!
//! A file of comma-separated values with a header; the first column names the instance as the scenario
//! does, or by its file name alone where that is unambiguous. There may be a hundred thousand rows of a
//! hundred numbers: the file is read in one pass, and a number is kept as such.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use space::{Diagnostic, Diagnostics, Span};

use super::super::report::{Found, Report};
use super::{Entry, Instance};

/// What is known of the instances. Copies of it share it.
#[derive(Clone, PartialEq, Debug)]
pub struct Features(Arc<Described>);

#[derive(PartialEq, Debug)]
struct Described {
    columns: Vec<String>,
    /// The places of the columns that hold numbers.
    numeric: Vec<usize>,
    /// The row of each instance by its name.
    rows: HashMap<String, usize>,
    /// Row after row, a number for each column; not a number where there is none.
    cells: Vec<f64>,
    /// Of each row what stands in the column that names families, if there is one.
    families: Vec<String>,
}

impl Features {
    /// All columns but the first.
    pub fn columns(&self) -> &[String] {
        &self.0.columns
    }

    /// What stands in the column that names families.
    pub(super) fn family(&self, instance: &Instance) -> Option<&str> {
        self.0.families.get(*self.0.rows.get(&instance.name)?).map(String::as_str)
    }

    /// The columns that hold numbers, which is all but one that names families.
    pub fn numbers(&self) -> Vec<&str> {
        self.0.numeric.iter().map(|&column| self.0.columns[column].as_str()).collect()
    }

    /// The numbers of an instance, in the order of [`Features::numbers`].
    pub fn row(&self, instance: &Instance) -> impl Iterator<Item = f64> {
        let Described { columns, numeric, rows, cells, .. } = &*self.0;
        let start = rows.get(&instance.name).map(|row| row * columns.len());
        numeric.iter().map(move |column| start.map_or(f64::NAN, |start| cells[start + column]))
    }
}

impl Described {
    /// Columns with the same number in every row; empty if there is but one row.
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

/// The last part of a name that is a path.
fn file_name(name: &str) -> Option<&str> {
    Path::new(name).file_name().and_then(OsStr::to_str)
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
    let mut mistakes = Vec::new();
    let described = Table::of(&text).described(entries, family, &mut mistakes);
    if !mistakes.is_empty() {
        let message = format!("the features `{name}` have mistakes, shown below");
        report.mistakes.push(Diagnostic::new(found.span(), message));
        referred.push(Diagnostics::new(name, text, mistakes));
        return None;
    }
    let columns = described.constant().into_iter().map(|place| &described.columns[place]);
    let same: Vec<String> = columns
        .filter(|column| Some(column.as_str()) != family)
        .map(|column| format!("`{column}`"))
        .collect();
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
    Some(Features(Arc::new(described)))
}

/// A cell and its place.
type Cell<'t> = (&'t str, Span);

/// A line of the file, and where it begins.
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

    fn described(
        &self,
        entries: &[&Entry],
        family: Option<&str>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Described {
        let columns: Vec<String> = self.header.iter().skip(1).map(|(name, _)| (*name).to_owned()).collect();
        if columns.is_empty() {
            let hint = "the first line names the columns, such as `instance,variables,clauses`";
            mistakes.push(Diagnostic::new(Span::new(0, 1), "there are no features").hint(hint));
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
                    mistakes.push(Diagnostic::new(span, message).hint("features are finite numbers"));
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
            let hint = "every instance has a row that begins with its name or its file's name";
            mistakes.push(Diagnostic::new(Span::NONE, format!("`{first}`{more} has no features")).hint(hint));
        }
        let numeric = (0..columns.len()).filter(|&column| is_numeric[column]).collect();
        Described { columns, numeric, rows, cells, families }
    }

    /// The lines by what they are called; those with mistakes are left out.
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
