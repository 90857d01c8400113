//! Compares how Gaussian processes treat censored readings, on the first trials of random-search campaigns.

use anyhow::{Context, Result};
use campaign::Search;
use clap::Args;
use engine::learning;
use surrogate::gaussian::{GaussianSettings, GaussianTrainer, Treatment};

use super::histories::history_targets;
use super::score::Score;
use crate::quantiles::Quantiles;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Targets whose names begin with one of these [default: all]
    #[arg(long = "scene", value_delimiter = ',')]
    targets: Vec<String>,
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
    /// Number of trials to learn from, per campaign
    #[arg(long, default_value_t = 200)]
    trials: usize,
}

/// Default slack of campaigns.
const SLACK: f64 = 1.3;

const TREATMENTS: [(&str, Treatment); 3] =
    [("drop", Treatment::Drop), ("ignore", Treatment::Ignore), ("likelihood", Treatment::Likelihood)];

/// Prints a table in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| target | treatment | stopped | RMSE, median | log likelihood, median | coverage of 80 % intervals |"
    );
    println!("|---|---|---|---|---|---|");
    for target in history_targets()? {
        let is_chosen = |name: &String| target.name.starts_with(name);
        if !arguments.targets.is_empty() && !arguments.targets.iter().any(is_chosen) {
            continue;
        }
        let table = target.table();
        let exact = target.exact_costs(&table)?;
        let mut histories = Vec::new();
        for seed in range(&arguments.seeds)? {
            histories.push(target.history(Search::Random, SLACK, seed)?);
        }
        for (name, treatment) in TREATMENTS {
            let (mut scores, mut censored): (Vec<Score>, Vec<f64>) = (Vec::new(), Vec::new());
            for (problem, history) in &histories {
                let trials = arguments.trials.min(history.trials().len());
                let data = learning::costs(problem, history, trials, &table);
                let stopped = data.readings().iter().filter(|reading| reading.is_censored()).count();
                censored.push(stopped as f64 / data.len() as f64);
                let settings = GaussianSettings { treatment, ..GaussianSettings::default() };
                let fitted = GaussianTrainer::new(settings, 1).fit(&data).context("no trial has a cost")?;
                scores.push(Score::of(&fitted, &exact));
            }
            let median = |of: &dyn Fn(&Score) -> f64| Quantiles::of(scores.iter().map(of).collect()).median();
            println!(
                "| {} | {name} | {:.0} % | {:.3} | {:.3} | {:.0} % |",
                target.name,
                100.0 * Quantiles::of(censored).median(),
                median(&|score| score.rmse),
                median(&|score| score.log_likelihood),
                100.0 * median(&|score| score.covered),
            );
        }
    }
    Ok(())
}
