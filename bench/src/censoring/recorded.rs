//! Compares treatments on runs that SMAC3 recorded. The input is a folder with SMAC3's run history, its space
//! in PCS format, its instances and their features.
//!
//! Each split holds out some of the finished runs and learns from the others. In addition, some of the runs
//! to learn from are censored:
//!
//! | censoring | which runs are censored | at |
//! |---|---|---|
//! | medians | every run above the median of the finished runs on its instance | that median |
//! | random | a random half of the finished runs | a uniform share of their cost |
//!
//! Runs that were stopped when they were recorded are either used for training or left out. Only finished
//! runs can be held out. If some recorded runs were stopped, the held-out runs are a biased selection of fast
//! runs. A model that predicts the cost of all runs correctly then predicts costs that are too high for the
//! held-out runs. The last case shows how much that matters. It tests only costs up to the medians, with
//! censoring for which the true costs are known.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use campaign::import::runs;
use clap::Args;
use engine::{History, Objective, Reading, Rng};
use space::format::{Format, read};
use surrogate::forest::{ForestSettings, ForestTrainer};
use surrogate::{Column, InstanceTable, Scale, TrainingSet, configuration_columns};

use super::TREATMENTS;
use super::score::{Exact, Score};
use crate::quantiles::Quantiles;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with runhistory.json, instances.txt, features.txt and a space in PCS format
    #[arg(long)]
    folder: PathBuf,
    /// Cutoff of the recorded runs
    #[arg(long, default_value_t = 5.0)]
    cutoff: f64,
    /// Smallest cost that the measurement resolves
    #[arg(long, default_value_t = 0.001)]
    grain: f64,
    /// Number of random splits of the runs
    #[arg(long, default_value_t = 20)]
    splits: u64,
    /// Share of the finished runs to hold out
    #[arg(long, default_value_t = 0.3)]
    held_out: f64,
    /// Number of trees in each forest
    #[arg(long, default_value_t = 100)]
    trees: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Censoring {
    Medians,
    Random,
}

/// The choice of runs for training and for the test.
#[derive(Clone, Copy, Debug)]
struct Case {
    censoring: Censoring,
    /// Whether runs that were stopped when they were recorded are used for training.
    stopped: bool,
    /// Whether costs above the medians are tested.
    slow: bool,
}

const CASES: [Case; 5] = [
    Case { censoring: Censoring::Medians, stopped: true, slow: true },
    Case { censoring: Censoring::Random, stopped: true, slow: true },
    Case { censoring: Censoring::Medians, stopped: false, slow: true },
    Case { censoring: Censoring::Random, stopped: false, slow: true },
    Case { censoring: Censoring::Medians, stopped: false, slow: false },
];

impl Case {
    fn name(self) -> String {
        let from = if self.stopped { "all runs" } else { "finished runs" };
        let tested = if self.slow { "" } else { ", tested up to the medians" };
        let censoring = match self.censoring {
            Censoring::Medians => "at medians",
            Censoring::Random => "at random",
        };
        format!("{from}, {censoring}{tested}")
    }
}

/// A run, with the row of its configuration, its instance and its cost.
#[derive(Clone, Debug)]
struct Run {
    row: Vec<f64>,
    instance: usize,
    cost: Reading,
}

struct Recorded {
    columns: Vec<Column>,
    table: InstanceTable,
    runs: Vec<Run>,
}

/// Measures and prints tables in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let recorded = open(arguments)?;
    let exact = recorded.runs.iter().filter(|run| !run.cost.is_censored()).count();
    println!("{} runs, {} of them stopped\n", recorded.runs.len(), recorded.runs.len() - exact);
    let names = TREATMENTS.map(|(name, _)| name).join(" | ");
    println!("| training runs, censoring | censored, % | {names} | sample / drop | sample / ignore |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut covered = Vec::new();
    for case in CASES {
        let mut shares = Vec::new();
        let mut scores: [Vec<Score>; 4] = Default::default();
        for split in 0..arguments.splits {
            let (share, found) = recorded.split(case, split, arguments)?;
            shares.push(100.0 * share);
            scores.iter_mut().zip(found).for_each(|(all, score)| all.push(score));
        }
        let mean = |all: &[Score]| all.iter().map(|score| score.rmse).sum::<f64>() / all.len() as f64;
        let [drop, ignore, _, sample] = scores.each_ref().map(|all| mean(all));
        println!(
            "| {} | {:.0} | {} | {:.3} | {:.3} |",
            case.name(),
            Quantiles::of(shares).median(),
            cells(&scores, |score| score.rmse, 3),
            sample / drop,
            sample / ignore
        );
        covered.push(format!("| {} | {} |", case.name(), cells(&scores, |score| 100.0 * score.covered, 0)));
    }
    println!(
        "\n| training runs, censoring: coverage of 80 % intervals, % | {names} |\n|---|---|---|---|---|\n{}",
        covered.join("\n")
    );
    Ok(())
}

/// Formats the median and the quartiles over splits, for each treatment.
fn cells(scores: &[Vec<Score>; 4], of: fn(&Score) -> f64, digits: usize) -> String {
    let cell = |all: &Vec<Score>| {
        let all = Quantiles::of(all.iter().map(of).collect());
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| all.at(share));
        format!("{middle:.digits$} ({low:.digits$} to {high:.digits$})")
    };
    scores.each_ref().map(cell).join(" | ")
}

