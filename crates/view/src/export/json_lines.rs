//! Exports trials as JSON Lines: one object per trial.

use std::io::Write;

use engine::Configuration;
use execution::Record;
use scenario::Sense;
use serde_json::json;
use space::Values;
use store::StoreReader;

use super::{ExportError, Written, shown};
use crate::costs::sense;

/// Writes all trials and returns their number.
pub fn json_lines(reader: &StoreReader, out: &mut dyn Write) -> Result<Written, ExportError> {
    reader.at_one_moment(|| {
        let charter = reader.charter()?;
        let sense = sense(&charter);
        let mut written = Written::default();
        reader.each_trial(|record, configuration| {
            written.trials += 1;
            let instance = charter.instances.get(record.trial.key.pair.instance.index());
            let number = Some(record.trial.id.0);
            let line = line(sense, number, instance.map(String::as_str), record, configuration);
            Ok::<_, ExportError>(out.write_all(line.as_bytes())?)
        })?;
        reader.each_validation(|stored, configuration| {
            written.validations += 1;
            let line = line(sense, None, Some(&stored.instance), &stored.record, configuration);
            Ok::<_, ExportError>(out.write_all(line.as_bytes())?)
        })?;
        Ok(written)
    })
}

/// Returns the line for a trial. Validation trials have no number.
fn line(
    sense: Sense,
    number: Option<u64>,
    instance: Option<&str>,
    record: &Record,
    configuration: &Configuration,
) -> String {
    let Record { trial, detail, started, ended, slot } = record;
    let (cost, censored) = shown(sense, trial.observation.cost());
    let object = json!({
        "trial": number,
        "configuration": trial.key.config.0,
        "values": Values::from(configuration),
        "instance": instance,
        "seed": trial.key.pair.seed.0,
        "cap": Some(trial.cap.cost()).filter(|cap| cap.is_finite()),
        "why": trial.why.name(),
        "status": trial.observation.status().name(),
        "cost": cost,
        "censored": censored,
        "spent": trial.observation.spent(),
        "cpu": detail.cpu,
        "wall": detail.wall,
        "memory": detail.memory,
        "exit": detail.exit,
        "outputs": detail.outputs,
        "reason": detail.reason,
        "started": started,
        "ended": ended,
        "slot": slot,
    });
    format!("{object}\n")
}
