//! Measures the forest's speed on censored data (growing, imputing, predicting, averaging over instances) and
//! its accuracy.
//!
//! The rows are synthetic: one third of the columns are categories with five values, and costs depend on a
//! few columns and on noise. Unless stated otherwise, times are CPU times of one thread, the minimum of
//! several repetitions. `bench/scripts/forest-peers.py` runs other programs on the same rows.

use anyhow::Result;
use clap::{Args, ValueEnum};
use engine::{Reading, Rng};
use std::path::Path;
use std::time::Instant;
use surrogate::forest::{Forest, ForestSettings, ForestTrainer, Treatment};
use surrogate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use crate::clock::cpu;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Repetitions of each measurement
    #[arg(long, default_value_t = 5)]
    repetitions: usize,
    /// Parts to measure
    #[arg(long, value_delimiter = ',', default_value = "grow,accuracy,fill,ask")]
    only: Vec<Part>,
    /// Folder to write the rows of the accuracy table to, for other programs
    #[arg(long)]
    export: Option<std::path::PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Time to grow a tree
    Grow,
    /// R² on new rows
    Accuracy,
    /// Rounds of imputation
    Fill,
    /// Predictions for many configurations
    Ask,
}

const SIZES: [(usize, usize); 4] = [(1000, 26), (1000, 76), (10_000, 26), (10_000, 76)];
const TREES: usize = 10;
const FEATURES: usize = 10;

struct Rows {
    columns: Vec<Column>,
    rows: Vec<f64>,
    values: Vec<f64>,
}

/// Draws rows with `d` columns and the logarithms of their costs.
fn draw(n: usize, d: usize, seed: u64) -> Rows {
    let mut rng = Rng::new(seed, "forest rows", 0);
    let columns: Vec<Column> =
        (0..d).map(|i| if i % 3 == 2 { Column::Category(5) } else { Column::Number }).collect();
    let mut rows = Vec::with_capacity(n * d);
    let mut values = Vec::with_capacity(n);
    for _ in 0..n {
        let start = rows.len();
        rows.extend(columns.iter().map(|column| match column {
            Column::Number => rng.unit(),
            Column::Category(count) => (rng.below(*count) as f64 + 0.5) / *count as f64,
        }));
        let row = &rows[start..];
        let category = |i: usize| [0.0, 0.9, 0.2, 0.7, 0.4][(row[i] * 5.0) as usize];
        let bowl = 4.0 * (row[0] - 0.3).powi(2) + row[1] * row[3] + category(2) + 0.5 * category(5);
        values.push(bowl + 0.3 * (6.0 * row[4]).sin() + 0.1 * rng.normal());
    }
    Rows { columns, rows, values }
}

/// Returns a training set. If `censored`, all costs above the median are censored at the median.
fn training<'a>(data: &Rows, censored: bool, instances: &'a InstanceTable) -> TrainingSet<'a> {
    let scale = Scale::Log10 { grain: 1e-3 };
    let mut set = TrainingSet::new(&data.columns, instances, scale, Some(1e4));
    let mut sorted = data.values.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    for (i, (row, &value)) in data.rows.chunks_exact(data.columns.len()).zip(&data.values).enumerate() {
        let number = set.push_configuration(row);
        let reading = if censored && value > median {
            Reading::AtLeast(10f64.powf(median))
        } else {
            Reading::Exact(10f64.powf(value))
        };
        set.push(number, i % instances.count(), reading);
    }
    set
}

/// Returns the shortest CPU time of several runs.
fn minimum(repetitions: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..repetitions).map(|_| {
        let begin = cpu();
        run();
        cpu() - begin
    });
    times.fold(f64::INFINITY, f64::min)
}

fn fit(settings: ForestSettings, set: &TrainingSet<'_>) -> Result<Forest> {
    Ok(ForestTrainer::new(settings, 1).fit(set)?.0)
}

fn r2(forest: &Forest, test: &Rows) -> f64 {
    let points = Points::new(&test.rows, test.columns.len());
    let mut found = vec![Prediction::default(); points.len()];
    forest.predict(points, &mut found);
    let mean = test.values.iter().sum::<f64>() / test.values.len() as f64;
    let off: f64 = found.iter().zip(&test.values).map(|(p, y)| (p.mean - y).powi(2)).sum();
    let all: f64 = test.values.iter().map(|y| (y - mean).powi(2)).sum();
    1.0 - off / all
}

fn settings() -> ForestSettings {
    ForestSettings { trees: TREES, ..ForestSettings::default() }
}

/// Measures and prints tables in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    for part in &arguments.only {
        match part {
            Part::Grow => grow(arguments.repetitions)?,
            Part::Accuracy => accuracy(arguments.export.as_deref())?,
            Part::Fill => fill(arguments.repetitions)?,
            Part::Ask => ask(arguments.repetitions)?,
        }
        println!();
    }
    Ok(())
}

