//! Compares predicted costs with true costs. Networks learn from the history of a campaign with random search
//! and capped races. They then predict the costs of configurations that the campaign has not tried.
//!
//! | target | costs | cutoff | trials | configurations to predict |
//! |---|---|---|---|---|
//! | saps | steps of SAPS on one quasigroup with holes, order 22, 185 holes | 500 000 | 500 | 100, ten runs each |
//! | lcbench | seconds to accuracy on adult, deterministic | 105 | 500 | 300, one run each |
//!
//! If most configurations reach the cutoff, a model that predicts high costs everywhere has a small error. So
//! there are two errors: over all configurations, and over those whose cost is below the cutoff.
//!
//! The same figures are printed and plotted for the first quarter, half and three quarters of the trials,
//! along with the error relative to the medians of the runs.
//!
//! The truth is the mean of the normal distribution fitted to the logarithms of a configuration's costs (see
//! `truth`). True and predicted costs above the cutoff are set to the cutoff.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger};
use clap::Args;
use engine::learning;
use engine::{Configuration, History, Objective, Problem, Reading, Rng, Space, TrialRequest};
use execution::executor::{Answer, Inbox, Simulated};
use report::plot::{Field, Frame, Mark, panels};
use surrogate::neural::NeuralSettings;
use surrogate::{InstanceTable, Points, Prediction, Predictor, TrainingSet};
use targets::lcbench::{DATA_SETS, DataSet, Network};
use targets::saps::{Saps, solve};
use targets::{Formula, Quasigroup, lcbench, saps};

use super::agreement::{rank_correlation, rmse, rmse_below};
use super::truth::expected;
use super::{MEMBERS, TREATMENTS, networks};
use crate::quantiles::Quantiles;
use crate::seeds::range;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Exported network of LCBench; without it, that target is skipped
    #[arg(long)]
    lcbench: Option<PathBuf>,
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
    /// Number of training epochs
    #[arg(long, default_value_t = 2000)]
    epochs: usize,
    /// Folder to write the plots to, two per target
    #[arg(long, default_value = "docs/results")]
    plots: PathBuf,
}

const TRIALS: u64 = 500;

/// Shares of the trials to learn from.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// Measures of how well predictions agree with the truth, with their names.
const MEASURES: [(&str, Measure); 4] = [
    ("RMSE, log10", |found, test_set, _| rmse(found, &test_set.truth)),
    ("RMSE below the cutoff", |found, test_set, limit| rmse_below(found, &test_set.truth, limit)),
    ("RMSE to medians", |found, test_set, _| rmse(found, &test_set.medians)),
    ("rank correlation", |found, test_set, _| rank_correlation(found, &test_set.truth)),
];

type Measure = fn(&[f64], &TestSet, f64) -> f64;

/// A target with the settings for its campaigns.
struct HistoryTarget {
    name: &'static str,
    space: Space,
    cutoff: f64,
    /// Number of configurations to predict, and number of runs of each.
    test_size: (usize, u64),
    target: Target,
}

enum Target {
    Saps(Formula),
    Lcbench(DataSet),
}

/// Rows of configurations, with the logarithms of their costs.
struct TestSet {
    rows: Vec<f64>,
    truth: Vec<f64>,
    /// Median of the runs of each configuration; a median above the cutoff counts as the cutoff.
    medians: Vec<f64>,
}

fn history_targets(arguments: &Arguments) -> Result<Vec<Arc<HistoryTarget>>> {
    let formula = "qwh:22,185,1".parse::<Quasigroup>()?.formula();
    let mut all = vec![Arc::new(HistoryTarget {
        name: "saps",
        space: saps::space(),
        cutoff: 5e5,
        test_size: (100, 10),
        target: Target::Saps(formula),
    })];
    let Some(path) = &arguments.lcbench else {
        println!("lcbench: skipped, its network is missing; give it with --lcbench\n");
        return Ok(all);
    };
    let recipe = DATA_SETS
        .into_iter()
        .find(|recipe| recipe.name == "adult")
        .context("the data set adult is missing")?;
    let cutoff = recipe.cutoff;
    let data_set = DataSet::new(Arc::new(Network::of_file(path)?), recipe)
        .context("adult is missing from the network")?;
    all.push(Arc::new(HistoryTarget {
        name: "lcbench",
        space: lcbench::space(),
        cutoff,
        test_size: (300, 1),
        target: Target::Lcbench(data_set),
    }));
    Ok(all)
}

