//! Trials as JSON Lines: one object for each.

use std::io::Write;

use campaign::import::runs::VALIDATION;
use campaign::store::StoreReader;
use serde_json::json;

use super::{ExportError, Written, shown};
use crate::costs::sense;
use crate::values::Values;

/// Writes every trial, and gives how many there were.
pub fn json_lines(reader: &StoreReader, out: &mut dyn Write) -> Result<Written, ExportError> {
    reader.at_one_moment(|| {
        let charter = reader.charter()?;
        let sense = sense(&charter);
        let mut written = Written::default();
        reader.each_trial(|stored, configuration| {
            written.trials += 1;
            let trial = &stored.trial;
            let (cost, censored) = shown(sense, trial.observation.cost());
            let object = json!({
                "trial": trial.id.0,
                "configuration": trial.key.config.0,
                "values": Values::of(configuration),
                "instance": charter.instances.get(trial.key.pair.instance.index()),
                "seed": trial.key.pair.seed.0,
                "cap": Some(trial.cap.cost()).filter(|cap| cap.is_finite()),
                "why": trial.why.name(),
                "status": trial.observation.status().name(),
                "cost": cost,
                "censored": censored,
                "spent": trial.observation.spent(),
                "cpu": stored.cpu,
                "wall": stored.wall,
                "memory": stored.memory,
                "exit": stored.exit,
                "outputs": stored.outputs,
                "reason": stored.reason,
                "started": stored.started,
                "ended": stored.ended,
                "slot": stored.slot,
            });
            Ok::<_, ExportError>(out.write_all(format!("{object}\n").as_bytes())?)
        })?;
        reader.each_validation(|stored, configuration| {
            written.validations += 1;
            let (cost, censored) = shown(sense, stored.cost);
            // What is not kept of it is left out.
            let object = json!({
                "trial": null,
                "configuration": stored.config.0,
                "values": Values::of(configuration),
                "instance": stored.instance,
                "seed": stored.seed.0,
                "why": VALIDATION,
                "status": stored.status.name(),
                "cost": cost,
                "censored": censored,
                "cpu": stored.cpu,
                "wall": stored.wall,
            });
            Ok::<_, ExportError>(out.write_all(format!("{object}\n").as_bytes())?)
        })?;
        Ok(written)
    })
}
