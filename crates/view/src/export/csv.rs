//! Trials as CSV: one line for each, the first names the columns.

use std::fmt::Write as _;
use std::io::Write;

use campaign::import::runs::{EXPORTED, VALIDATION};
use campaign::store::{Charter, StoreReader, StoredTrial, StoredValidation};
use engine::Configuration;
use scenario::Sense;
use space::float_text;

use super::{ExportError, Written, shown};
use crate::costs::sense;

/// Writes every trial, and gives how many there were.
pub fn csv(reader: &StoreReader, out: &mut dyn Write) -> Result<Written, ExportError> {
    reader.at_one_moment(|| {
        let charter = reader.charter()?;
        let outputs = reader.output_names()?;
        let parameters =
            charter.space.parameters().iter().map(|parameter| format!("param:{}", parameter.name()));
        let own = outputs.iter().map(|name| format!("output:{name}"));
        let mut header = Line::default();
        EXPORTED.iter().for_each(|name| header.text(name));
        parameters.chain(own).for_each(|name| header.text(&name));
        out.write_all(header.end().as_bytes())?;
        let sense = sense(&charter);
        let mut written = Written::default();
        reader.each_trial(|stored, configuration| {
            written.trials += 1;
            let line = line(&charter, sense, &outputs, stored, configuration);
            Ok::<_, ExportError>(out.write_all(line.as_bytes())?)
        })?;
        reader.each_validation(|stored, configuration| {
            written.validations += 1;
            let line = line_of_validation(&charter, sense, &outputs, stored, configuration);
            Ok::<_, ExportError>(out.write_all(line.as_bytes())?)
        })?;
        Ok(written)
    })
}

/// What is not kept of a validation's trial is empty.
fn line_of_validation(
    charter: &Charter,
    sense: Sense,
    outputs: &[String],
    stored: &StoredValidation,
    configuration: &Configuration,
) -> String {
    let mut line = Line::default();
    let (cost, censored) = shown(sense, stored.cost);
    for name in EXPORTED {
        match name {
            "configuration" => line.show(Some(stored.config.0)),
            "instance" => line.text(&stored.instance),
            "seed" => line.show(Some(stored.seed.0)),
            "why" => line.text(VALIDATION),
            "status" => line.text(stored.status.name()),
            "cost" => line.number(cost),
            "censored" => line.show(censored),
            "cpu" => line.number(stored.cpu),
            "wall" => line.number(stored.wall),
            _ => line.text(""),
        }
    }
    line.values(charter, configuration);
    outputs.iter().for_each(|_| line.text(""));
    line.end()
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
    line.values(charter, configuration);
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

    /// A cell for each parameter.
    fn values(&mut self, charter: &Charter, configuration: &Configuration) {
        for id in charter.space.ids() {
            self.text(&configuration.value(id).map_or_else(String::new, |value| value.to_string()));
        }
    }

    fn end(mut self) -> String {
        self.cells.push('\n');
        self.cells
    }
}
