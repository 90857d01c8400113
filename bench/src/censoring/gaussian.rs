//! The same treatments by Gaussian processes, on the first trials of histories of random campaigns.

use anyhow::{Context, Result};
use campaign::Search;
use clap::Args;
use engine::learning;
use surrogate::gaussian::{GaussianSettings, GaussianTrainer, Treatment};

use super::histories::scenes;
use super::score::Score;
use crate::quantiles::Quantiles;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Scenes whose names begin so; all if none is given
    #[arg(long = "scene", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Seeds of campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
    /// Trials of each that are learned from
    #[arg(long, default_value_t = 200)]
    trials: usize,
}

/// The slack of campaigns that nobody has set.
const SLACK: f64 = 1.3;

const TREATMENTS: [(&str, Treatment); 3] =
    [("drop", Treatment::Drop), ("ignore", Treatment::Ignore), ("likelihood", Treatment::Likelihood)];

/// Prints a table in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| scene | treatment | stopped | RMSE, median | log likelihood, median | within 80 % intervals |"
    );
    println!("|---|---|---|---|---|---|");
    for scene in scenes()? {
        if !arguments.scenes.is_empty() && !arguments.scenes.iter().any(|name| scene.name.starts_with(name)) {
            continue;
        }
        let table = scene.table();
        let exact = scene.questions(&table)?;
        let mut histories = Vec::new();
        for seed in range(&arguments.seeds)? {
            histories.push(scene.history(Search::Random, SLACK, seed)?);
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
                scene.name,
                100.0 * Quantiles::of(censored).median(),
                median(&|score| score.rmse),
                median(&|score| score.log_likelihood),
                100.0 * median(&|score| score.covered),
            );
        }
    }
    Ok(())
}
