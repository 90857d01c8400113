//! The configurations and trials of the search: what was tried when, and how good it was.

use engine::{ConfigId, Reading};
use serde::Serialize;
use space::Kind;

use super::axis::Axis;
use super::material::Material;
use super::predicted::Predicted;
use super::relative::Default;
use super::thinned::Thinned;
use crate::importance::Importance;
use crate::model::Model;

/// Largest number of trials in the picture of all trials.
const TRIALS: usize = 4000;
/// Largest number of configurations in the pictures of the values.
const CONFIGURATIONS: usize = 600;
/// Number of parameters with which grids of two are made.
const PAIRED: usize = 3;

/// The configurations and trials of the search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Search {
    /// The trials over time.
    pub trials: Thinned<SearchTrial>,
    /// The origins of configurations, in order of first appearance.
    pub origins: Vec<String>,
    /// The configurations.
    pub tried: Thinned<Tried>,
    /// The parameters with more than one value; those whose values differ most between good and other
    /// configurations come first.
    pub dimensions: Vec<Dimension>,
    /// Mean relative costs for values of two parameters at a time.
    pub grids: Vec<Grid>,
    /// Number of configurations without a pair in common with the default.
    pub unrelated: usize,
    /// What the model predicts for values of one or two parameters; `None` if there is no model.
    pub predicted: Option<Predicted>,
}

/// A trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SearchTrial {
    /// Its number.
    pub trial: u64,
    /// The number of its configuration.
    pub configuration: u32,
    /// Campaign time at its end, in seconds.
    pub at: f64,
    /// Its cost, or a lower bound; `None` if it failed.
    pub cost: Option<f64>,
    /// Whether the cost is a lower bound.
    pub censored: bool,
    /// Index of the origin of its configuration.
    pub origin: usize,
}

/// A configuration.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tried {
    /// Its number.
    pub configuration: u32,
    /// Index of its origin.
    pub origin: usize,
    /// Campaign time at the end of its first trial, in seconds.
    pub at: f64,
    /// Its mean cost relative to the default's on the same pairs; `None` without common pairs.
    pub relative: Option<f64>,
    /// Whether this is a lower bound, because trials were stopped.
    pub censored: bool,
    /// Number of pairs in common with the default.
    pub pairs: usize,
    /// Whether it has been the incumbent.
    pub incumbent: bool,
    /// The position of each parameter's value in its range, from 0 to 1; `None` if inactive. In the order of
    /// the dimensions.
    pub positions: Vec<Option<f64>>,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Positions in the range with their values.
    pub ticks: Vec<(f64, String)>,
    /// Whether the values are choices, not numbers of a range.
    pub categorical: bool,
    /// Whether the values have an order.
    pub ordered: bool,
    /// The default's position.
    pub default: Option<f64>,
    /// The best configuration's position.
    pub best: Option<f64>,
    /// Difference between the values of the best tenth and of all configurations, from 0 to 1.
    pub contrast: f64,
    /// Relative costs by value.
    pub bins: Vec<Bin>,
}

/// Relative costs of the configurations with similar values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bin {
    /// The range of positions.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
    /// Number of configurations.
    pub configurations: usize,
    /// Geometric mean of the relative costs.
    pub mean: Option<f64>,
    /// Lower and upper quartile.
    pub quartiles: Option<[f64; 2]>,
}

/// Relative costs by the values of two parameters.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Grid {
    /// Index of the horizontal parameter.
    pub across: usize,
    /// Index of the vertical parameter.
    pub up: usize,
    /// Geometric means by column and row, with the number of configurations. Columns and rows are the bins of
    /// the parameters.
    pub cells: Vec<(usize, usize, f64, usize)>,
    /// Number of columns and rows.
    pub size: (usize, usize),
}