/// Reads the features of the instances, in the order of `instances`.
fn features(text: &str, instances: &[String]) -> Result<InstanceTable> {
    let mut numbers = Vec::new();
    let width = text.lines().next().context("the features have no header line")?.split(',').count() - 1;
    for instance in instances {
        let own = text.lines().find_map(|line| line.strip_prefix(instance)?.strip_prefix(','));
        let own = own.with_context(|| format!("instance `{instance}` has no features"))?;
        for cell in own.split(',') {
            numbers.push(cell.trim().parse::<f64>().with_context(|| format!("`{cell}` is not a number"))?);
        }
    }
    ensure!(numbers.len() == width * instances.len(), "some instances do not have all features");
    Ok(InstanceTable::of_features(&numbers, width))
}

fn text_of(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn open(arguments: &Arguments) -> Result<Recorded> {
    let folder = &arguments.folder;
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let space = paths.iter().find(|path| path.extension().is_some_and(|it| it == "pcs"));
    let path = space
        .with_context(|| format!("{} has no space in PCS format (*.pcs)", folder.display()))?
        .canonicalize()?;
    let space = read(&text_of(&path)?, &path.display().to_string(), Format::PcsOld)?;
    let names: Vec<String> = text_of(&folder.join("instances.txt"))?.lines().map(str::to_owned).collect();
    let table = features(&text_of(&folder.join("features.txt"))?, &names)?;
    let text = format!(
        "[target]\ncommand = [\"true\", \"{{params}}\", \"{{instance}}\", \"{{seed}}\"]\n[objective]\n\
         minimise = \"cpu_time\"\ncutoff = \"{}s\"\n[instances]\nlist = {names:?}\n[budget]\ntrials = 1\n\
         [space]\nfrom = {path:?}\n",
        arguments.cutoff
    );
    let scenario = scenario::read(&text, folder, "the recorded runs")?;
    let objective = Objective { grain: arguments.grain, ..Objective::capped(arguments.cutoff) };
    let settings = settings(&space, names.len() as u32, objective, 1);
    let mut history = History::new();
    history.intern(&settings.problem.default);
    let taken = runs::take_in(&mut history, &runs::read(folder)?, &settings, &scenario, None)?;
    ensure!(taken.left.is_empty(), "some runs cannot be used: {:?}", taken.left);
    let run = |trial: &engine::history::Trial| {
        let row = space.encode(history.configuration(trial.key.config));
        Some(Run { row, instance: trial.key.pair.instance.index(), cost: trial.observation.cost()? })
    };
    let runs = history.trials().iter().filter_map(run).collect();
    Ok(Recorded { columns: configuration_columns(&space), table, runs })
}

impl Recorded {
    /// Returns the median cost of the finished runs on an instance.
    fn median(&self, instance: usize) -> f64 {
        let costs = self.runs.iter().filter(|run| run.instance == instance && !run.cost.is_censored());
        Quantiles::of(costs.map(|run| run.cost.lower_bound()).collect()).median()
    }

    /// Returns the share of censored readings, and the score of each treatment.
    fn split(&self, case: Case, split: u64, arguments: &Arguments) -> Result<(f64, [Score; 4])> {
        let mut rng = Rng::new(split, "split", 0);
        let scale = Scale::Log10 { grain: arguments.grain };
        let mut set = TrainingSet::new(&self.columns, &self.table, scale, Some(arguments.cutoff));
        let mut exact = Exact::default();
        let medians: Vec<f64> = (0..self.table.count()).map(|instance| self.median(instance)).collect();
        for Run { row, instance, cost } in &self.runs {
            let held_out = rng.unit() < arguments.held_out;
            if let (true, Reading::Exact(cost)) = (held_out, *cost) {
                if !case.slow && cost > medians[*instance] {
                    continue;
                }
                exact.rows.extend(row.iter().chain(self.table.row(*instance)));
                exact.values.push(scale.model(cost));
                continue;
            }
            if cost.is_censored() && !case.stopped {
                continue;
            }
            let bound = match (case.censoring, *cost) {
                (Censoring::Medians, cost) => {
                    (cost.lower_bound() > medians[*instance]).then_some(medians[*instance])
                }
                (Censoring::Random, Reading::Exact(cost)) => {
                    (rng.unit() < 0.5).then(|| cost * (1.0 - rng.unit()))
                }
                (Censoring::Random, Reading::AtLeast(_)) => None,
            };
            let number = set.push_configuration(row);
            set.push(number, *instance, bound.map_or(*cost, Reading::AtLeast));
        }
        let censored = set.readings().iter().filter(|reading| reading.is_censored()).count();
        let mut scores = Vec::new();
        for (_, treatment) in TREATMENTS {
            let forest = ForestSettings { trees: arguments.trees, treatment, ..ForestSettings::default() };
            scores.push(Score::of(&ForestTrainer::new(forest, split).fit(&set)?.0, &exact));
        }
        let scores = scores.try_into().ok().context("a treatment has no score")?;
        Ok((censored as f64 / set.len() as f64, scores))
    }
}
