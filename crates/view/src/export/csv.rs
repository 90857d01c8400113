//! Exports trials as CSV, with one line per trial. The first line contains the column names.

use std::fmt::Write as _;
use std::io::Write;

use campaign::import::runs::EXPORTED;
use engine::Configuration;
use execution::Record;
use scenario::Sense;
use space::float_text;
use store::{Charter, StoreReader};

use super::{ExportError, Written, shown};
use crate::costs::sense;

/// Writes all trials and returns their number.
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
        let write = |out: &mut dyn Write, number, instance: &str, record: &Record, configuration: &_| {
            let mut line = line(sense, number, instance, record);
            line.values(&charter, configuration);
            outputs.iter().for_each(|name| line.number(record.detail.outputs.get(name).copied()));
            Ok::<_, ExportError>(out.write_all(line.end().as_bytes())?)
        };
        reader.each_trial(|record, configuration| {
            written.trials += 1;
            let trial = &record.trial;
            let instance = charter.instances.get(trial.key.pair.instance.index()).map_or("", String::as_str);
            write(out, Some(trial.id.0), instance, record, configuration)
        })?;
        reader.each_validation(|stored, configuration| {
            written.validations += 1;
            write(out, None, &stored.instance, &stored.record, configuration)
        })?;
        Ok(written)
    })
}

/// Returns the line for a trial, without its parameter values and outputs. Validation trials have no number.
fn line(sense: Sense, number: Option<u64>, instance: &str, record: &Record) -> Line {
    let Record { trial, detail, started, ended, slot } = record;
    let mut line = Line::default();
    let told = &trial.observation;
    let (cost, censored) = shown(sense, told.cost());
    line.show(number);
    line.show(Some(trial.key.config.0));
    line.text(instance);
    line.show(Some(trial.key.pair.seed.0));
    line.number(Some(trial.cap.cost()).filter(|cap| cap.is_finite()));
    line.text(trial.why.name());
    line.text(told.status().name());
    line.number(cost);
    line.show(censored);
    line.number(Some(told.spent()));
    line.number(detail.cpu);
    line.number(detail.wall);
    line.show(detail.memory);
    line.show(detail.exit);
    line.text(detail.reason.as_deref().unwrap_or_default());
    line.number(Some(*started));
    line.number(Some(*ended));
    line.show(Some(slot));
    line
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

    /// Adds a cell, in quotes if necessary.
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

    /// Adds a cell for each parameter.
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