impl Search {
    pub(super) fn of(material: &Material<'_>, model: Option<(&Model, &Importance)>) -> Self {
        // Configurations that only an ablation has tried are no part of the search.
        let mut origins: Vec<String> = Vec::new();
        let mut by_config = vec![0; material.origins.len()];
        for config in material.records.history().trials().iter().map(|trial| trial.key.config) {
            let own = material.origin(config);
            let place = origins.iter().position(|origin| origin == own).unwrap_or_else(|| {
                origins.push(own.to_owned());
                origins.len() - 1
            });
            if let Some(kept) = by_config.get_mut(config.index()) {
                *kept = place;
            }
        }
        let origin = |config: ConfigId| by_config.get(config.index()).copied().unwrap_or(0);
        let axes: Vec<Axis> = material.scenario.space.parameters().iter().map(Axis::of).collect();
        let tried = configurations(material, &origin, &axes);
        let (dimensions, order) = dimensions(material, &tried, &axes);
        let unrelated = tried.iter().filter(|one| one.relative.is_none()).count();
        let grids = grids(&tried, &order, &axes);
        let tried = shown(tried, &order);
        let trials = trials(material, &origin);
        let predicted = model.map(|(model, found)| Predicted::of(model, found, &dimensions));
        Self { trials, origins, tried, dimensions, grids, unrelated, predicted }
    }
}

fn trials(material: &Material<'_>, origin: &dyn Fn(ConfigId) -> usize) -> Thinned<SearchTrial> {
    let history = material.records.history();
    let one = |(trial, timed): (&engine::history::Trial, &super::TimedTrial)| {
        let reading = trial.observation.cost();
        SearchTrial {
            trial: trial.id.0,
            configuration: trial.key.config.0,
            at: timed.ended,
            cost: reading.map(|reading| material.costs.number(reading.lower_bound())),
            censored: reading.is_some_and(Reading::is_censored),
            origin: origin(trial.key.config),
        }
    };
    Thinned::evenly(history.trials().iter().zip(&material.trials).map(one).collect(), TRIALS)
}

/// Returns every configuration with a result; the positions are in the order of the space.
fn configurations(material: &Material<'_>, origin: &dyn Fn(ConfigId) -> usize, axes: &[Axis]) -> Vec<Tried> {
    let history = material.records.history();
    let mut first = vec![f64::INFINITY; history.configurations().len()];
    for (trial, timed) in history.trials().iter().zip(&material.trials) {
        let own = &mut first[trial.key.config.index()];
        *own = own.min(timed.ended);
    }
    let (default, incumbents) = (Default::of(material, true), material.incumbents());
    let one = |config: ConfigId| {
        let relative = default.relate(material, config, true);
        let row = material.scenario.space.encode(history.configuration(config));
        Tried {
            configuration: config.0,
            origin: origin(config),
            at: first[config.index()],
            relative: relative.map(|one| one.ratio),
            censored: relative.is_some_and(|one| one.censored),
            pairs: relative.map_or(0, |one| one.pairs),
            incumbent: incumbents.contains(&config),
            positions: axes.iter().zip(row).map(|(axis, at)| axis.position(at)).collect(),
        }
    };
    material.measured().map(one).collect()
}

/// Returns the parameters in order of contrast, and the index of each in the space.
fn dimensions(material: &Material<'_>, tried: &[Tried], axes: &[Axis]) -> (Vec<Dimension>, Vec<usize>) {
    let space = &material.scenario.space;
    let encode = |configuration| space.encode(configuration);
    let default = encode(material.records.default());
    let best = encode(material.records.best_configuration());
    let good = good(tried, material.costs.sense == scenario::Sense::Maximise);
    let mut all: Vec<(usize, Dimension)> = Vec::new();
    for (index, parameter) in space.parameters().iter().enumerate().filter(|(_, one)| one.is_variable()) {
        let axis = &axes[index];
        let contrast = contrast(tried, &good, index, axis);
        let bins = axis.edges.windows(2).map(|two| bin(tried, index, two[0], two[1])).collect();
        let dimension = Dimension {
            name: parameter.name().to_owned(),
            ticks: axis.ticks.clone(),
            categorical: parameter.range().is_none(),
            ordered: parameter.range().is_some() || parameter.kind() == Kind::Ordinal,
            default: axis.position(default[index]),
            best: axis.position(best[index]),
            contrast,
            bins,
        };
        all.push((index, dimension));
    }
    all.sort_by(|(_, a), (_, b)| b.contrast.total_cmp(&a.contrast));
    let order = all.iter().map(|(index, _)| *index).collect();
    (all.into_iter().map(|(_, one)| one).collect(), order)
}