fn grow(repetitions: usize) -> Result<()> {
    let alike = InstanceTable::alike();
    println!("| n | d | grow, ms per tree | nodes per tree |");
    println!("|---|---|---|---|");
    for (n, d) in SIZES {
        let set = training(&draw(n, d, 1), false, &alike);
        let nodes = fit(settings(), &set)?.nodes() / TREES;
        let time = minimum(repetitions, || drop(fit(settings(), &set)));
        println!("| {n} | {d} | {:.2} | {nodes} |", 1e3 * time / TREES as f64);
    }
    Ok(())
}

/// Measures R², with categories as categories and with their codes as numbers.
fn accuracy(export: Option<&Path>) -> Result<()> {
    let alike = InstanceTable::alike();
    println!("| n | d | R², {TREES} trees | 100 trees | categories as numbers: {TREES} trees | 100 trees |");
    println!("|---|---|---|---|---|---|");
    for (n, d) in SIZES {
        let (mut data, mut test) = (draw(n, d, 1), draw(2000, d, 2));
        if let Some(folder) = export {
            for (name, part) in [("train", &data), ("test", &test)] {
                let lines = part.rows.chunks_exact(d).zip(&part.values).map(|(row, y)| {
                    let cells: Vec<String> = row.iter().chain([y]).map(f64::to_string).collect();
                    cells.join(",") + "\n"
                });
                std::fs::write(folder.join(format!("{name}-{n}-{d}.csv")), lines.collect::<String>())?;
            }
        }
        let mut cells = Vec::new();
        for numbers in [false, true] {
            if numbers {
                data.columns.fill(Column::Number);
                test.columns.fill(Column::Number);
            }
            let set = training(&data, false, &alike);
            for trees in [TREES, 100] {
                cells.push(format!("{:.3}", r2(&fit(ForestSettings { trees, ..settings() }, &set)?, &test)));
            }
        }
        println!("| {n} | {d} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn fill(repetitions: usize) -> Result<()> {
    let alike = InstanceTable::alike();
    println!("| imputation, half censored | n | d | s |");
    println!("|---|---|---|---|");
    let censored = training(&draw(1000, 76, 1), true, &alike);
    for treatment in [Treatment::Drop, Treatment::Mean, Treatment::Sample] {
        let rounds = ForestSettings { treatment, tolerance: 0.0, ..settings() };
        let time = minimum(repetitions, || drop(fit(rounds.clone(), &censored)));
        println!("| {treatment:?}, all rounds | 1000 | 76 | {time:.4} |");
    }
    let time = minimum(repetitions, || drop(fit(settings(), &censored)));
    println!("| Sample, until converged | 1000 | 76 | {time:.4} |");
    let two = ForestSettings { tolerance: 0.0, threads: 2, ..settings() };
    let elapsed = (0..repetitions).map(|_| {
        let begin = Instant::now();
        drop(fit(two.clone(), &censored));
        begin.elapsed().as_secs_f64()
    });
    let elapsed = elapsed.fold(f64::INFINITY, f64::min);
    println!("| Sample, all rounds, two threads, elapsed | 1000 | 76 | {elapsed:.4} |");
    Ok(())
}

fn ask(repetitions: usize) -> Result<()> {
    let alike = InstanceTable::alike();
    println!("| 100 000 predictions | n | d | s |");
    println!("|---|---|---|---|");
    for d in [26, 76] {
        let data = draw(1000, d, 1);
        let forest = fit(settings(), &training(&data, false, &alike))?;
        let many = draw(100_000, d, 3);
        let points = Points::new(&many.rows, d);
        let mut out = vec![Prediction::default(); points.len()];
        let plain = minimum(repetitions, || forest.predict(points, &mut out));
        println!("| mean and variance | 1000 | {d} | {plain:.4} |");
        let time = minimum(repetitions, || forest.predict_marginal(points, &mut out));
        println!("| arithmetic mean of the cost | 1000 | {d} | {time:.4} |");
        let mut rng = Rng::new(4, "features", 0);
        let features: Vec<f64> = (0..100 * FEATURES).map(|_| rng.unit()).collect();
        for (name, instances) in [
            ("features", InstanceTable::of_features(&features, FEATURES)),
            ("names", InstanceTable::named(100)),
        ] {
            let mut data = draw(1000, d, 1);
            let difficulty = |i: usize| {
                if instances.columns().len() > 1 { instances.row(i)[0] } else { features[i * FEATURES] }
            };
            data.values.iter_mut().enumerate().for_each(|(i, y)| *y += 2.0 * difficulty(i % 100));
            let forest = fit(settings(), &training(&data, false, &instances))?;
            let time = minimum(repetitions, || forest.predict_marginal(points, &mut out));
            println!(
                "| mean over 100 instances by {name}, {:.1} times as long | 1000 | {d} | {time:.4} |",
                time / plain
            );
        }
    }
    Ok(())
}
