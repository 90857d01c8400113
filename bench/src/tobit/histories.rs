//! Predicted against true costs: networks learn from the history of a campaign that proposes at random and stops
//! what is worse than its incumbent, and are asked for configurations that it has not tried.
//!
//! | scene | costs | cutoff | trials | configurations asked for |
//! |---|---|---|---|---|
//! | saps | steps of SAPS on one quasigroup with holes, order 22, 185 holes | 500 000 | 500 | 100, ten runs each |
//! | lcbench | seconds to accuracy on adult, always the same | 105 | 500 | 300, one run each |
//!
//! Where most configurations reach the cutoff, whoever predicts much is right for most: the error of those below the
//! cutoff is told beside that of all.
//!
//! The same is told of the first quarter, half and three quarters of the trials, and drawn, with the distance to the
//! medians of the runs.
//!
//! Truth is the mean of the law that explains the logarithms of a configuration's costs best, see `truth`. True and
//! predicted costs above the cutoff are set to it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger};
use clap::Args;
use engine::learning;
use engine::{Configuration, History, Objective, Problem, Reading, Rng, Space, TrialRequest};
use execution::executor::{Answer, Inbox, Simulated};
use surrogate::neural::{NeuralSettings, Treatment};
use surrogate::{InstanceTable, Points, Prediction, Predictor, TrainingSet};
use targets::lcbench::{DATA_SETS, DataSet, Network};
use targets::saps::{Saps, solve};
use targets::{Formula, Quasigroup, lcbench, saps};

use super::agreement::{rank_correlation, rmse, rmse_below};
use super::truth::expected;
use super::{MEMBERS, TREATMENTS};
use crate::plot::{Field, Frame, Mark, panels};
use crate::quantiles::Quantiles;
use crate::seeds::range;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The exported network of LCBench; without it that scene is skipped
    #[arg(long)]
    lcbench: Option<PathBuf>,
    /// Seeds of campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
    /// How often each reading is seen
    #[arg(long, default_value_t = 2000)]
    epochs: usize,
    /// The folder for pictures, two for each scene
    #[arg(long, default_value = "docs/results")]
    plots: PathBuf,
}

const TRIALS: u64 = 500;

/// Parts of the trials to learn from.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// How predictions agree with the truth: its name, and what it is.
const MEASURES: [(&str, Measure); 4] = [
    ("RMSE, log10", |found, questions, _| rmse(found, &questions.truth)),
    ("RMSE below the cutoff", |found, questions, limit| rmse_below(found, &questions.truth, limit)),
    ("RMSE to medians", |found, questions, _| rmse(found, &questions.medians)),
    ("rank correlation", |found, questions, _| rank_correlation(found, &questions.truth)),
];

type Measure = fn(&[f64], &Questions, f64) -> f64;

/// What campaigns are made of.
struct Scene {
    name: &'static str,
    space: Space,
    cutoff: f64,
    /// Configurations to ask for, and runs of each.
    questions: (usize, u64),
    target: Target,
}

enum Target {
    Saps(Formula),
    Lcbench(DataSet),
}

/// Rows of configurations, with the logarithms of what they cost.
struct Questions {
    rows: Vec<f64>,
    truth: Vec<f64>,
    /// Of the runs, those above the cutoff as the cutoff.
    medians: Vec<f64>,
}

fn scenes(arguments: &Arguments) -> Result<Vec<Arc<Scene>>> {
    let formula = "qwh:22,185,1".parse::<Quasigroup>()?.formula();
    let mut all = vec![Arc::new(Scene {
        name: "saps",
        space: saps::space(),
        cutoff: 5e5,
        questions: (100, 10),
        target: Target::Saps(formula),
    })];
    let Some(path) = &arguments.lcbench else {
        println!("lcbench is skipped: its network is not given\n");
        return Ok(all);
    };
    let recipe =
        DATA_SETS.into_iter().find(|recipe| recipe.name == "adult").context("adult is a data set")?;
    let cutoff = recipe.cutoff;
    let data_set =
        DataSet::new(Arc::new(Network::of_file(path)?), recipe).context("it does not know adult")?;
    all.push(Arc::new(Scene {
        name: "lcbench",
        space: lcbench::space(),
        cutoff,
        questions: (300, 1),
        target: Target::Lcbench(data_set),
    }));
    Ok(all)
}

impl Scene {
    /// The cost of a run; none if it is above the cap.
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
        let scene = self.clone();
        let oracle = move |request: &TrialRequest| {
            let (cap, seed) = (request.cap.cost(), u64::from(request.key.pair.seed.0));
            Answer::finished(scene.cost(&request.configuration, seed, cap).unwrap_or(2.0 * cap))
        };
        let executor = Simulated::new(Box::new(oracle), Some(self.cutoff), 1, 0.0);
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
        campaign.search(&mut |_| {})?;
        Ok((settings.problem.clone(), campaign.optimizer().history().clone()))
    }

    fn questions(&self) -> Result<Questions> {
        let mut rng = Rng::new(1, "questions", 0);
        let mut questions = Questions { rows: Vec::new(), truth: Vec::new(), medians: Vec::new() };
        let limit = self.cutoff.log10();
        for _ in 0..self.questions.0 {
            let configuration = self.space.sample(&mut rng)?;
            // Above all seeds of campaigns.
            let run = |run: u64| match self.cost(&configuration, (1 << 40) + run, self.cutoff) {
                Some(cost) => Reading::Exact(cost.log10()),
                None => Reading::AtLeast(limit),
            };
            let readings: Vec<Reading> = (0..self.questions.1).map(run).collect();
            questions.rows.extend(self.space.encode(&configuration));
            questions.truth.push(expected(&readings, limit));
            let costs = readings.iter().map(|reading| reading.lower_bound()).collect();
            questions.medians.push(Quantiles::of(costs).median());
        }
        Ok(questions)
    }
}

