//! What was tuned, what was found, and where the budget went.

use campaign::event::What;
use engine::Status;
use serde::Serialize;

use super::material::Material;
use crate::error::ViewError;
use crate::picture::Picture;
use crate::values::{Change, changes};

/// The first page.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Overview {
    /// The state of the campaign.
    pub picture: Picture,
    /// What was tuned.
    pub tuned: Tuned,
    /// The best configuration as a command; `None` if all of its trials failed.
    pub command: Option<String>,
    /// Its differences from the default.
    pub changes: Vec<Change>,
    /// Where the time went.
    pub spending: Vec<Spending>,
    /// Number of warnings.
    pub warnings: usize,
}

/// What was tuned.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tuned {
    /// The command of the default.
    pub command: String,
    /// Number of parameters.
    pub parameters: usize,
    /// Number of training instances.
    pub train: usize,
    /// Number of unseen instances.
    pub test: usize,
    /// The cutoff.
    pub cutoff: Option<f64>,
    /// Number of trials that ran at the same time; `None` if unknown.
    pub workers: Option<usize>,
    /// The random seed of the campaign.
    pub seed: u64,
}

/// Time that was used for one purpose.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Spending {
    /// The purpose: a status of trials, `validation` or `optimizer`.
    pub what: &'static str,
    /// Number of trials.
    pub trials: usize,
    /// Wall time in seconds, summed over all slots.
    pub seconds: f64,
}

impl Overview {
    pub(super) fn of(material: &Material<'_>) -> Result<Self, ViewError> {
        let Material { records, scenario, events, .. } = material;
        let picture = Picture::of_records(records)?;
        let best = records.best_configuration();
        let progress = events.iter().rev().find_map(|event| match &event.what {
            What::Progress(progress) => Some(progress),
            _ => None,
        });
        let tuned = Tuned {
            command: records.kept.command(records.default())?,
            parameters: scenario.space.parameters().len(),
            train: records.kept.charter.instances.len(),
            test: scenario.instances.test.len(),
            cutoff: material.objective().cutoff,
            workers: progress.map(|progress| progress.workers),
            seed: records.kept.charter.seed,
        };
        let command = picture.best.as_ref().map(|_| records.kept.command(best)).transpose()?;
        let warnings = events.iter().filter(|event| matches!(event.what, What::Warning(_))).count();
        Ok(Self {
            spending: spending(material),
            changes: changes(records.default(), best),
            picture,
            tuned,
            command,
            warnings,
        })
    }
}

fn spending(material: &Material<'_>) -> Vec<Spending> {
    let history = material.records.history();
    let mut all: Vec<Spending> =
        Status::ALL.map(|status| Spending { what: status.name(), trials: 0, seconds: 0.0 }).into();
    for (trial, timed) in history.trials().iter().zip(&material.trials) {
        let own = &mut all[trial.observation.status() as usize];
        own.trials += 1;
        own.seconds += timed.duration;
    }
    let validations = material.records.validations();
    let seconds = validations.iter().map(|one| one.record.duration()).sum();
    all.push(Spending { what: "validation", trials: validations.len(), seconds });
    all.push(Spending { what: "optimizer", trials: 0, seconds: material.optimizer });
    all.retain(|one| one.trials > 0 || one.seconds > 0.0);
    all
}
