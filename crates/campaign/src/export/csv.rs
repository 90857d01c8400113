//! Trials as CSV: one line for each, the first names the columns.

use std::fmt::Write as _;
use std::io::Write;

use engine::Configuration;
use engine::space::float_text;

use super::{ExportError, sense, shown};
use crate::scenario::Sense;
use crate::store::{Charter, StoreReader, StoredTrial};

/// The columns that every campaign has.
const COLUMNS: [&str; 18] = [
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

/// Writes every trial, and gives how many there were.
pub fn csv(reader: &StoreReader, out: &mut dyn Write) -> Result<u64, ExportError> {
    reader.at_one_moment(|| {
        let charter = reader.charter()?;
        let outputs = reader.output_names()?;
        let parameters =
            charter.space.parameters().iter().map(|parameter| format!("param:{}", parameter.name()));
        let own = outputs.iter().map(|name| format!("output:{name}"));
        let mut header = Line::default();
        COLUMNS.iter().for_each(|name| header.text(name));
        parameters.chain(own).for_each(|name| header.text(&name));
        out.write_all(header.end().as_bytes())?;
        let sense = sense(&charter);
        let mut count = 0;
        reader.each_trial(|stored, configuration| {
            count += 1;
            let line = line(&charter, sense, &outputs, stored, configuration);
            Ok::<_, ExportError>(out.write_all(line.as_bytes())?)
        })?;
        Ok(count)
    })
}

fn line(
    charter: &Charter,
    sense: Sense,
    outputs: &[String],
    stored: &StoredTrial,
    configuration: &Configuration,
) -> String {
    let (trial, mut line) = (&stored.trial, Line::default());
    let told = &trial.observation;
    let (cost, censored) = shown(sense, told.cost());
    line.show(Some(trial.id.0));
    line.show(Some(trial.key.config.0));
    line.text(charter.instances.get(trial.key.pair.instance.index()).map_or("", String::as_str));
    line.show(Some(trial.key.pair.seed.0));
    line.number(Some(trial.cap.cost()).filter(|cap| cap.is_finite()));
    line.text(trial.why.name());
    line.text(told.status().name());
    line.number(cost);
    line.show(censored);
    line.number(Some(told.spent()));
    line.number(stored.cpu);
    line.number(stored.wall);
    line.show(stored.memory);
    line.show(stored.exit);
    line.text(stored.reason.as_deref().unwrap_or_default());
    line.number(Some(stored.started));
    line.number(Some(stored.ended));
    line.show(Some(stored.slot));
    for id in charter.space.ids() {
        line.text(&configuration.value(id).map_or_else(String::new, |value| value.to_string()));
    }
    outputs.iter().for_each(|name| line.number(stored.outputs.get(name).copied()));
    line.end()
}

/// A line that is being written.
#[derive(Default)]
struct Line {
    cells: String,
    is_begun: bool,
}

impl Line {
    fn next(&mut self) {
        if std::mem::replace(&mut self.is_begun, true) {
            self.cells.push(',');
        }
    }

    /// A cell, in quotes if it must be.
    fn text(&mut self, text: &str) {
        self.next();
        if text.contains([',', '"', '\n', '\r']) {
            let _ = write!(self.cells, "\"{}\"", text.replace('"', "\"\""));
        } else {
            self.cells.push_str(text);
        }
    }

    fn number(&mut self, number: Option<f64>) {
        self.next();
        self.cells.push_str(&number.map(float_text).unwrap_or_default());
    }

    fn show(&mut self, value: Option<impl std::fmt::Display>) {
        self.next();
        if let Some(value) = value {
            let _ = write!(self.cells, "{value}");
        }
    }

    fn end(mut self) -> String {
        self.cells.push('\n');
        self.cells
    }
}
