//! Compares ways to describe instances without features to a forest.
//!
//! | table | columns |
//! |---|---|
//! | alike | none |
//! | named | the name as a category, whose values a split may divide in any way |
//! | ordered | one number: the mean residual of the instance's readings (censored ones at their bound) under a forest without instance columns |
//!
//! The order is learned from the same readings as the forest that uses it.

use std::sync::Arc;

use anyhow::Result;
use campaign::Search;
use clap::Args;
use engine::learning;
use engine::{History, Problem};
use surrogate::forest::{ForestSettings, ForestTrainer};
use surrogate::{InstanceTable, Points, Prediction, Predictor};

use super::histories::{HistoryTarget, history_targets, synthetic};
use super::score::Score;
use crate::quantiles::Quantiles;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
}

const TABLES: [&str; 3] = ["alike", "named", "ordered"];

/// Returns the table with this name for the instances of a history.
fn table(name: &str, count: usize, problem: &Problem, history: &History, seed: u64) -> Result<InstanceTable> {
    match name {
        "alike" => Ok(InstanceTable::alike()),
        "named" => Ok(InstanceTable::named(count)),
        _ => ordered(count, problem, history, seed),
    }
}

fn ordered(count: usize, problem: &Problem, history: &History, seed: u64) -> Result<InstanceTable> {
    let (named, alike) = (InstanceTable::named(count), InstanceTable::alike());
    let trials = history.trials().len();
    // Both sets have the same points; only one of them has the instance of each point.
    let with_names = learning::costs(problem, history, trials, &named);
    let set = learning::costs(problem, history, trials, &alike);
    let (forest, _) = ForestTrainer::new(ForestSettings::default(), seed).fit(&set)?;
    let rows: Vec<f64> = (0..set.len()).flat_map(|point| set.row(point).collect::<Vec<_>>()).collect();
    let mut found = vec![Prediction::default(); set.len()];
    forest.predict(Points::new(&rows, set.columns().len()), &mut found);
    let mut sums = vec![(0.0, 0); count];
    for ((point, reading), found) in with_names.points().iter().zip(with_names.readings()).zip(&found) {
        let sum = &mut sums[point.instance as usize];
        *sum = (sum.0 + reading.lower_bound() - found.mean, sum.1 + 1);
    }
    let means: Vec<f64> = sums.iter().map(|&(sum, count)| sum / f64::from(count)).collect();
    Ok(InstanceTable::of_features(&means, 1))
}

/// Prints errors and log likelihoods as Markdown: median (minimum to maximum) over seeds.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let mut all: Vec<Arc<HistoryTarget>> = history_targets()?;
    all.push(Arc::new(synthetic(200)));
    println!("| target | instances | table | RMSE | log likelihood |");
    println!("|---|---|---|---|---|");
    for target in all {
        let mut scores: [Vec<Score>; TABLES.len()] = [const { Vec::new() }; TABLES.len()];
        for seed in range(&arguments.seeds)? {
            let (problem, history) = target.history(Search::Random, 1.3, seed)?;
            for (name, scores) in TABLES.iter().zip(&mut scores) {
                let table = table(name, target.instances as usize, &problem, &history, seed)?;
                let set = learning::costs(&problem, &history, history.trials().len(), &table);
                let settings = ForestSettings { trees: 100, ..ForestSettings::default() };
                let (forest, _) = ForestTrainer::new(settings, seed).fit(&set)?;
                scores.push(Score::of(&forest, &target.exact_costs(&table)?));
            }
        }
        for (name, scores) in TABLES.iter().zip(&scores) {
            let of = |value: fn(&Score) -> f64| {
                let all = Quantiles::of(scores.iter().map(value).collect());
                format!("{:.3} ({:.3} to {:.3})", all.median(), all.at(0.0), all.max())
            };
            let (error, likelihood) = (of(|score| score.rmse), of(|score| score.log_likelihood));
            println!("| {} | {} | {name} | {error} | {likelihood} |", target.name, target.instances);
        }
    }
    Ok(())
}
