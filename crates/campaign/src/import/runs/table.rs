//! A table in CSV: one run in each line, the first line names the columns.
//!
//! | column | holds | without it |
//! |---|---|---|
//! | `cost` | the cost; of a run that was stopped, what it had reached | |
//! | `status` | `finished`, `capped`, `timeout`, `memory` or `crashed` | `finished` |
//! | `instance` | the input's name | the only one |
//! | `seed` | the random seed | 0 |
//! | `cap` | where the run would have been stopped | the cutoff |
//! | `time` | seconds that it took | unknown |
//! | any other | the value of the parameter of that name; empty if it was inactive | |
//!
//! A parameter that is called like one of these columns has `param:` before its name.

use std::sync::Arc;

use engine::Status;
use engine::space::{Diagnostic, Diagnostics, Literal, Span, parse_number, suggestion};

use super::{Ending, Run};

const COLUMNS: [&str; 6] = ["cost", "status", "instance", "seed", "cap", "time"];
const STATUSES: [Status; 5] =
    [Status::Finished, Status::Capped, Status::Timeout, Status::Memory, Status::Crashed];

/// One cell and where it stands.
#[derive(Clone, Debug)]
struct Cell {
    text: String,
    span: Span,
}

pub(super) fn read(text: &str, file: &str) -> Result<Vec<Run>, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut mistakes = Vec::new();
    let mut records = records(text, &mut mistakes).into_iter();
    let head = records.next().unwrap_or_default();
    check_head(&head, text.len(), &mut mistakes);
    if !mistakes.is_empty() {
        // What the columns are is not known, so nothing can be said of the cells.
        return Err(Diagnostics::new(file, text, mistakes));
    }
    let mut runs = Vec::new();
    for record in records {
        if record.len() != head.len() {
            let span = record.first().map_or(Span::NONE, |cell| cell.span);
            let message = format!("{} cells where the first line has {}", record.len(), head.len());
            mistakes.push(Diagnostic::new(span, message).hint("a cell with a comma stands in quotes"));
            continue;
        }
        runs.extend(run(&head, &record, &mut mistakes));
    }
    if mistakes.is_empty() { Ok(runs) } else { Err(Diagnostics::new(file, text, mistakes)) }
}

fn check_head(head: &[Cell], end: usize, mistakes: &mut Vec<Diagnostic>) {
    let has = |name: &str| head.iter().any(|cell| cell.text == name);
    if !has("cost") {
        let near = head.iter().map(|cell| cell.text.as_str());
        let hint = suggestion("cost", near.clone()).map(|_| "call the column of costs `cost`");
        let span = Span::new(0, end.min(1));
        let hint = hint.unwrap_or("the first line names the columns: instance,seed,cost,status,…");
        mistakes.push(Diagnostic::new(span, "there is no column `cost`").hint(hint));
    }
    for (number, cell) in head.iter().enumerate() {
        if head[..number].iter().any(|other| other.text == cell.text) {
            let message = format!("there are two columns `{}`", cell.text);
            mistakes.push(Diagnostic::new(cell.span, message).hint("each column has a name of its own"));
        }
    }
}