/// What an ensemble predicts, at most the cutoff.
fn predictions(
    set: &TrainingSet<'_>,
    questions: &Questions,
    settings: &NeuralSettings,
    limit: f64,
    seed: u64,
) -> Result<Vec<f64>> {
    let (ensemble, _) = settings.train(set, &mut Rng::new(seed, "histories", 0))?;
    let mut found = vec![Prediction::default(); questions.truth.len()];
    ensemble.predict(Points::new(&questions.rows, set.columns().len()), &mut found);
    Ok(found.into_iter().map(|found| found.mean.min(limit)).collect())
}

/// What one treatment has come to, by share of the trials: of each campaign all measures.
type Scores = [Vec<[f64; MEASURES.len()]>; SHARES.len()];

/// Measures, prints tables in Markdown and draws each scene: the first campaign, and how errors change with the trials.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let names = MEASURES.map(|(name, _)| name).join(" | ");
    println!(
        "| scene | campaigns | trials | censored, % | asked for | below the cutoff | treatment | {names} |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for scene in scenes(arguments)? {
        let (questions, limit) = (scene.questions()?, scene.cutoff.log10());
        let mut scores: [Scores; TREATMENTS.len()] = Default::default();
        let (mut censored, mut fields): ([Vec<f64>; SHARES.len()], _) = (Default::default(), Vec::new());
        for seed in range(&arguments.seeds)? {
            let (problem, history) = scene.history(seed)?;
            let alike = InstanceTable::alike();
            let first = fields.is_empty();
            for (at, share) in SHARES.into_iter().enumerate() {
                let trials = (share * history.trials().len() as f64) as usize;
                let set = learning::costs(&problem, &history, trials, &alike);
                let bounds = set.readings().iter().filter(|reading| reading.is_censored()).count();
                censored[at].push(100.0 * bounds as f64 / set.len() as f64);
                for ((name, treatment), scores) in TREATMENTS.into_iter().zip(&mut scores) {
                    let settings = settings_of(treatment, arguments.epochs);
                    let found = predictions(&set, &questions, &settings, limit, seed)?;
                    let score = MEASURES.map(|(_, measure)| measure(&found, &questions, limit));
                    scores[at].push(score);
                    if first && share == 1.0 {
                        let dots = questions.truth.iter().copied().zip(found).collect();
                        fields.push((format!("{name}: RMSE {:.2}, CC {:.2}", score[0], score[3]), dots));
                    }
                }
            }
        }
        let (asked, below) =
            (questions.truth.len(), questions.truth.iter().filter(|&&truth| truth < limit).count());
        for (at, share) in SHARES.into_iter().enumerate() {
            for ((name, _), scores) in TREATMENTS.iter().zip(&scores) {
                let of = |measure: usize| {
                    let all = quantiles(&scores[at], measure);
                    format!("{:.3} ({:.3} to {:.3})", all.median(), all.at(0.25), all.at(0.75))
                };
                println!(
                    "| {} | {} | {:.0} | {:.0} | {asked} | {below} | {name} | {} |",
                    scene.name,
                    scores[at].len(),
                    (share * TRIALS as f64).floor(),
                    Quantiles::of(censored[at].clone()).median(),
                    std::array::from_fn::<_, { MEASURES.len() }, _>(of).join(" | ")
                );
            }
        }
        for (ending, picture) in
            [("", draw(fields, &questions.truth, limit)), ("-growth", draw_growth(&scores))]
        {
            let path = arguments.plots.join(format!("tobit-{}{ending}.svg", scene.name));
            std::fs::write(&path, picture).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

/// One measure over campaigns.
fn quantiles(scores: &[[f64; MEASURES.len()]], measure: usize) -> Quantiles {
    Quantiles::of(scores.iter().map(|score| score[measure]).collect())
}

/// Medians of all measures by the share of trials, a colour for each treatment.
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

fn settings_of(treatment: Treatment, epochs: usize) -> NeuralSettings {
    NeuralSettings { treatment, epochs, members: MEMBERS, ..NeuralSettings::default() }
}

fn draw(fields: Vec<(String, Vec<(f64, f64)>)>, truth: &[f64], limit: f64) -> String {
    let found = fields.iter().flat_map(|(_, dots)| dots.iter().map(|(_, found)| *found));
    let least = found.chain(truth.iter().copied()).fold(limit, f64::min);
    let range = [least - 0.05 * (limit - least), limit + 0.05 * (limit - least)];
    let field = |(title, dots)| {
        let equal = Mark::Line(range.iter().map(|&value| (value, value)).collect());
        Field { title, marks: vec![(1, equal), (0, Mark::Dots(dots))] }
    };
    let frame = Frame {
        names: vec!["configurations".to_owned(), "as true".to_owned()],
        labels: ["true, log10".to_owned(), "model".to_owned()],
        ranges: [range, range],
        columns: 2,
    };
    panels(&frame, &fields.into_iter().map(field).collect::<Vec<_>>())
}
