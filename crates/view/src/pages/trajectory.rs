//! The incumbents over time, and their costs on unseen pairs.

use std::collections::BTreeSet;

use campaign::event::What;
use engine::ConfigId;
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
    /// Configurations measured on the pairs of the verdict.
    pub unseen: Vec<UnseenMean>,
    /// Number of validation trials that do not count there: on other pairs, from other machines, without a
    /// known cost, or measured again later.
    pub left_out: usize,
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

/// The mean cost of a configuration on the pairs of the verdict that both it and the default were measured on. For
/// the best configuration, these are the readings that the verdict is based on.
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
        let takeovers = takeovers.collect();
        let (unseen, left_out) = unseen(material);
        Self {
            takeovers,
            wall: material.duration(),
            trials: material.records.history().trials().len(),
            unseen,
            left_out,
        }
    }
}

/// Returns the means on the pairs of the verdict. The default has none, because it would be compared with
/// itself.
fn unseen(material: &Material<'_>) -> (Vec<UnseenMean>, usize) {
    let (rows, ground) = (material.records.validations(), &material.ground);
    let configs: BTreeSet<ConfigId> = rows.iter().map(|row| row.key().0).collect();
    let mut used = BTreeSet::new();
    let mean = |config: ConfigId| {
        let both = ground.pairs(config);
        let (mut own, mut default) = (0.0, 0.0);
        for pair in &both {
            // Every pair of the verdict has two known costs.
            own += ground.objective().known(pair.own).unwrap_or_default();
            default += ground.objective().known(pair.default).unwrap_or_default();
            used.extend(pair.rows);
        }
        let [cost, default] = [own, default].map(|sum| material.costs.number(sum / both.len() as f64));
        (!both.is_empty()).then_some(UnseenMean { configuration: config.0, cost, default, pairs: both.len() })
    };
    let means: Vec<UnseenMean> =
        configs.into_iter().filter(|&config| config != ConfigId(0)).filter_map(mean).collect();
    (means, rows.len() - used.len())
}
