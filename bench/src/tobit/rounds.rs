//! Plots the errors after each round of imputation (`mean`), compared with the errors of maximum likelihood
//! (`tobit`).

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use report::plot::{Series, SeriesChart, series_charts};
use surrogate::neural::Treatment;
use targets::Function;

use super::FOLDS;
use super::data::Data;
use super::folds::{errors, mean_and_deviation};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of training epochs
    #[arg(long, default_value_t = 500)]
    epochs: usize,
    /// Random seed for readings and networks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to write the plots to
    #[arg(long, default_value = "docs/results/tobit-rounds.svg")]
    plot: PathBuf,
}

/// Percentiles above which readings may be censored.
const THRESHOLDS: [u32; 2] = [20, 80];
/// Percentile above which all readings are censored. With this value, the share of censored readings is the
/// same as in the paper.
const FULL: u32 = 80;

/// Returns the mean and the standard deviation over folds, for each round.
fn by_round(data: &Data, treatment: Treatment, arguments: &Arguments) -> Result<Vec<(f64, f64)>> {
    let of = |fold| errors(data, fold, treatment, arguments.epochs, arguments.seed);
    let folds: Vec<Vec<f64>> = (0..FOLDS).map(of).collect::<Result<_>>()?;
    let round = |at: usize| mean_and_deviation(&folds.iter().map(|errors| errors[at]).collect::<Vec<_>>());
    Ok((0..folds[0].len()).map(round).collect())
}

/// Trains the networks, and plots and prints their RMSEs.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!("| threshold | censored, % | `mean`, round by round | tobit |\n|---|---|---|---|");
    let mut all = Vec::new();
    for threshold in THRESHOLDS {
        let data = Data::draw(Function::Hartmann6, threshold, FULL, arguments.seed);
        let mean = by_round(&data, Treatment::Mean, arguments)?;
        let tobit = by_round(&data, Treatment::Tobit, arguments)?;
        let cell = |(mean, deviation): &(f64, f64)| format!("{mean:.3} ± {deviation:.3}");
        let rounds: Vec<String> = mean.iter().map(cell).collect();
        println!(
            "| {threshold} | {:.1} | {} | {} |",
            100.0 * data.censored(),
            rounds.join(", "),
            cell(&tobit[0])
        );
        let series = |name: &str, errors: Vec<(f64, f64)>| Series {
            name: name.to_owned(),
            points: errors
                .iter()
                .map(|(mean, deviation)| [mean - deviation, *mean, mean + deviation])
                .collect(),
        };
        let categories = (1..=mean.len()).map(|round| round.to_string()).collect();
        let flat = vec![tobit[0]; mean.len()];
        all.push(SeriesChart {
            title: format!("RMSE, threshold at percentile {threshold}"),
            label: "round".to_owned(),
            categories,
            series: vec![series("mean", mean), series("tobit", flat)],
        });
    }
    std::fs::write(&arguments.plot, series_charts(&all, THRESHOLDS.len()))
        .with_context(|| format!("cannot write {}", arguments.plot.display()))
}
