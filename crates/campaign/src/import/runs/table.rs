//! Reads a CSV table with one run per line. The first line contains the column names.
//!
//! | column | contains | if missing |
//! |---|---|---|
//! | `cost` | the cost, or the cost reached if the run was stopped | |
//! | `status` | `finished`, `capped`, `timeout`, `memory` or `crashed` | `finished` |
//! | `instance` | the name of the instance | the only instance |
//! | `seed` | the random seed | 0 |
//! | `cap` | the cap of the run | the cutoff |
//! | `time` | the duration in seconds | unknown |
//! | `output:NAME` | another output, such as one that the scenario constrains | unknown |
//! | any other | the value of the parameter with that name; empty if it was inactive | |
//!
//! If a parameter has the name of one of these columns, its own column has the prefix `param:`. The output of
//! `captune export` can be read, too: the columns above and those with measures are used, and the others are reported
//! as unused.

use std::sync::Arc;

use engine::Status;
use space::{Diagnostic, Diagnostics, Literal, Span, parse_number, suggestion};

use super::{Ending, Run};

const COLUMNS: [&str; 6] = ["cost", "status", "instance", "seed", "cap", "time"];
/// The columns that `captune export` writes for every campaign.
pub const EXPORTED: [&str; 18] = [
    "trial",
    "configuration",
    "instance",
    "seed",
    "cap",
    "why",
    "status",
    "cost",
    "censored",
    "spent",
    "cpu",
    "wall",
    "memory",
    "exit",
    "reason",
    "started",
    "ended",
    "slot",
];
/// The exported columns that contain measures, with the names of these measures in scenarios.
const MEASURED: [(&str, &str); 3] = [("cpu", "cpu_time"), ("wall", "wall_time"), ("memory", "memory")];
/// The value of the column `why` for validation trials.
pub const VALIDATION: &str = "validation";
const STATUSES: [Status; 5] =
    [Status::Finished, Status::Capped, Status::Timeout, Status::Memory, Status::Crashed];

/// A cell with its position.
#[derive(Clone, Debug)]
struct Cell {
    text: String,
    span: Span,
    /// Line number, counted from 1.
    line: usize,
}

/// The first line, which contains the column names.
struct Head {
    cells: Vec<Cell>,
    /// Whether `captune export` wrote the table. If so, the additional columns of the export are not
    /// parameters, and those in [`MEASURED`] are outputs.
    is_export: bool,
}

impl Head {
    fn has(&self, name: &str) -> bool {
        self.cells.iter().any(|cell| cell.text == name)
    }

    /// Returns whether only exports have this column.
    fn is_exported(&self, name: &str) -> bool {
        self.is_export && !COLUMNS.contains(&name) && EXPORTED.contains(&name)
    }

    /// Returns whether a column is not used.
    fn is_unused(&self, name: &str) -> bool {
        self.is_exported(name) && self.output(name).is_none()
    }

    /// Returns the name of the output in a column.
    fn output<'a>(&self, column: &'a str) -> Option<&'a str> {
        let measured = || MEASURED.iter().find(|(own, _)| self.is_export && *own == column);
        column.strip_prefix("output:").or_else(|| measured().map(|(_, name)| *name))
    }
}

/// The contents of a table.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) list: Vec<Run>,
    /// Whether `captune export` wrote the table.
    pub(super) is_own: bool,
    /// The columns that are not used.
    pub(super) unused: Vec<String>,
}

/// Reads the runs.
pub(super) fn read(text: &str, file: &str) -> Result<Read, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut mistakes = Vec::new();
    let mut records = records(text, &mut mistakes).into_iter();
    let mut head = Head { cells: records.next().unwrap_or_default(), is_export: false };
    head.is_export = EXPORTED.iter().all(|name| head.has(name));
    check_head(&head, text.len(), &mut mistakes);
    if !mistakes.is_empty() {
        // Cells cannot be checked without knowing their columns.
        return Err(Diagnostics::new(file, text, mistakes));
    }
    let mut runs = Vec::new();
    for record in records {
        if record.len() != head.cells.len() {
            let span = record.first().map_or(Span::NONE, |cell| cell.span);
            let message = format!("{} cells, but the first line has {}", record.len(), head.cells.len());
            mistakes.push(Diagnostic::new(span, message).hint("put a cell that contains a comma in quotes"));
            continue;
        }
        runs.extend(run(&head, &record, &mut mistakes));
    }
    if !mistakes.is_empty() {
        return Err(Diagnostics::new(file, text, mistakes));
    }
    let unused = head.cells.iter().filter(|cell| head.is_unused(&cell.text));
    let unused = unused.map(|cell| format!("the column `{}`", cell.text)).collect();
    Ok(Read { list: runs, is_own: head.is_export, unused })
}