/// Returns whether each configuration belongs to the best tenth, and to at least five.
fn good(tried: &[Tried], maximised: bool) -> Vec<bool> {
    let mut costs: Vec<f64> = tried.iter().filter_map(|one| one.relative).collect();
    costs.sort_by(|a, b| if maximised { b.total_cmp(a) } else { a.total_cmp(b) });
    let last = costs.get((costs.len() / 10).max(5).min(costs.len().saturating_sub(1)));
    let is_good = |one: &Tried| match (one.relative, last) {
        (Some(own), Some(&last)) => {
            if maximised {
                own >= last
            } else {
                own <= last
            }
        }
        _ => false,
    };
    tried.iter().map(is_good).collect()
}

/// Total variation distance between the values of good configurations and of all.
fn contrast(tried: &[Tried], good: &[bool], index: usize, axis: &Axis) -> f64 {
    let bins = axis.edges.len() - 1;
    // Inactive values have a bin of their own.
    let (mut of_good, mut of_all) = (vec![0.0; bins + 1], vec![0.0; bins + 1]);
    for (one, &is_good) in tried.iter().zip(good) {
        let place = one.positions[index].map_or(bins, |at| axis.cell(at));
        of_all[place] += 1.0;
        of_good[place] += f64::from(u8::from(is_good));
    }
    let (all, few) = (of_all.iter().sum::<f64>().max(1.0), of_good.iter().sum::<f64>());
    if few == 0.0 {
        return 0.0;
    }
    of_good.iter().zip(&of_all).map(|(a, b)| (a / few - b / all).abs()).sum::<f64>() / 2.0
}

fn bin(tried: &[Tried], index: usize, from: f64, to: f64) -> Bin {
    let is_in = |at: f64| at >= from && (at < to || (to >= 1.0 && at <= 1.0));
    let mut logs: Vec<f64> = tried
        .iter()
        .filter(|one| one.positions[index].is_some_and(is_in))
        .filter_map(|one| Some(one.relative?.ln()))
        .collect();
    logs.sort_by(f64::total_cmp);
    let at = |share: f64| logs[((logs.len() - 1) as f64 * share).round() as usize].exp();
    let mean = (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
    let quartiles = (logs.len() >= 3).then(|| [at(0.25), at(0.75)]);
    Bin { from, to, configurations: logs.len(), mean, quartiles }
}

fn grids(tried: &[Tried], order: &[usize], axes: &[Axis]) -> Vec<Grid> {
    let mut grids = Vec::new();
    for across in 0..order.len().min(PAIRED) {
        for up in across + 1..order.len().min(PAIRED) {
            let (columns, rows) = (&axes[order[across]], &axes[order[up]]);
            let size = (columns.edges.len() - 1, rows.edges.len() - 1);
            let mut sums = vec![(0.0, 0); size.0 * size.1];
            for one in tried {
                let (Some(ratio), Some(x), Some(y)) =
                    (one.relative, one.positions[order[across]], one.positions[order[up]])
                else {
                    continue;
                };
                let cell = &mut sums[rows.cell(y) * size.0 + columns.cell(x)];
                *cell = (cell.0 + ratio.ln(), cell.1 + 1);
            }
            let cells = sums.iter().enumerate().filter(|(_, (_, count))| *count > 0);
            let cells = cells.map(|(place, &(sum, count))| {
                (place % size.0, place / size.0, (sum / f64::from(count)).exp(), count as usize)
            });
            grids.push(Grid { across, up, cells: cells.collect(), size });
        }
    }
    grids
}

/// Keeps the incumbents and a part of the others, and orders the positions like the dimensions.
fn shown(tried: Vec<Tried>, order: &[usize]) -> Thinned<Tried> {
    let of = tried.len();
    let (kept, others): (Vec<Tried>, Vec<Tried>) = tried.into_iter().partition(|one| one.incumbent);
    let room = CONFIGURATIONS.saturating_sub(kept.len()).max(2);
    let mut shown: Vec<Tried> = kept.into_iter().chain(Thinned::evenly(others, room).shown).collect();
    shown.sort_by_key(|one| one.configuration);
    for one in &mut shown {
        one.positions = order.iter().map(|&index| one.positions[index]).collect();
    }
    Thinned { shown, of }
}
