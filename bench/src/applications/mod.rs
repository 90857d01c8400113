//! The applications of J. Gardner, M. Kusner, Z. Xu, K. Weinberger, J. Cunningham, Bayesian Optimization with
//! Inequality Constraints, 2014: as fast as possible, but not worse than a reference. A search is run on each
//! task with several seeds. Searches whose rows are already in the file are not run again.
//!
//! | file | subject |
//! |---|---|
//! | `data` | the data sets |
//! | `task` | a task, and the log of a search's evaluations |
//! | `hashing` | nearest neighbours by hashing |
//! | `compression` | compressed support vector machines |
//! | `searches`, `uniform` | the searches |
//! | `row` | the result of a search as a row of the file |
//! | `tables` | the printed tables |
//! | `figures` | the plots |

mod compression;
mod data;
mod figures;
mod hashing;
mod row;
mod searches;
mod tables;
mod task;
mod uniform;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use anyhow::{Result, bail};
use campaign::budget::Budget;
use clap::Args;

use self::data::{DATA_SETS, DataSet, MISSING};
use self::row::{HEAD, Row};
use self::searches::{BUILT_IN, Named, find};
use self::task::{Log, Task};
use crate::contest::trajectory::Trajectory;
use crate::rows;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder of the data sets, written by bench/scripts/export-points.py; without it, existing rows are printed
    #[arg(long)]
    points: Option<PathBuf>,
    /// Tasks: lsh, lsh-5 (at most 5 % more errors than the exact search), svm-1 and svm-10 (1 and 10 % more than the
    /// full machine)
    #[arg(long = "task", value_delimiter = ',', default_value = "lsh,lsh-5,svm-1,svm-10")]
    tasks: Vec<String>,
    /// Data sets [default: all]
    #[arg(long = "data-set", value_delimiter = ',')]
    data_sets: Vec<String>,
    /// Searches: once (default, each configuration evaluated once), default, auto, gaussian, forest, neural, random, uniform, botorch, optuna-gp [default: all but the
    /// last two]
    #[arg(long = "search", value_delimiter = ',')]
    searches: Vec<String>,
    /// Random seeds for lsh, as FIRST-LAST
    #[arg(long, default_value = "1-10")]
    seeds: String,
    /// Random seeds for svm-1 and svm-10, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    svm_seeds: String,
    /// Searches to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// File of rows, one per search
    #[arg(long, default_value = "docs/results/applications.csv")]
    rows: PathBuf,
    /// Folder of the other optimizers' environments, created by bench/peers/setup
    #[arg(long)]
    peers: Option<PathBuf>,
    /// Folder of the other optimizers' adapters
    #[arg(long, default_value = "bench/peers")]
    adapters: PathBuf,
    /// Also draw the figures to files that begin with this
    #[arg(long, value_name = "PREFIX")]
    figures: Option<String>,
}

/// Runs the searches that are missing from the file of rows, then prints all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    if arguments.points.is_some() {
        let tasks = tasks(arguments)?;
        run_missing(arguments, &tasks)?;
        if let Some(prefix) = &arguments.figures {
            figures::draw(&tasks, prefix)?;
        }
    }
    println!("{}", tables::text(&rows::read_plain(&arguments.rows, HEAD, Row::of_line)?));
    Ok(())
}