fn check_head(head: &Head, end: usize, mistakes: &mut Vec<Diagnostic>) {
    if !head.has("cost") {
        let near = head.cells.iter().map(|cell| cell.text.as_str());
        let hint = suggestion("cost", near.clone()).map(|_| "name the cost column `cost`");
        let span = Span::new(0, end.min(1));
        let hint = hint.unwrap_or("the first line names the columns: instance,seed,cost,status,…");
        mistakes.push(Diagnostic::new(span, "there is no column `cost`").hint(hint));
    }
    for (number, cell) in head.cells.iter().enumerate() {
        if cell.text.is_empty() {
            let message = format!("column {} has no name", number + 1);
            mistakes.push(Diagnostic::new(cell.span, message).hint("name it, or remove it"));
        } else if head.cells[..number].iter().any(|other| other.text == cell.text) {
            let message = format!("there are two columns named `{}`", cell.text);
            mistakes.push(Diagnostic::new(cell.span, message).hint("give each column a different name"));
        }
    }
}

fn run(head: &Head, record: &[Cell], mistakes: &mut Vec<Diagnostic>) -> Option<Run> {
    let before = mistakes.len();
    let cell = |name: &str| {
        let place = head.cells.iter().position(|cell| cell.text == name)?;
        Some(&record[place]).filter(|cell| !cell.text.is_empty())
    };
    let mut number = |name: &str| {
        let cell = cell(name)?;
        let number = parse_number(&cell.text);
        if number.is_none() {
            let message = format!("`{}` is not a number", cell.text);
            mistakes.push(
                Diagnostic::new(cell.span, message).hint(format!("the column `{name}` needs a number")),
            );
        }
        number
    };
    let (cost, cap, time) = (number("cost"), number("cap"), number("time"));
    let outputs: Vec<(String, f64)> = head
        .cells
        .iter()
        .filter_map(|column| Some((head.output(&column.text)?.to_owned(), number(&column.text)?)))
        .collect();
    let seed = number("seed").unwrap_or(0.0);
    if let Some(cell) = cell("seed").filter(|_| seed.fract() != 0.0) {
        mistakes.push(Diagnostic::new(cell.span, "the seed is not a whole number").hint("round it"));
    }
    let status = match cell("status") {
        None => Some(Status::Finished),
        Some(cell) => {
            let all = if head.is_export { &Status::ALL[..] } else { &STATUSES };
            let known = all.iter().copied().find(|status| status.name() == cell.text.to_lowercase());
            if known.is_none() {
                let names = STATUSES.map(Status::name);
                let list = format!("use one of {}", names.join(", "));
                let hint = suggestion(&cell.text, names).unwrap_or(list);
                let message = format!("unknown status `{}`", cell.text);
                mistakes.push(Diagnostic::new(cell.span, message).hint(hint));
            }
            known
        }
    };
    for (name, number) in [("cap", cap), ("time", time)] {
        if let Some(cell) = cell(name).filter(|_| number.is_some_and(|number| number < 0.0)) {
            let message = format!("the {name} `{}` is below zero", cell.text);
            mistakes.push(Diagnostic::new(cell.span, message).hint("correct it, or leave the cell empty"));
        }
    }
    let of_validation = head.is_export && cell("why").is_some_and(|cell| cell.text == VALIDATION);
    let ending = match (status?, cost) {
        _ if of_validation => Ending::Nothing("it is a validation trial".to_owned()),
        (Status::Finished, Some(cost)) => Ending::Finished(cost),
        (Status::Capped | Status::Timeout, Some(at)) => Ending::StoppedAt(at),
        (Status::Memory, _) => Ending::Memory,
        (Status::Crashed, _) => Ending::Crashed,
        (status, None) => {
            // A cost that is not a number has already been reported.
            if mistakes.len() == before {
                let span = record.first().map_or(Span::NONE, |cell| cell.span);
                let message = format!("a run with status `{}` has no cost", status.name());
                mistakes.push(Diagnostic::new(span, message).hint("enter the cost that it had reached"));
            }
            return None;
        }
        (status, Some(_)) => Ending::Nothing(format!("its status is {}", status.name())),
    };
    let is_value =
        |name: &str| !COLUMNS.contains(&name) && head.output(name).is_none() && !head.is_exported(name);
    let values =
        head.cells.iter().zip(record).filter(|(head, cell)| is_value(&head.text) && !cell.text.is_empty());
    let values = values.map(|(head, cell)| {
        let name = head.text.strip_prefix("param:").unwrap_or(&head.text);
        (name.to_owned(), Literal::Text(cell.text.clone()))
    });
    (mistakes.len() == before).then(|| Run {
        place: format!("line {}", record.first().map_or(0, |cell| cell.line)),
        values: Arc::from_iter(values),
        outputs,
        readings: Vec::new(),
        instance: cell("instance").map(|cell| cell.text.clone()).unwrap_or_default(),
        seed: seed as i64,
        ending,
        cap,
        time,
    })
}

