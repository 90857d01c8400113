//! Configurations by instances: who was tried where, and how fast it was.

use std::collections::BTreeMap;

use engine::{ConfigId, InstanceId, Reading};
use serde::Serialize;

use super::material::Material;

/// Largest number of rows and columns.
const ROWS: usize = 60;
const COLUMNS: usize = 200;

/// Configurations by instances.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Matrix {
    /// Names of the instances, by the mean cost of all readings, the cheapest first.
    pub instances: Vec<String>,
    /// Number of all training instances.
    pub of_instances: usize,
    /// The default, the incumbents, and the configurations with the most results.
    pub rows: Vec<MatrixRow>,
    /// Number of all configurations with a result.
    pub of_rows: usize,
}

/// The results of one configuration.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatrixRow {
    /// Its number.
    pub configuration: u32,
    /// Whether it has been the incumbent.
    pub incumbent: bool,
    /// Its result on each instance, in the order of the columns.
    pub cells: Vec<Option<Cell>>,
}

/// The mean of a configuration's results on an instance.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Cell {
    /// The mean cost; `None` if every trial failed.
    pub cost: Option<f64>,
    /// Whether a trial was stopped, so that the mean is a lower bound.
    pub censored: bool,
    /// Number of pairs.
    pub pairs: usize,
    /// Number of failed pairs.
    pub failed: usize,
}

impl Matrix {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let history = material.records.history();
        let mut count: Vec<(usize, ConfigId)> =
            material.measured().map(|config| (history.readings(config).count(), config)).collect();
        let of_rows = count.len();
        let (incumbents, best) = (material.incumbents(), material.records.best());
        let rank = |config: ConfigId| match config {
            _ if config == ConfigId(0) || config == best => 0,
            _ if incumbents.contains(&config) => 1,
            _ => 2,
        };
        count.sort_by_key(|&(pairs, config)| (rank(config), std::cmp::Reverse(pairs), config));
        count.truncate(ROWS);
        // The default comes first, then configurations in order of appearance.
        count.sort_by_key(|&(_, config)| config);
        let columns = columns(material);
        let place: BTreeMap<InstanceId, usize> =
            columns.iter().enumerate().map(|(place, &id)| (id, place)).collect();
        let row = |config: ConfigId| {
            let mut cells: Vec<Option<Cell>> = vec![None; columns.len()];
            for (_, trial) in history.readings(config) {
                let Some(&place) = place.get(&trial.key.pair.instance) else { continue };
                add(&mut cells[place], trial.observation.cost(), material);
            }
            MatrixRow { configuration: config.0, incumbent: incumbents.contains(&config), cells }
        };
        Self {
            rows: count.iter().map(|&(_, config)| row(config)).collect(),
            instances: columns.iter().map(|&id| material.instance(id).to_owned()).collect(),
            of_instances: material.records.kept.charter.instances.len(),
            of_rows,
        }
    }
}

fn add(cell: &mut Option<Cell>, reading: Option<Reading>, material: &Material<'_>) {
    let own = cell.get_or_insert(Cell { cost: None, censored: false, pairs: 0, failed: 0 });
    let known = (own.pairs - own.failed) as f64;
    own.pairs += 1;
    match reading {
        Some(reading) => {
            let cost = material.costs.number(reading.lower_bound());
            own.cost = Some(own.cost.map_or(cost, |mean| (mean * known + cost) / (known + 1.0)));
            own.censored |= reading.is_censored();
        }
        None => own.failed += 1,
    }
}

/// Returns the instances with results, by the mean of all readings, thinned evenly.
fn columns(material: &Material<'_>) -> Vec<InstanceId> {
    let mut sums: BTreeMap<InstanceId, (f64, f64)> = BTreeMap::new();
    for trial in material.records.history().trials() {
        let Some(cost) = trial.observation.cost() else { continue };
        let own = sums.entry(trial.key.pair.instance).or_default();
        *own = (own.0 + cost.lower_bound(), own.1 + 1.0);
    }
    let mut all: Vec<(f64, InstanceId)> = sums.into_iter().map(|(id, (sum, n))| (sum / n, id)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    super::Thinned::evenly(all, COLUMNS).shown.into_iter().map(|(_, id)| id).collect()
}
