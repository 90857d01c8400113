//! Compares treatments at several slacks. The sooner a campaign stops its trials, the more of its readings
//! are censored.
//!
//! There is one campaign for each target, search, slack and seed, all with the same number of trials. For
//! each treatment, a forest of 100 trees learns from the same readings and predicts the same exact costs.
//! This comparison corresponds to Figure 2 of Hutter, Hoos and Leyton-Brown, Bayesian Optimization With
//! Censored Response Data, 2011, with other targets.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use campaign::Search;
use clap::Args;
use engine::learning;
use report::plot::{Series, SeriesChart, series_charts};
use surrogate::forest::{ForestSettings, ForestTrainer};

use super::TREATMENTS;
use super::histories::{HistoryTarget, history_targets};
use super::row::{self, Cell, Row};
use super::score::{Exact, Score};
use crate::quantiles::Quantiles;
use crate::rows;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Targets whose names begin with one of these [default: all]
    #[arg(long = "scene", value_delimiter = ',')]
    targets: Vec<String>,
    /// Searches: random, forest
    #[arg(long = "search", value_delimiter = ',', default_value = "random,forest")]
    searches: Vec<String>,
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-10")]
    seeds: String,
    /// Campaigns to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// CSV file with one row per campaign and treatment
    #[arg(long, default_value = "docs/results/censoring.csv")]
    rows: PathBuf,
    /// File to write the plots to
    #[arg(long, default_value = "docs/results/censoring.svg")]
    plot: PathBuf,
}

/// The slacks to compare. With the last one, trials are capped only at the cutoff.
const SLACKS: [f64; 6] = [1.0, 1.1, 1.3, 1.5, 2.0, f64::INFINITY];
const TREES: usize = 100;

fn name_of(slack: f64) -> String {
    if slack.is_finite() { slack.to_string() } else { "none".to_owned() }
}

fn search_of(name: &str) -> Result<Search> {
    match name {
        "random" => Ok(Search::Random),
        "forest" => Ok(Search::Model(Box::default())),
        other => anyhow::bail!("unknown search `{other}`: expected random or forest"),
    }
}

type Job = (Arc<HistoryTarget>, Arc<Exact>, Cell);

/// Runs the campaigns whose rows are missing from the file, then prints and plots all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let known = row::read(&arguments.rows)?;
    let mut jobs: VecDeque<Job> = VecDeque::new();
    let is_chosen = |target: &Arc<HistoryTarget>| {
        arguments.targets.is_empty() || arguments.targets.iter().any(|name| target.name.starts_with(name))
    };
    for target in history_targets()?.into_iter().filter(is_chosen) {
        let mut cells = Vec::new();
        for seed in range(&arguments.seeds)? {
            for search in &arguments.searches {
                search_of(search)?;
                let cell =
                    |slack| Cell { target: target.name.to_owned(), search: search.clone(), slack, seed };
                cells.extend(
                    SLACKS.map(cell).into_iter().filter(|it| known.iter().all(|row| row.cell != *it)),
                );
            }
        }
        if !cells.is_empty() {
            let exact = Arc::new(target.exact_costs(&target.table())?);
            jobs.extend(cells.into_iter().map(|cell| (target.clone(), exact.clone(), cell)));
        }
    }
    let lines = |(target, exact, cell): Job| Ok(run(&target, &exact, &cell)?.iter().map(Row::line).collect());
    rows::measure(jobs, arguments.threads, (&arguments.rows, row::HEAD), lines)?;
    let rows = row::read(&arguments.rows)?;
    ensure!(!rows.is_empty(), "{} has no rows", arguments.rows.display());
    print(&rows);
    std::fs::write(&arguments.plot, draw(&rows))
        .with_context(|| format!("cannot write {}", arguments.plot.display()))
}

/// Runs one campaign, and scores each treatment on it.
fn run(target: &Arc<HistoryTarget>, exact: &Exact, cell: &Cell) -> Result<Vec<Row>> {
    let (problem, history) = target.history(search_of(&cell.search)?, cell.slack, cell.seed)?;
    let table = target.table();
    let set = learning::costs(&problem, &history, history.trials().len(), &table);
    let censored = set.readings().iter().filter(|reading| reading.is_censored()).count();
    let row = |(name, treatment): (&str, _)| {
        let settings = ForestSettings { trees: TREES, treatment, ..ForestSettings::default() };
        let (forest, _) = ForestTrainer::new(settings, cell.seed).fit(&set)?;
        Ok(Row {
            cell: cell.clone(),
            points: set.len(),
            censored,
            treatment: name.to_owned(),
            score: Score::of(&forest, exact),
        })
    };
    TREATMENTS.into_iter().map(row).collect()
}

