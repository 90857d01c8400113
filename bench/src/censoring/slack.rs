//! Treatments by slack: the sooner a campaign stops its trials, the more of its readings are censored.
//!
//! For each scene, search, slack and seed one campaign of as many trials; then a forest of 100 trees by each
//! treatment of the same readings, asked for the same exact costs. (Hutter, Hoos and Leyton-Brown, Bayesian
//! Optimization With Censored Response Data, 2011, Figure 2, with other targets.)

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use campaign::Search;
use clap::Args;
use engine::learning;
use surrogate::forest::{ForestSettings, ForestTrainer};

use super::TREATMENTS;
use super::histories::{Scene, scenes};
use super::row::{self, Cell, Row};
use super::score::{Exact, Score};
use crate::plot::{Chart, Series, charts};
use crate::quantiles::Quantiles;
use crate::rows;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Scenes whose names begin so; all if none is given
    #[arg(long = "scene", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Who proposes configurations: random, forest
    #[arg(long = "search", value_delimiter = ',', default_value = "random,forest")]
    searches: Vec<String>,
    /// Seeds of campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-10")]
    seeds: String,
    /// Campaigns at one time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The file of rows, one for each campaign and treatment
    #[arg(long, default_value = "docs/results/censoring.csv")]
    rows: PathBuf,
    /// The file of pictures to write
    #[arg(long, default_value = "docs/results/censoring.svg")]
    plot: PathBuf,
}

/// The last one caps at the cutoff alone.
const SLACKS: [f64; 6] = [1.0, 1.1, 1.3, 1.5, 2.0, f64::INFINITY];
const TREES: usize = 100;

fn name_of(slack: f64) -> String {
    if slack.is_finite() { slack.to_string() } else { "none".to_owned() }
}

fn search_of(name: &str) -> Result<Search> {
    match name {
        "random" => Ok(Search::Random),
        "forest" => Ok(Search::Model(Box::default())),
        other => anyhow::bail!("there is no search `{other}`: random, forest"),
    }
}

type Job = (Arc<Scene>, Arc<Exact>, Cell);

/// Runs what the file of rows does not have, then prints and draws all that it has.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let known = row::read(&arguments.rows)?;
    let mut jobs: VecDeque<Job> = VecDeque::new();
    let chosen = |scene: &Arc<Scene>| {
        arguments.scenes.is_empty() || arguments.scenes.iter().any(|name| scene.name.starts_with(name))
    };
    for scene in scenes()?.into_iter().filter(chosen) {
        let mut cells = Vec::new();
        for seed in range(&arguments.seeds)? {
            for search in &arguments.searches {
                search_of(search)?;
                let cell = |slack| Cell { scene: scene.name.to_owned(), search: search.clone(), slack, seed };
                cells.extend(
                    SLACKS.map(cell).into_iter().filter(|it| known.iter().all(|row| row.cell != *it)),
                );
            }
        }
        if !cells.is_empty() {
            let exact = Arc::new(scene.questions(&scene.table())?);
            jobs.extend(cells.into_iter().map(|cell| (scene.clone(), exact.clone(), cell)));
        }
    }
    let lines = |(scene, exact, cell): Job| Ok(run(&scene, &exact, &cell)?.iter().map(Row::line).collect());
    rows::measure(jobs, arguments.threads, (&arguments.rows, row::HEAD), lines)?;
    let rows = row::read(&arguments.rows)?;
    ensure!(!rows.is_empty(), "{} has no rows", arguments.rows.display());
    print(&rows);
    std::fs::write(&arguments.plot, draw(&rows))
        .with_context(|| format!("cannot write {}", arguments.plot.display()))
}

/// One campaign, and what each treatment makes of it.
fn run(scene: &Arc<Scene>, exact: &Exact, cell: &Cell) -> Result<Vec<Row>> {
    let (problem, history) = scene.history(search_of(&cell.search)?, cell.slack, cell.seed)?;
    let table = scene.table();
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

/// Scenes with their searches, in the order of the file.
fn groups(rows: &[Row]) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for Cell { scene, search, .. } in rows.iter().map(|row| &row.cell) {
        if !found.contains(&(scene.as_str(), search.as_str())) {
            found.push((scene.as_str(), search.as_str()));
        }
    }
    found.sort_unstable();
    found
}

/// What was measured of one treatment at one slack, over all seeds.
fn values(rows: &[Row], group: (&str, &str), slack: f64, treatment: &str, of: Of) -> Quantiles {
    let own = rows.iter().filter(|row| {
        let Cell { scene, search, slack: own, .. } = &row.cell;
        (scene.as_str(), search.as_str()) == group && *own == slack && row.treatment == treatment
    });
    Quantiles::of(own.map(|row| (of.value)(row)).collect())
}

/// A quantity of rows.
#[derive(Clone, Copy)]
struct Of {
    title: &'static str,
    value: fn(&Row) -> f64,
    digits: usize,
}

const RMSE: Of = Of { title: "RMSE", value: |row| row.score.rmse, digits: 3 };
const LIKELIHOOD: Of = Of { title: "log likelihood", value: |row| row.score.log_likelihood, digits: 3 };
const COVERED: Of = Of { title: "covered by 80 %", value: |row| 100.0 * row.score.covered, digits: 0 };
const SHARE: Of =
    Of { title: "censored", value: |row| 100.0 * row.censored as f64 / row.points as f64, digits: 0 };

fn print(rows: &[Row]) {
    for of in [RMSE, LIKELIHOOD, COVERED] {
        println!("\n## {}: median (quartiles) over seeds\n", of.title);
        let names = TREATMENTS.map(|(name, _)| name).join(" | ");
        println!("| scene | proposals | slack | campaigns | censored, % | {names} |");
        println!("|---|---|---|---|---|---|---|---|---|");
        for group in groups(rows) {
            for slack in SLACKS {
                let of_treatment = |name: &str, of: Of| values(rows, group, slack, name, of);
                let count = of_treatment(TREATMENTS[0].0, of).count();
                if count == 0 {
                    continue;
                }
                let cells = TREATMENTS.map(|(name, _)| {
                    let (all, digits) = (of_treatment(name, of), of.digits);
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
        for of in [RMSE, LIKELIHOOD] {
            let series = |(name, _): (&str, _)| Series {
                name: name.to_owned(),
                points: slacks
                    .iter()
                    .map(|&slack| {
                        let all = values(rows, group, slack, name, of);
                        [0.25, 0.5, 0.75].map(|share| all.at(share))
                    })
                    .collect(),
            };
            all.push(Chart {
                title: format!("{}, {} proposals: {}", group.0, group.1, of.title),
                below: "slack".to_owned(),
                places: slacks.iter().map(|&slack| name_of(slack)).collect(),
                series: TREATMENTS.map(series).into_iter().collect(),
            });
        }
    }
    charts(&all, 2)
}
