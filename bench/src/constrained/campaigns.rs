//! Measures searches with capped trials under a constraint, as whole campaigns in simulated time.
//!
//! | target | cost | constraint | cutoff |
//! |---|---|---|---|
//! | lcbench-* | seconds for 52 epochs of training | final accuracy >= the threshold of the data set | the slowest of 300 random configurations |
//! | formula | seconds that grow as the error falls; four parameters | error <= 0.05 | 3 s |
//!
//! A stopped trial reports neither accuracy nor error. Results are compared with the best feasible
//! configuration among 2000 random ones, whose trials are not stopped. The default of the formula is fast but
//! infeasible.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger, Search};
use clap::Args;
use engine::problem::{Constraint, Over};
use engine::propose::Learner;
use engine::{Configuration, Objective, Rng, Space, TrialRequest};
use execution::executor::{Answer, Inbox, Simulated};
use space::format::{Format, read};
use targets::lcbench::{self, DATA_SETS, DataSet, Network};

use crate::contest::captune::learning;
use crate::quantiles::Quantiles;
use crate::rows;
use crate::seeds::range;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Targets whose names begin with one of these [default: all]
    #[arg(long = "target", value_delimiter = ',')]
    targets: Vec<String>,
    /// Searches: random, forest, gaussian, auto
    #[arg(long = "search", value_delimiter = ',', default_value = "random,forest,gaussian")]
    searches: Vec<String>,
    /// Random seeds, as FIRST-LAST
    #[arg(long, default_value = "1-20")]
    seeds: String,
    /// Campaigns to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Exported network of LCBench; without it, targets on LCBench are skipped
    #[arg(long)]
    lcbench: Option<PathBuf>,
    /// CSV file with one row per campaign
    #[arg(long, default_value = "docs/results/constrained.csv")]
    rows: PathBuf,
}

const TRIALS: u64 = 100;
const RANDOM: usize = 2000;
const NEAR: f64 = 1.1;
const HEAD: &str =
    "target,search,seed,default,best_of_random,cost,within_ten_percent_after,stopped,infeasible";

/// Cost and constrained output of a configuration.
type Function = dyn Fn(&Configuration) -> (f64, f64) + Send + Sync;

struct Target {
    name: String,
    space: Space,
    function: Box<Function>,
    bound: f64,
    cutoff: f64,
    /// Lowest cost among the random configurations that are feasible.
    best: f64,
}

impl Target {
    fn new(name: String, space: Space, bound: f64, cutoff: f64, function: Box<Function>) -> Result<Self> {
        let mut rng = Rng::new(1, "random ones", 0);
        let mut best = f64::INFINITY;
        for _ in 0..RANDOM {
            let (cost, output) = function(&space.sample(&mut rng)?);
            if output <= bound && cost <= cutoff {
                best = best.min(cost);
            }
        }
        Ok(Self { name, space, function, bound, cutoff, best })
    }
}

fn formula() -> Result<Target> {
    let text =
        "a = { float = [0, 1] }\nb = { float = [0, 1] }\nc = { float = [0, 1] }\nd = { float = [0, 1] }\n";
    let space = read(text, "formula", Format::Toml)?;
    let function = |configuration: &Configuration| {
        let row = configuration.space().encode(configuration);
        let square = |x: f64| x * x;
        let time = 1.5 * (1.0 - row[0]) + 2.0 * square(row[1] - 0.3) + square(row[2] - 0.6) - 1.0;
        let error = 0.2 * square(row[0]) + 0.1 * square(row[2] - 0.4) + 0.05 * (3.0 * row[3]).sin().abs();
        (10f64.powf(time), error)
    };
    Target::new("formula".to_owned(), space, 0.05, 3.0, Box::new(function))
}

fn training(network: &Arc<Network>) -> Result<Vec<Target>> {
    let target = |recipe: lcbench::Recipe| {
        let data_set =
            DataSet::new(network.clone(), recipe).context("a data set is missing from the network")?;
        let slowest = data_set.drawn().iter().map(|curve| curve.end().0).fold(0.0, f64::max);
        let bound = -recipe.threshold;
        let function = move |configuration: &Configuration| {
            let (time, accuracy) = data_set.time_and_accuracy(configuration);
            (time, -accuracy)
        };
        Target::new(format!("lcbench-{}", recipe.name), lcbench::space(), bound, slowest, Box::new(function))
    };
    DATA_SETS.into_iter().map(target).collect()
}

fn search_of(name: &str) -> Result<Search> {
    Ok(match name {
        "random" => Search::Random,
        "forest" => learning(Learner::Forest),
        "gaussian" => learning(Learner::Gaussian),
        "auto" => learning(Learner::Auto),
        other => bail!("unknown search `{other}`: expected random, forest, gaussian or auto"),
    })
}