/// Splits the text into lines and each line into cells. Empty lines are skipped. A cell in quotes may contain
/// commas and line breaks. Two quotes in a row inside such a cell stand for one quote.
fn records(text: &str, mistakes: &mut Vec<Diagnostic>) -> Vec<Vec<Cell>> {
    let mut records = Vec::new();
    let mut record: Vec<Cell> = Vec::new();
    let mut cell = String::new();
    let (mut start, mut open) = (0, None);
    let (mut line, mut began) = (1, 1);
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        line += usize::from(c == '\n');
        match (c, open) {
            ('"', Some(_)) if rest.next_if(|&(_, next)| next == '"').is_some() => cell.push('"'),
            ('"', Some(_)) => open = None,
            (c, Some(_)) => cell.push(c),
            ('"', None) if cell.trim().is_empty() => {
                cell.clear();
                open = Some(at);
            }
            (',' | '\n', None) => {
                record.push(Cell { text: cell.trim().to_owned(), span: Span::new(start, at), line: began });
                cell.clear();
                (start, began) = (at + 1, line);
                if c == '\n' {
                    records.push(std::mem::take(&mut record));
                }
            }
            (c, None) => cell.push(c),
        }
    }
    if let Some(at) = open {
        let mistake = Diagnostic::new(Span::new(at, at + 1), "a quote is never closed");
        mistakes.push(mistake.hint("to write a quote in a quoted cell, double it"));
    }
    record.push(Cell { text: cell.trim().to_owned(), span: Span::new(start, text.len()), line: began });
    records.push(record);
    records.retain(|record| record.len() > 1 || record.iter().any(|cell| !cell.text.is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_run() {
        let text = "alpha,\"mo,de\",instance,seed,cost,status,cap,param:cost\r\n\
                    0.5,\"a \"\"b\"\"\",i/1.cnf,7,1.25,,5,\n\n,x,i/2.cnf,,2,Capped,2,9\n1,x,i/2.cnf,,,crashed,,";
        let runs = read(text, "runs.csv").unwrap_or_else(|mistakes| panic!("{mistakes}")).list;
        let shown = |run: &Run| {
            let values: Vec<String> =
                run.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} | {} {} {:?} {:?}", values.join(" "), run.instance, run.seed, run.ending, run.cap)
        };
        assert_eq!(
            runs.iter().map(shown).collect::<Vec<_>>(),
            [
                "alpha=0.5 mo,de=a \"b\" | i/1.cnf 7 Finished(1.25) Some(5.0)",
                "mo,de=x cost=9 | i/2.cnf 0 StoppedAt(2.0) Some(2.0)",
                "alpha=1 mo,de=x | i/2.cnf 0 Crashed None",
            ]
        );
    }

    #[test]
    fn every_error_in_a_table_has_its_line() {
        let text = "a,cost,status,b\n1,x,,2\n1,2,caped,2\n1,,,2\n1,2\n";
        let mistakes = read(text, "runs.csv").unwrap_err();
        let shown: Vec<String> = mistakes
            .list()
            .iter()
            .map(|d| format!("{} {}", mistakes.line_column(d.span).map_or(0, |(line, _)| line), d.message))
            .collect();
        assert_eq!(
            shown,
            [
                "2 `x` is not a number",
                "3 unknown status `caped`",
                "4 a run with status `finished` has no cost",
                "5 2 cells, but the first line has 4",
            ]
        );
        assert!(
            read("x,x,cost\n1,2,3\n", "runs.csv").unwrap_err().to_string().contains("two columns named `x`")
        );
        assert!(read("x,y\n1,2\n", "runs.csv").unwrap_err().to_string().contains("no column `cost`"));
    }
}