fn run(head: &[Cell], record: &[Cell], mistakes: &mut Vec<Diagnostic>) -> Option<Run> {
    let before = mistakes.len();
    let cell = |name: &str| {
        let place = head.iter().position(|cell| cell.text == name)?;
        Some(&record[place]).filter(|cell| !cell.text.is_empty())
    };
    let mut number = |name: &str| {
        let cell = cell(name)?;
        let number = parse_number(&cell.text);
        if number.is_none() {
            let message = format!("`{}` is not a number", cell.text);
            mistakes.push(Diagnostic::new(cell.span, message).hint(format!("it is the {name}")));
        }
        number
    };
    let (cost, cap, time) = (number("cost"), number("cap"), number("time"));
    let seed = number("seed").unwrap_or(0.0);
    if let Some(cell) = cell("seed").filter(|_| seed.fract() != 0.0) {
        mistakes.push(Diagnostic::new(cell.span, "a seed is a whole number").hint("round it"));
    }
    let status = match cell("status") {
        None => Some(Status::Finished),
        Some(cell) => {
            let known = STATUSES.into_iter().find(|status| status.name() == cell.text.to_lowercase());
            if known.is_none() {
                let names = STATUSES.map(Status::name);
                let list = format!("it is one of {}", names.join(", "));
                let hint = suggestion(&cell.text, names).unwrap_or(list);
                let message = format!("unknown status `{}`", cell.text);
                mistakes.push(Diagnostic::new(cell.span, message).hint(hint));
            }
            known
        }
    };
    let ending = match (status?, cost) {
        (Status::Finished, Some(cost)) => Ending::Finished(cost),
        (Status::Capped | Status::Timeout, Some(at)) => Ending::StoppedAt(at),
        (Status::Memory, _) => Ending::Memory,
        (Status::Crashed, _) => Ending::Crashed,
        (status, None) => {
            // A cost that is no number has been told already.
            if mistakes.len() == before {
                let span = record.first().map_or(Span::NONE, |cell| cell.span);
                let message = format!("a run that is {} has no cost", status.name());
                mistakes.push(Diagnostic::new(span, message).hint("write what it had reached"));
            }
            return None;
        }
        (status, Some(_)) => Ending::Nothing(format!("its status is {}", status.name())),
    };
    let values = head
        .iter()
        .zip(record)
        .filter(|(head, cell)| !COLUMNS.contains(&head.text.as_str()) && !cell.text.is_empty());
    let values = values.map(|(head, cell)| {
        let name = head.text.strip_prefix("param:").unwrap_or(&head.text);
        (name.to_owned(), Literal::Text(cell.text.clone()))
    });
    (mistakes.len() == before).then(|| Run {
        values: Arc::from_iter(values),
        instance: cell("instance").map(|cell| cell.text.clone()).unwrap_or_default(),
        seed: seed as i64,
        ending,
        cap,
        time,
    })
}

/// The cells of each line that is not empty. Quotes keep commas and line breaks in a cell, and two of
/// them are one.
fn records(text: &str, mistakes: &mut Vec<Diagnostic>) -> Vec<Vec<Cell>> {
    let mut records = Vec::new();
    let mut record: Vec<Cell> = Vec::new();
    let mut cell = String::new();
    let (mut start, mut open) = (0, None);
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match (c, open) {
            ('"', Some(_)) if rest.next_if(|&(_, next)| next == '"').is_some() => cell.push('"'),
            ('"', Some(_)) => open = None,
            (c, Some(_)) => cell.push(c),
            ('"', None) if cell.trim().is_empty() => {
                cell.clear();
                open = Some(at);
            }
            (',' | '\n', None) => {
                record.push(Cell { text: cell.trim().to_owned(), span: Span::new(start, at) });
                cell.clear();
                start = at + 1;
                if c == '\n' {
                    records.push(std::mem::take(&mut record));
                }
            }
            (c, None) => cell.push(c),
        }
    }
    if let Some(at) = open {
        let mistake = Diagnostic::new(Span::new(at, at + 1), "a quote has no end");
        mistakes.push(mistake.hint("a quote within a cell in quotes is written twice"));
    }
    record.push(Cell { text: cell.trim().to_owned(), span: Span::new(start, text.len()) });
    records.push(record);
    records.retain(|record| record.len() > 1 || record.iter().any(|cell| !cell.text.is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_run() {
        let text = "alpha,\"mo,de\",instance,seed,cost,status,cap,param:cost\r\n\
                    0.5,\"a \"\"b\"\"\",i/1.cnf,7,1.25,,5,\n\n,x,i/2.cnf,,2,Capped,2,9\n1,x,i/2.cnf,,,crashed,,";
        let runs = read(text, "runs.csv").unwrap_or_else(|mistakes| panic!("{mistakes}"));
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
    fn every_mistake_of_a_table_has_its_line() {
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
                "4 a run that is finished has no cost",
                "5 2 cells where the first line has 4",
            ]
        );
        assert!(read("x,x,cost\n1,2,3\n", "runs.csv").unwrap_err().to_string().contains("two columns `x`"));
        assert!(read("x,y\n1,2\n", "runs.csv").unwrap_err().to_string().contains("no column `cost`"));
    }
}
