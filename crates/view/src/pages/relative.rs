//! The cost of a configuration relative to the default's on the same pairs. Configurations are tried on
//! different pairs, so their plain means cannot be compared.

use std::collections::HashMap;

use engine::history::PairId;
use engine::{ConfigId, Reading};

use super::material::Material;

/// A configuration's costs relative to the default's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Relative {
    /// Sum of its costs divided by the sum of the default's.
    pub(super) ratio: f64,
    /// Whether some of its trials were stopped, so that the ratio is only a lower bound.
    pub(super) censored: bool,
    /// Number of pairs on which both were measured.
    pub(super) pairs: usize,
}

/// The default's costs by pair.
pub(super) struct Default {
    known: HashMap<PairId, f64>,
    /// The mean of these costs.
    pub(super) mean: f64,
}

impl Default {
    /// Collects the default's costs. If `penalised` is false, a timeout counts as the cutoff, as for a model.
    pub(super) fn of(material: &Material<'_>, penalised: bool) -> Self {
        let history = material.records.history();
        let mut known = HashMap::new();
        if material.records.is_known(ConfigId(0)) {
            let costs = history.readings(ConfigId(0)).filter_map(|(pair, trial)| {
                let cost = material.objective().compared(&trial.observation)?;
                let own = if penalised { Some(cost) } else { trial.observation.cost() };
                Some((pair, own?.lower_bound()))
            });
            known = costs.filter(|(_, cost)| cost.is_finite()).collect();
        }
        let mut sorted: Vec<f64> = known.values().copied().collect();
        // The order of a hash table is arbitrary, and sums depend on the order.
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        Self { known, mean }
    }

    /// Compares a configuration with the default; returns `None` if they have no pairs in common.
    pub(super) fn relate(
        &self,
        material: &Material<'_>,
        config: ConfigId,
        penalised: bool,
    ) -> Option<Relative> {
        let (mut own, mut default, mut pairs, mut censored) = (0.0, 0.0, 0, false);
        for (pair, trial) in material.records.history().readings(config) {
            let Some(reference) = self.known.get(&pair) else { continue };
            let compared = material.objective().compared(&trial.observation);
            let reading = if penalised { compared } else { trial.observation.cost() };
            let Some(reading) = reading.filter(|one| one.lower_bound().is_finite()) else { continue };
            own += reading.lower_bound();
            default += reference;
            pairs += 1;
            censored |= matches!(reading, Reading::AtLeast(_));
        }
        let ratio = own / default;
        (pairs > 0 && ratio.is_finite() && ratio > 0.0).then_some(Relative { ratio, censored, pairs })
    }
}