/// Returns the targets with their searches, sorted.
fn groups(rows: &[Row]) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for Cell { target, search, .. } in rows.iter().map(|row| &row.cell) {
        if !found.contains(&(target.as_str(), search.as_str())) {
            found.push((target.as_str(), search.as_str()));
        }
    }
    found.sort_unstable();
    found
}

/// Returns the values of a quantity for one treatment and one slack, over all seeds.
fn values(rows: &[Row], group: (&str, &str), slack: f64, treatment: &str, quantity: Quantity) -> Quantiles {
    let own = rows.iter().filter(|row| {
        let Cell { target, search, slack: own, .. } = &row.cell;
        (target.as_str(), search.as_str()) == group && *own == slack && row.treatment == treatment
    });
    Quantiles::of(own.map(|row| (quantity.value)(row)).collect())
}

/// A quantity that each row has.
#[derive(Clone, Copy)]
struct Quantity {
    title: &'static str,
    value: fn(&Row) -> f64,
    digits: usize,
}

const RMSE: Quantity = Quantity { title: "RMSE", value: |row| row.score.rmse, digits: 3 };
const LIKELIHOOD: Quantity =
    Quantity { title: "Log likelihood", value: |row| row.score.log_likelihood, digits: 3 };
const COVERED: Quantity =
    Quantity { title: "Coverage of 80 % intervals, %", value: |row| 100.0 * row.score.covered, digits: 0 };
const SHARE: Quantity =
    Quantity { title: "censored", value: |row| 100.0 * row.censored as f64 / row.points as f64, digits: 0 };

fn print(rows: &[Row]) {
    for quantity in [RMSE, LIKELIHOOD, COVERED] {
        println!("\n## {}: median (quartiles) over seeds\n", quantity.title);
        let names = TREATMENTS.map(|(name, _)| name).join(" | ");
        println!("| target | proposals | slack | campaigns | censored, % | {names} |");
        println!("|---|---|---|---|---|---|---|---|---|");
        for group in groups(rows) {
            for slack in SLACKS {
                let of_treatment =
                    |name: &str, quantity: Quantity| values(rows, group, slack, name, quantity);
                let count = of_treatment(TREATMENTS[0].0, quantity).count();
                if count == 0 {
                    continue;
                }
                let cells = TREATMENTS.map(|(name, _)| {
                    let (all, digits) = (of_treatment(name, quantity), quantity.digits);
                    let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| all.at(share));
                    format!("{middle:.digits$} ({low:.digits$} to {high:.digits$})")
                });
                println!(
                    "| {} | {} | {} | {count} | {:.0} | {} |",
                    group.0,
                    group.1,
                    name_of(slack),
                    of_treatment(TREATMENTS[0].0, SHARE).median(),
                    cells.join(" | ")
                );
            }
        }
    }
}

fn draw(rows: &[Row]) -> String {
    let mut all = Vec::new();
    for group in groups(rows) {
        let measured = |slack: &f64| values(rows, group, *slack, TREATMENTS[0].0, RMSE).count() > 0;
        let slacks: Vec<f64> = SLACKS.into_iter().filter(measured).collect();
        for quantity in [RMSE, LIKELIHOOD] {
            let series = |(name, _): (&str, _)| Series {
                name: name.to_owned(),
                points: slacks
                    .iter()
                    .map(|&slack| {
                        let all = values(rows, group, slack, name, quantity);
                        [0.25, 0.5, 0.75].map(|share| all.at(share))
                    })
                    .collect(),
            };
            all.push(SeriesChart {
                title: format!("{}, {} proposals: {}", group.0, group.1, quantity.title),
                label: "slack".to_owned(),
                categories: slacks.iter().map(|&slack| name_of(slack)).collect(),
                series: TREATMENTS.map(series).into_iter().collect(),
            });
        }
    }
    series_charts(&all, 2)
}
