//! Exports trials as a `runhistory.json` of SMAC3, version 2.3 or later.
//!
//! | trial in captune | in SMAC3 |
//! |---|---|
//! | finished | `SUCCESS` with its cost |
//! | timeout, capped | `TIMEOUT` with the penalty as its cost and the time it had reached as `time` |
//! | memory; crashed, wrong | `MEMORYOUT`; `CRASHED`; both with the penalty as their cost |
//! | aborted, lost | left out: they give no information about the configuration |
//!
//! SMAC3 has no censored costs. A stopped trial must not look good there, so its cost is the penalty.
//! `additional_info` records how the trial really ended, its outputs and what it used, so that `captune import` restores
//! them.

use std::io::Write;

use engine::problem::Objective;
use engine::{Observation, Reading, Status};
use execution::Record;
use serde_json::{Map, Value, json};
use space::Values;
use store::StoreReader;

use super::ExportError;

/// The cost of a failure if there is no cutoff. The number is finite, because JSON has no infinity.
const WORST: f64 = f64::MAX;

/// Numbers of trials written and left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Smac3Export {
    /// Number of trials written.
    pub trials: u64,
    /// Number of these trials that were stopped before the cutoff; their cost is the penalty.
    pub capped: u64,
    /// Number of trials left out.
    pub left_out: u64,
}

/// Writes all trials. `objective` determines the penalty, and `are_times` means that costs are seconds.
pub fn smac3(
    reader: &StoreReader,
    objective: &Objective,
    are_times: bool,
    out: &mut dyn Write,
) -> Result<Smac3Export, ExportError> {
    reader.at_one_moment(|| {
        let charter = reader.charter()?;
        let mut written = Smac3Export::default();
        out.write_all(b"{\"data\": [")?;
        reader.each_trial(|record, _| {
            let trial = &record.trial;
            let Some(status) = status(trial.observation.status()) else {
                written.left_out += 1;
                return Ok::<_, ExportError>(());
            };
            let separator = if written.trials == 0 { "\n" } else { ",\n" };
            written.trials += 1;
            written.capped += u64::from(trial.observation.status() == Status::Capped);
            let instance = charter.instances.get(trial.key.pair.instance.index());
            let entry = json!({
                // SMAC3 counts from 1.
                "config_id": u64::from(trial.key.config.0) + 1,
                "instance": instance.filter(|name| !name.is_empty()),
                "seed": trial.key.pair.seed.0,
                "budget": null,
                "cost": cost(objective, &trial.observation),
                "time": time(are_times, record),
                "cpu_time": record.detail.cpu.unwrap_or(0.0),
                "status": status,
                "starttime": record.started,
                "endtime": record.ended,
                "additional_info": about(record),
            });
            Ok(out.write_all(format!("{separator}{entry}").as_bytes())?)
        })?;
        out.write_all(b"],\n\"configs\": {")?;
        let mut first = true;
        reader.each_configuration(&charter.space, |stored| {
            let separator = if std::mem::replace(&mut first, false) { "\n" } else { ",\n" };
            let (id, values) = (u64::from(stored.id.0) + 1, json!(Values::from(&stored.configuration)));
            Ok::<_, ExportError>(out.write_all(format!("{separator}\"{id}\": {values}").as_bytes())?)
        })?;
        out.write_all(b"},\n\"config_origins\": {")?;
        let mut first = true;
        reader.each_configuration(&charter.space, |stored| {
            let separator = if std::mem::replace(&mut first, false) { "\n" } else { ",\n" };
            let (id, origin) = (u64::from(stored.id.0) + 1, Value::from(stored.origin.as_str()));
            Ok::<_, ExportError>(out.write_all(format!("{separator}\"{id}\": {origin}").as_bytes())?)
        })?;
        let Smac3Export { trials, .. } = written;
        let stats = json!({ "submitted": trials, "finished": trials, "running": 0 });
        out.write_all(format!("}},\n\"stats\": {stats}}}\n").as_bytes())?;
        Ok(written)
    })
}

/// Returns SMAC3's number for a status.
fn status(status: Status) -> Option<u8> {
    match status {
        Status::Finished => Some(1),
        Status::Crashed | Status::Wrong => Some(2),
        Status::Timeout | Status::Capped => Some(3),
        Status::Memory => Some(4),
        Status::Aborted | Status::Lost => None,
    }
}

fn cost(objective: &Objective, observation: &Observation) -> f64 {
    let cost = match (observation.status(), observation.cost()) {
        (Status::Finished, Some(Reading::Exact(cost))) => cost,
        _ => objective.penalty(),
    };
    if cost.is_finite() { cost } else { WORST }
}

/// Returns the cost that the trial reached, if costs are times; otherwise, its duration.
fn time(are_times: bool, record: &Record) -> f64 {
    let reached = record.trial.observation.cost().map(Reading::lower_bound);
    reached.filter(|_| are_times).or(record.detail.wall).unwrap_or(record.ended - record.started)
}

/// Returns information for which SMAC3 has no field.
fn about(record: &Record) -> Value {
    let mut about = Map::from_iter([("captune".to_owned(), Value::Bool(true))]);
    about.insert("status".to_owned(), record.trial.observation.status().name().into());
    if let Some(Reading::AtLeast(bound)) = record.trial.observation.cost() {
        about.insert("at_least".to_owned(), bound.into());
    }
    if let Some(reason) = &record.detail.reason {
        about.insert("reason".to_owned(), reason.as_str().into());
    }
    let measured = record.detail.measured();
    if !measured.is_empty() {
        let outputs = measured.into_iter().map(|(name, value)| (name, json!(value)));
        about.insert("outputs".to_owned(), Value::Object(outputs.collect()));
    }
    Value::Object(about)
}