impl HistoryTarget {
    /// Returns the cost of a run; `None` if it is above the cap.
    fn cost(&self, configuration: &Configuration, seed: u64, cap: f64) -> Option<f64> {
        match &self.target {
            Target::Saps(formula) => {
                let outcome =
                    solve(formula, &Saps::from_configuration(configuration), seed, cap.ceil() as u64);
                outcome.solved.is_some().then_some(outcome.steps as f64)
            }
            Target::Lcbench(data_set) => data_set.time_to_accuracy(configuration).filter(|time| *time <= cap),
        }
    }

    fn history(self: &Arc<Self>, seed: u64) -> Result<(Problem, History)> {
        let mut settings = settings(&self.space, 1, Objective::capped(self.cutoff), seed);
        settings.budget = Budget { trials: Some(TRIALS), ..Budget::default() };
        settings.repeatable = matches!(self.target, Target::Lcbench(_));
        let target = self.clone();
        let oracle = move |request: &TrialRequest| {
            let (cap, seed) = (request.cap.cost(), u64::from(request.key.pair.seed.0));
            Answer::finished(target.cost(&request.configuration, seed, cap).unwrap_or(2.0 * cap))
        };
        let executor = Simulated::new(Box::new(oracle), Some(self.cutoff), 1, 0.0);
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
        campaign.search(&mut |_| {})?;
        Ok((settings.problem.clone(), campaign.optimizer().history().clone()))
    }

    fn test_set(&self) -> Result<TestSet> {
        let mut rng = Rng::new(1, "questions", 0);
        let mut test_set = TestSet { rows: Vec::new(), truth: Vec::new(), medians: Vec::new() };
        let limit = self.cutoff.log10();
        for _ in 0..self.test_size.0 {
            let configuration = self.space.sample(&mut rng)?;
            // These seeds are larger than all seeds of campaigns.
            let run = |run: u64| match self.cost(&configuration, (1 << 40) + run, self.cutoff) {
                Some(cost) => Reading::Exact(cost.log10()),
                None => Reading::AtLeast(limit),
            };
            let readings: Vec<Reading> = (0..self.test_size.1).map(run).collect();
            test_set.rows.extend(self.space.encode(&configuration));
            test_set.truth.push(expected(&readings, limit));
            let costs = readings.iter().map(|reading| reading.lower_bound()).collect();
            test_set.medians.push(Quantiles::of(costs).median());
        }
        Ok(test_set)
    }
}

/// Returns the predictions of an ensemble, capped at the cutoff.
fn predictions(
    set: &TrainingSet<'_>,
    test_set: &TestSet,
    settings: &NeuralSettings,
    limit: f64,
    seed: u64,
) -> Result<Vec<f64>> {
    let (ensemble, _) = settings.train(set, &mut Rng::new(seed, "histories", 0))?;
    let mut found = vec![Prediction::default(); test_set.truth.len()];
    ensemble.predict(Points::new(&test_set.rows, set.columns().len()), &mut found);
    Ok(found.into_iter().map(|found| found.mean.min(limit)).collect())
}

/// Scores of one treatment: for each share of the trials and each campaign, all measures.
type Scores = [Vec<[f64; MEASURES.len()]>; SHARES.len()];

