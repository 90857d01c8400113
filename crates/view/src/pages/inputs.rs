//! The instances: how hard they are, and whether they agree on which configurations are good.

use std::collections::BTreeMap;

use engine::{ConfigId, InstanceId, Status};
use serde::Serialize;

use super::material::Material;

/// Smallest number of configurations for a correlation.
const ENOUGH: usize = 5;

/// The training instances.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Inputs {
    /// The instances in the order of their numbers.
    pub instances: Vec<Input>,
    /// Mean agreement over the instances where it is known.
    pub agreement: Option<f64>,
}

/// A training instance.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its family, if it has one.
    pub family: Option<String>,
    /// Number of trials.
    pub trials: usize,
    /// Number of trials that finished.
    pub finished: usize,
    /// The default's mean cost, and whether it is a lower bound.
    pub default: Option<(f64, bool)>,
    /// The best configuration's mean cost, and whether it is a lower bound.
    pub best: Option<(f64, bool)>,
    /// Rank correlation of the costs on this instance with the mean ranks on the others, over
    /// configurations; `None` for fewer than five configurations.
    pub agreement: Option<f64>,
}

impl Inputs {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let history = material.records.history();
        let count = material.records.kept.charter.instances.len();
        let (mut trials, mut finished) = (vec![0; count], vec![0; count]);
        for trial in history.trials() {
            let Some(own) = trials.get_mut(trial.key.pair.instance.index()) else { continue };
            *own += 1;
            finished[trial.key.pair.instance.index()] +=
                usize::from(trial.observation.status() == Status::Finished);
        }
        let (default, best) = (means(material, ConfigId(0)), means(material, material.records.best()));
        let agreements = agreements(material, count);
        let one = |(id, instance): (usize, &scenario::Instance)| Input {
            name: instance.name.clone(),
            family: instance.family.clone(),
            trials: trials.get(id).copied().unwrap_or(0),
            finished: finished.get(id).copied().unwrap_or(0),
            default: default.get(&id).copied(),
            best: best.get(&id).copied(),
            agreement: agreements.get(id).copied().flatten(),
        };
        let instances: Vec<Input> = material.scenario.instances.train.iter().enumerate().map(one).collect();
        let known: Vec<f64> = instances.iter().filter_map(|one| one.agreement).collect();
        let agreement = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
        Self { instances, agreement }
    }
}

/// Returns the mean cost of a configuration on each instance, and whether it is a lower bound.
fn means(material: &Material<'_>, config: ConfigId) -> BTreeMap<usize, (f64, bool)> {
    let mut sums: BTreeMap<usize, (f64, f64, bool)> = BTreeMap::new();
    if material.records.is_known(config) {
        for (_, trial) in material.records.history().readings(config) {
            let Some(cost) = trial.observation.cost() else { continue };
            let own = sums.entry(trial.key.pair.instance.index()).or_default();
            *own = (own.0 + cost.lower_bound(), own.1 + 1.0, own.2 | cost.is_censored());
        }
    }
    sums.into_iter().map(|(id, (sum, n, bound))| (id, (material.costs.number(sum / n), bound))).collect()
}

/// Returns the agreement of each instance with the others.
fn agreements(material: &Material<'_>, count: usize) -> Vec<Option<f64>> {
    // For each instance, configurations with their mean cost there; lower bounds count as costs, because a
    // stopped trial is slow.
    let mut columns: Vec<Vec<(ConfigId, f64)>> = vec![Vec::new(); count];
    for config in material.measured() {
        let mut own: BTreeMap<InstanceId, (f64, f64)> = BTreeMap::new();
        for (_, trial) in material.records.history().readings(config) {
            let Some(cost) = trial.observation.cost() else { continue };
            let sum = own.entry(trial.key.pair.instance).or_default();
            *sum = (sum.0 + cost.lower_bound(), sum.1 + 1.0);
        }
        for (id, (sum, n)) in own {
            if let Some(column) = columns.get_mut(id.index()) {
                column.push((config, sum / n));
            }
        }
    }
    let ranked: Vec<Vec<(ConfigId, f64)>> = columns.iter().map(|column| ranks(column)).collect();
    let mut sums: BTreeMap<ConfigId, (f64, f64)> = BTreeMap::new();
    for &(config, rank) in ranked.iter().flatten() {
        let own = sums.entry(config).or_default();
        *own = (own.0 + rank, own.1 + 1.0);
    }
    let of_column = |column: &Vec<(ConfigId, f64)>| {
        let both: Vec<(f64, f64)> = column
            .iter()
            .filter_map(|(config, rank)| {
                let (sum, n) = sums[config];
                (n > 1.0).then(|| (*rank, (sum - rank) / (n - 1.0)))
            })
            .collect();
        correlation(&both)
    };
    ranked.iter().map(of_column).collect()
}

/// Replaces costs by ranks from 0 to 1; equal costs share the mean of their ranks.
fn ranks(column: &[(ConfigId, f64)]) -> Vec<(ConfigId, f64)> {
    let mut sorted = column.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let last = sorted.len().saturating_sub(1).max(1) as f64;
    let mut ranked = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.1 == b.1) {
        let middle = ranked.len() as f64 + (group.len() - 1) as f64 / 2.0;
        ranked.extend(group.iter().map(|(config, _)| (*config, middle / last)));
    }
    ranked
}

fn correlation(both: &[(f64, f64)]) -> Option<f64> {
    if both.len() < ENOUGH {
        return None;
    }
    let n = both.len() as f64;
    let (x, y) = both.iter().fold((0.0, 0.0), |(x, y), one| (x + one.0 / n, y + one.1 / n));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in both {
        xy += (a - x) * (b - y);
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
    }
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_costs_share_a_rank_and_opposite_orders_correlate_negatively() {
        let column: Vec<(ConfigId, f64)> =
            [3.0, 1.0, 1.0, 9.0].into_iter().zip(0..).map(|(cost, id)| (ConfigId(id), cost)).collect();
        let ranked: Vec<(u32, f64)> = ranks(&column).into_iter().map(|(id, rank)| (id.0, rank)).collect();
        assert_eq!(ranked, [(1, 0.5 / 3.0), (2, 0.5 / 3.0), (0, 2.0 / 3.0), (3, 1.0)]);
        let falling: Vec<(f64, f64)> = (0..6).map(|i| (f64::from(i), f64::from(-i))).collect();
        assert_eq!(correlation(&falling), Some(-1.0));
        assert_eq!(correlation(&falling[..4]), None, "four configurations are too few");
    }
}