/// Runs one campaign and returns its row for the file.
fn run(target: &Arc<Target>, search: &str, seed: u64) -> Result<String> {
    let mut objective = Objective::capped(target.cutoff);
    objective.constraints.push(Constraint::new(target.bound, Over::Mean));
    let mut settings = settings(&target.space, 1, objective, seed);
    settings.racing.deterministic = true;
    settings.search = search_of(search)?;
    settings.budget = Budget { trials: Some(TRIALS), ..Budget::default() };
    let answering = target.clone();
    let oracle = move |request: &TrialRequest| {
        let (cost, output) = (answering.function)(&request.configuration);
        Answer { constraints: vec![output], ..Answer::finished(cost) }
    };
    let executor = Simulated::new(Box::new(oracle), Some(target.cutoff), 1, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    campaign.search(&mut |_| {})?;
    let history = campaign.optimizer().history();
    let feasible = |configuration: &Configuration| {
        let (cost, output) = (target.function)(configuration);
        (output <= target.bound && cost <= target.cutoff).then_some(cost)
    };
    let found = feasible(history.configuration(campaign.optimizer().incumbent()));
    let (mut near, mut stopped, mut infeasible) = (None, 0, 0);
    for (number, trial) in history.trials().iter().enumerate() {
        let cost = feasible(history.configuration(trial.key.config));
        let is_stopped = trial.observation.cost().is_some_and(|cost| cost.is_censored());
        stopped += usize::from(is_stopped);
        infeasible += usize::from(!is_stopped && cost.is_none());
        if near.is_none() && !is_stopped && cost.is_some_and(|cost| cost <= NEAR * target.best) {
            near = Some(number + 1);
        }
    }
    let (default, output) = (target.function)(&target.space.default_configuration());
    let default = if output <= target.bound { default.to_string() } else { "infeasible".to_owned() };
    let number = |found: Option<String>| found.unwrap_or_else(|| "-".to_owned());
    Ok(format!(
        "{},{search},{seed},{default},{},{},{},{stopped},{infeasible}\n",
        target.name,
        target.best,
        number(found.map(|cost| cost.to_string())),
        number(near.map(|trials| trials.to_string())),
    ))
}

/// Runs the campaigns whose rows are missing from the file, then prints all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let words = |line: &str| Ok(line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let known = rows::read(&arguments.rows, HEAD, words)?;
    let network = arguments.lcbench.as_deref().map(Network::of_file).transpose()?.map(Arc::new);
    let mut targets = vec![formula()?];
    if let Some(network) = &network {
        targets.extend(training(network)?);
    }
    let targets: Vec<Arc<Target>> = targets.into_iter().map(Arc::new).collect();
    let wanted = |target: &Target| {
        arguments.targets.is_empty() || arguments.targets.iter().any(|name| target.name.starts_with(name))
    };
    let mut pieces = VecDeque::new();
    for seed in range(&arguments.seeds)? {
        for target in targets.iter().filter(|target| wanted(target)) {
            for search in &arguments.searches {
                let key = [target.name.clone(), search.clone(), seed.to_string()];
                if !known.iter().any(|row| row[..3] == key) {
                    pieces.push_back((target.clone(), search.clone(), seed));
                }
            }
        }
    }
    rows::measure(pieces, arguments.threads, (&arguments.rows, HEAD), |(target, search, seed)| {
        run(&target, &search, seed)
    })?;
    print(&rows::read(&arguments.rows, HEAD, words)?)
}

fn print(rows: &[Vec<String>]) -> Result<()> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Vec<String>>> = BTreeMap::new();
    for row in rows {
        groups.entry((&row[0], &row[1])).or_default().push(row);
    }
    println!(
        "| target | search | campaigns | default / best of {RANDOM} random | incumbent / best random, quartiles | median trials \
         to within 10 % | stopped | infeasible |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for ((target, search), rows) in groups {
        let number = |word: &str| word.parse::<f64>().unwrap_or(f64::INFINITY);
        let of = |column: usize| Quantiles::of(rows.iter().map(|row| number(&row[column])).collect());
        let ratios = Quantiles::of(rows.iter().map(|row| number(&row[5]) / number(&row[4])).collect());
        let default = rows[0][3]
            .parse::<f64>()
            .map_or("infeasible".to_owned(), |cost| format!("{:.2}", cost / number(&rows[0][4])));
        let after = of(6).median();
        let after = if after.is_finite() { after.to_string() } else { "-".to_owned() };
        println!(
            "| {target} | {search} | {} | {default} | {:.3}, **{:.3}**, {:.3} | {after} | {:.0} % | {:.0} % |",
            rows.len(),
            ratios.at(0.25),
            ratios.median(),
            ratios.at(0.75),
            100.0 * of(7).median() / TRIALS as f64,
            100.0 * of(8).median() / TRIALS as f64,
        );
    }
    Ok(())
}