/// Measures, prints tables in Markdown and plots each target: the first campaign, and the errors by share of
/// the trials.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let names = MEASURES.map(|(name, _)| name).join(" | ");
    println!(
        "| target | campaigns | trials | censored, % | configurations | below the cutoff | treatment | {names} |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for target in history_targets(arguments)? {
        let (test_set, limit) = (target.test_set()?, target.cutoff.log10());
        let mut scores: [Scores; TREATMENTS.len()] = Default::default();
        let (mut censored, mut fields): ([Vec<f64>; SHARES.len()], _) = (Default::default(), Vec::new());
        for seed in range(&arguments.seeds)? {
            let (problem, history) = target.history(seed)?;
            let alike = InstanceTable::alike();
            let first = fields.is_empty();
            for (at, share) in SHARES.into_iter().enumerate() {
                let trials = (share * history.trials().len() as f64) as usize;
                let set = learning::costs(&problem, &history, trials, &alike);
                let bounds = set.readings().iter().filter(|reading| reading.is_censored()).count();
                censored[at].push(100.0 * bounds as f64 / set.len() as f64);
                for ((name, treatment), scores) in TREATMENTS.into_iter().zip(&mut scores) {
                    let settings = networks(treatment, arguments.epochs, MEMBERS);
                    let found = predictions(&set, &test_set, &settings, limit, seed)?;
                    let score = MEASURES.map(|(_, measure)| measure(&found, &test_set, limit));
                    scores[at].push(score);
                    if first && share == 1.0 {
                        let dots = test_set.truth.iter().copied().zip(found).collect();
                        fields.push((format!("{name}: RMSE {:.2}, CC {:.2}", score[0], score[3]), dots));
                    }
                }
            }
        }
        let (count, below) =
            (test_set.truth.len(), test_set.truth.iter().filter(|&&truth| truth < limit).count());
        for (at, share) in SHARES.into_iter().enumerate() {
            for ((name, _), scores) in TREATMENTS.iter().zip(&scores) {
                let of = |measure: usize| {
                    let all = quantiles(&scores[at], measure);
                    format!("{:.3} ({:.3} to {:.3})", all.median(), all.at(0.25), all.at(0.75))
                };
                println!(
                    "| {} | {} | {:.0} | {:.0} | {count} | {below} | {name} | {} |",
                    target.name,
                    scores[at].len(),
                    (share * TRIALS as f64).floor(),
                    Quantiles::of(censored[at].clone()).median(),
                    std::array::from_fn::<_, { MEASURES.len() }, _>(of).join(" | ")
                );
            }
        }
        for (suffix, plot) in [("", draw(fields, &test_set.truth, limit)), ("-growth", draw_growth(&scores))]
        {
            let path = arguments.plots.join(format!("tobit-{}{suffix}.svg", target.name));
            std::fs::write(&path, plot).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

/// Returns the values of one measure for all campaigns.
fn quantiles(scores: &[[f64; MEASURES.len()]], measure: usize) -> Quantiles {
    Quantiles::of(scores.iter().map(|score| score[measure]).collect())
}

/// Plots the medians of all measures by the share of trials, with a colour per treatment.
fn draw_growth(scores: &[Scores; TREATMENTS.len()]) -> String {
    let line = |scores: &Scores, measure: usize| -> Vec<(f64, f64)> {
        let median = |(at, share): (usize, f64)| (share, quantiles(&scores[at], measure).median());
        SHARES.into_iter().enumerate().map(median).collect()
    };
    let field = |(measure, (name, _)): (usize, (&str, Measure))| {
        let lines =
            scores.iter().enumerate().map(|(colour, scores)| (colour, Mark::Line(line(scores, measure))));
        Field { title: name.to_owned(), marks: lines.collect() }
    };
    let all =
        || scores.iter().flat_map(|scores| (0..MEASURES.len()).flat_map(|measure| line(scores, measure)));
    let (low, high) = all().fold((0.0f64, 0.0f64), |(low, high), (_, y)| (low.min(y), high.max(y)));
    let frame = Frame {
        names: TREATMENTS.map(|(name, _)| name.to_owned()).to_vec(),
        labels: ["share of the trials".to_owned(), String::new()],
        ranges: [[SHARES[0], 1.0], [low, 1.05 * high]],
        columns: 2,
    };
    panels(&frame, &MEASURES.into_iter().enumerate().map(field).collect::<Vec<_>>())
}

fn draw(fields: Vec<(String, Vec<(f64, f64)>)>, truth: &[f64], limit: f64) -> String {
    let found = fields.iter().flat_map(|(_, dots)| dots.iter().map(|(_, found)| *found));
    let lowest = found.chain(truth.iter().copied()).fold(limit, f64::min);
    let range = [lowest - 0.05 * (limit - lowest), limit + 0.05 * (limit - lowest)];
    let field = |(title, dots)| {
        let equal = Mark::Line(range.iter().map(|&value| (value, value)).collect());
        Field { title, marks: vec![(1, equal), (0, Mark::Dots(dots))] }
    };
    let frame = Frame {
        names: vec!["configurations".to_owned(), "prediction = truth".to_owned()],
        labels: ["true, log10".to_owned(), "model".to_owned()],
        ranges: [range, range],
        columns: 2,
    };
    panels(&frame, &fields.into_iter().map(field).collect::<Vec<_>>())
}
