//! The incumbents over time, and their costs on unseen pairs.

use campaign::event::What;
use campaign::validation;
use engine::ConfigId;
use engine::problem::Objective;
use serde::Serialize;

use super::material::Material;
use crate::costs::sense;
use crate::trajectory::{Incumbent, trajectory};

/// The incumbents over time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Trajectory {
    /// All incumbents in order.
    pub takeovers: Vec<Takeover>,
    /// Time of the campaign so far, in seconds.
    pub wall: f64,
    /// Number of trials so far.
    pub trials: usize,
    /// Configurations measured on unseen pairs.
    pub unseen: Vec<UnseenMean>,
}

/// A configuration that became the incumbent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Takeover {
    /// The configuration and the moment.
    #[serde(flatten)]
    pub incumbent: Incumbent,
    /// The mean compared cost of the previous incumbent on the same pairs; `None` if unknown.
    pub before: Option<f64>,
}

/// The mean cost of a configuration on the unseen pairs that both it and the default were measured on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct UnseenMean {
    /// The number of the configuration.
    pub configuration: u32,
    /// Its mean compared cost.
    pub cost: f64,
    /// The default's mean compared cost on the same pairs.
    pub default: f64,
    /// Number of pairs.
    pub pairs: usize,
}

impl Trajectory {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let sense = sense(&material.records.kept.charter);
        let mut befores = material.events.iter().filter_map(|event| match &event.what {
            What::NewIncumbent(new) => Some((new.config.0, new.before)),
            _ => None,
        });
        let incumbents = trajectory(material.records, sense).into_iter();
        let takeovers = incumbents.map(|incumbent| {
            // Both lists are in order, but the first incumbent has no event.
            let before = befores.by_ref().find(|(config, _)| *config == incumbent.configuration);
            let before = before.map(|(_, cost)| sense.shown(cost)).filter(|cost| cost.is_finite());
            Takeover { incumbent, before }
        });
        Self {
            takeovers: takeovers.collect(),
            wall: material.duration(),
            trials: material.records.history().trials().len(),
            unseen: unseen(material),
        }
    }
}

fn unseen(material: &Material<'_>) -> Vec<UnseenMean> {
    let rows = material.records.validations();
    let objective: Objective = validation::objective(&material.settings);
    let mut configs: Vec<ConfigId> = rows.iter().map(|row| row.record.trial.key.config).collect();
    configs.sort_unstable();
    configs.dedup();
    let mean = |config: ConfigId| {
        let (mut own, mut default, mut pairs) = (0.0, 0.0, 0);
        for row in rows.iter().filter(|row| row.record.trial.key.config == config) {
            let base = rows.iter().rev().find(|other| {
                let (id, instance, seed) = other.key();
                id == ConfigId(0) && instance == row.instance && seed == row.record.trial.key.pair.seed
            });
            let known = |row: &store::StoredValidation| objective.known(&row.record.trial.observation);
            let Some((cost, reference)) = known(row).zip(base.and_then(known)) else { continue };
            own += cost;
            default += reference;
            pairs += 1;
        }
        let [cost, default] = [own, default].map(|sum| material.costs.number(sum / pairs as f64));
        (pairs > 0).then_some(UnseenMean { configuration: config.0, cost, default, pairs })
    };
    configs.into_iter().filter_map(mean).collect()
}
