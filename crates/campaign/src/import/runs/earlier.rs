//! Reads the trials of a campaign.

use std::path::Path;
use std::sync::Arc;

use engine::{ConfigId, Reading, Status};

use super::{Ending, Run, Runs, Values};
use crate::import::ImportError;
use store::Store;

/// Reads a campaign's database.
pub(super) fn read(file: &Path, source: String) -> Result<Runs, ImportError> {
    let reader = Store::read_file(file)?;
    let loaded = reader.load()?;
    let history = &loaded.history;
    let values: Vec<Values> = history
        .configurations()
        .iter()
        .map(|configuration| {
            Arc::from_iter(configuration.iter().map(|(name, value)| (name.to_owned(), value)))
        })
        .collect();
    let of = |config: ConfigId| Arc::clone(&values[config.index()]);
    let mut measured = Vec::new();
    reader.each_record(|record| measured.push(record.detail.measured()))?;
    let run = |(trial, outputs): (&engine::history::Trial, Vec<(String, f64)>)| {
        let cost = trial.observation.cost().map(Reading::lower_bound);
        let ending = match (trial.observation.status(), cost) {
            (Status::Finished, Some(cost)) => Ending::Finished(cost),
            (Status::Capped | Status::Timeout, Some(at)) => Ending::StoppedAt(at),
            (Status::Memory, _) => Ending::Memory,
            (Status::Crashed, _) => Ending::Crashed,
            (status, _) => Ending::Nothing(format!("the trial was {}", status.name())),
        };
        let instance = loaded.charter.instances.get(trial.key.pair.instance.index());
        Run {
            place: format!("trial {}", trial.id),
            values: of(trial.key.config),
            outputs,
            readings: trial.observation.constraints().to_vec(),
            instance: instance.cloned().unwrap_or_default(),
            seed: i64::from(trial.key.pair.seed.0),
            ending,
            cap: Some(trial.cap.cost()).filter(|cap| cap.is_finite()),
            time: None,
        }
    };
    let list = history.trials().iter().zip(measured).map(run).collect();
    Ok(Runs {
        source,
        list,
        charter: Some(loaded.charter),
        files: reader.fingerprints()?,
        is_own: true,
        sense: None,
        unused: Vec::new(),
    })
}