fn run_missing(arguments: &Arguments, tasks: &[Arc<Task>]) -> Result<()> {
    let known = rows::read_plain(&arguments.rows, HEAD, Row::of_line)?;
    let names: Vec<&str> = if arguments.searches.is_empty() {
        BUILT_IN.to_vec()
    } else {
        arguments.searches.iter().map(String::as_str).collect()
    };
    let find = |name: &&str| find(name, arguments.peers.as_deref(), &arguments.adapters);
    let searches = names.iter().map(find).collect::<Result<Vec<Named>>>()?;
    let mut cells = VecDeque::new();
    for task in tasks {
        println!("{} on {}: {}", task.kind, task.data_set, task.remark);
        let seeds = if task.kind.starts_with("lsh") { &arguments.seeds } else { &arguments.svm_seeds };
        for seed in range(seeds)? {
            for search in &searches {
                let key = (task.kind, task.data_set, search.configurator.name(), seed);
                // On a deterministic task, both are the same search.
                let is_double = task.deterministic && search.once;
                if !is_double && !known.iter().any(|row| row.key() == key) {
                    cells.push_back((task, search, seed));
                }
            }
        }
    }
    rows::measure_plain(cells, arguments.threads, (&arguments.rows, HEAD), |(task, search, seed)| {
        Ok(run(task, search, seed)?.line())
    })
}

/// Runs a search. Returns its trajectory and all evaluations.
fn search(task: &Arc<Task>, search: &Named, seed: u64) -> Result<(Trajectory, Log)> {
    let (arena, log) = task::arena(task, search.once)?;
    let budget = Budget { trials: Some(task.budget), ..Budget::default() };
    Ok((search.configurator.run(&arena, &budget, seed)?, log))
}

fn run(task: &Arc<Task>, named: &Named, seed: u64) -> Result<Row> {
    let (trajectory, log) = search(task, named, seed)?;
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let is_feasible = |evaluation: &task::Evaluation| task.is_feasible(*evaluation);
    let feasible = || log.iter().map(|(_, evaluation)| *evaluation).filter(is_feasible);
    let choice = trajectory.last();
    let truth = task.target.truth(choice);
    Ok(Row {
        task: task.kind.to_owned(),
        data_set: task.data_set.to_owned(),
        search: named.configurator.name().to_owned(),
        version: named.version.clone(),
        seed,
        evaluations: log.len() as u64,
        infeasible: 1.0 - feasible().count() as f64 / log.len() as f64,
        seen: feasible().map(|evaluation| task.speed_up(evaluation)).reduce(f64::max),
        choice: choice.to_string(),
        vectors: task.target.size(choice),
        speed_up: task.speed_up(truth),
        error: truth.error,
        bound: task.bound,
        feasible: task.is_feasible(truth),
        in_time: task.target.speed_up_in_time(choice),
        cpu: trajectory.own_cpu.unwrap_or(0.0),
    })
}

/// Returns the chosen tasks on the data sets whose files exist.
fn tasks(arguments: &Arguments) -> Result<Vec<Arc<Task>>> {
    let Some(folder) = &arguments.points else { return Ok(Vec::new()) };
    for name in &arguments.data_sets {
        if !DATA_SETS.iter().any(|known| known.name == name) {
            let names: Vec<&str> = DATA_SETS.iter().map(|known| known.name).collect();
            bail!("unknown data set `{name}`: expected one of {}", names.join(", "));
        }
    }
    let is_chosen = |known: &&DataSet| {
        arguments.data_sets.is_empty() || arguments.data_sets.iter().any(|it| it == known.name)
    };
    let is_asked = |kind: &str| arguments.tasks.iter().any(|task| task == kind);
    let mut tasks = Vec::new();
    for data_set in DATA_SETS.iter().filter(is_chosen) {
        let Some(points) = data_set.read(folder)? else {
            println!("{}: skipped, {} does not contain it", data_set.name, folder.display());
            continue;
        };
        if is_asked("lsh") || is_asked("lsh-5") {
            tasks.extend(
                hashing::tasks(data_set, &points, folder)?.into_iter().filter(|task| is_asked(task.kind)),
            );
        }
        if data_set.with_machines && (is_asked("svm-1") || is_asked("svm-10")) {
            tasks.extend(
                compression::tasks(data_set, &points)?.into_iter().filter(|task| is_asked(task.kind)),
            );
        }
    }
    println!("Data sets of the paper that are missing here: {MISSING}");
    Ok(tasks.into_iter().map(Arc::new).collect())
}
