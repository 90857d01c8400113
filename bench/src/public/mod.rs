//! The public comparison: scenarios x configurators x budgets x seeds. Budgets are numbers of trials, and
//! costs are counts. Cells whose rows are already in the files are not run again, so a comparison can be run
//! in parts.
//!
//! | file | subject |
//! |---|---|
//! | `scenarios` | the list of targets, cutoffs and instances |
//! | `open` | prepares a scenario |
//! | `calibrate` | costs of random configurations |
//! | `configurators` | the configurators |
//! | `peer` | other configurators, run through adapters |
//! | `version` | version of captune |
//! | `row` | one cell as a row of a file |
//! | `table`, `summary` | rows by scenario and configurator; the printed tables |

mod calibrate;
mod configurators;
mod open;
pub(crate) mod peer;
mod row;
mod scenarios;
mod summary;
mod table;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail, ensure};
use campaign::budget::Budget;
use clap::Args;
use targets::lcbench::Network;

use crate::contest::arena::Arena;
use crate::contest::digest::definition;
use crate::rows;
use crate::seeds::range;
use configurators::Contender;
use open::Opened;
use row::{CHECKPOINTS, Row};
use scenarios::Scenario;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Scenarios whose names begin with one of these [default: all]
    #[arg(long = "scenario", value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Configurators [default: all]
    #[arg(long = "configurator", value_delimiter = ',')]
    configurators: Vec<String>,
    /// Budgets in trials [default: all budgets of each configurator]
    #[arg(long = "budget", value_delimiter = ',')]
    budgets: Vec<u64>,
    /// Random seeds for the cells, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
    /// Cells to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// CSV file with captune's rows, one per cell, all from the same commit
    #[arg(long, default_value = "docs/results/public.csv")]
    rows: PathBuf,
    /// CSV file with the rows of all other configurators
    #[arg(long, default_value = "docs/results/public-peers.csv")]
    peer_rows: PathBuf,
    /// Folder with the peers' environments, created by bench/peers/setup; without it, peers are skipped
    #[arg(long)]
    peers: Option<PathBuf>,
    /// Folder with the peers' adapters
    #[arg(long, default_value = "bench/peers")]
    adapters: PathBuf,
    /// Exported network of LCBench; without it, scenarios on LCBench are skipped
    #[arg(long)]
    lcbench: Option<PathBuf>,
    /// Run nothing; print the tables for the existing rows
    #[arg(long, conflicts_with = "calibrate")]
    print: bool,
    /// Instead of comparing, run this many random configurations on each scenario and print their costs
    #[arg(long, value_name = "CONFIGURATIONS", num_args = 0..=1, default_missing_value = "100")]
    calibrate: Option<usize>,
}

/// Runs the cells whose rows are missing from the files, then prints all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let scenarios = chosen_scenarios(&arguments.scenarios)?;
    if let Some(count) = arguments.calibrate {
        return calibrate::print(&scenarios, network(arguments)?.as_ref(), count);
    }
    let failed = if arguments.print { 0 } else { run_missing(arguments, &scenarios)? };
    print(arguments, &scenarios)?;
    ensure!(failed == 0, "{failed} cells failed; run the same command again to retry them");
    Ok(())
}

/// Prints the tables for the existing rows.
fn print(arguments: &Arguments, scenarios: &[Scenario]) -> Result<()> {
    let own = row::read(&arguments.rows)?;
    if let Some([first, other]) = own.array_windows().find(|[a, b]| a.version != b.version) {
        bail!(
            "{} has rows from captune {} and {}; all rows in a table must be from one version",
            arguments.rows.display(),
            first.version,
            other.version
        );
    }
    let rows = [own, row::read(&arguments.peer_rows)?].concat();
    let names: Vec<&str> = scenarios.iter().map(|it| it.name).collect();
    println!("{}", summary::text(&rows, &names, &configurators::names()));
    Ok(())
}

/// Runs the cells whose rows are missing from the files; returns the number of cells that failed.
fn run_missing(arguments: &Arguments, scenarios: &[Scenario]) -> Result<usize> {
    let contenders = chosen_contenders(arguments)?;
    let network = network(arguments)?;
    let mut arenas = Vec::new();
    for scenario in scenarios {
        match open::subject(scenario, network.as_ref())? {
            Opened::Ready(benchmark) => arenas.push((*scenario, Arc::new(open::arena(scenario, benchmark)?))),
            Opened::Skipped(why) => println!("{}: skipped, {why}", scenario.name),
        }
    }
    let failed = AtomicUsize::new(0);
    for (path, of_captune) in [(&arguments.rows, true), (&arguments.peer_rows, false)] {
        let known = row::read(path)?;
        let of_file: Vec<&Contender> = contenders.iter().filter(|it| it.is_captune == of_captune).collect();
        let mut cells = VecDeque::new();
        for seed in range(&arguments.seeds)? {
            for (scenario, arena) in &arenas {
                for &contender in &of_file {
                    let chosen =
                        |budget: &&u64| arguments.budgets.is_empty() || arguments.budgets.contains(budget);
                    for &budget in contender.budgets.iter().filter(chosen) {
                        cells.push_back(Task {
                            scenario: *scenario,
                            arena: arena.clone(),
                            contender,
                            budget,
                            seed,
                        });
                    }
                }
            }
        }
        cells.retain(|task| !known.iter().any(|row| row.cell() == task.cell()));
        if cells.is_empty() {
            continue;
        }
        refuse_other_rows(&known, path, &cells)?;
        rows::measure_plain(cells, arguments.threads, (path, row::HEAD), |task| match task.run() {
            Ok(row) => Ok(row.line()),
            // If a cell fails, the other cells still run.
            Err(error) => {
                println!("{}: {error:#}", task.title());
                failed.fetch_add(1, Ordering::Relaxed);
                Ok(String::new())
            }
        })?;
    }
    Ok(failed.into_inner())
}

fn network(arguments: &Arguments) -> Result<Option<Arc<Network>>> {
    Ok(arguments.lcbench.as_deref().map(Network::of_file).transpose()?.map(Arc::new))
}

fn chosen_scenarios(wanted: &[String]) -> Result<Vec<Scenario>> {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|it| name.starts_with(it.as_str()));
    let list: Vec<Scenario> = scenarios::ALL.iter().copied().filter(|it| is_wanted(it.name)).collect();
    ensure!(
        !list.is_empty(),
        "no scenario name begins with {}: expected {}",
        wanted.join(" or "),
        scenarios::ALL.iter().map(|it| it.name).collect::<Vec<_>>().join(", ")
    );
    Ok(list)
}

fn chosen_contenders(arguments: &Arguments) -> Result<Vec<Contender>> {
    let (wanted, names) = (&arguments.configurators, configurators::names());
    if let Some(name) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        bail!("unknown configurator `{name}`: expected {}", names.join(", "));
    }
    let chosen: Vec<&str> =
        names.into_iter().filter(|name| wanted.is_empty() || wanted.iter().any(|it| it == name)).collect();
    let mut contenders = Vec::new();
    for found in configurators::find(&chosen, arguments.peers.as_deref(), &arguments.adapters) {
        match found {
            Ok(contender) => contenders.push(contender),
            Err((name, why)) => println!("{name}: skipped, {why}"),
        }
    }
    Ok(contenders)
}

/// Returns an error if a row was measured with another definition of a scenario or another version of a
/// configurator.
fn refuse_other_rows(known: &[Row], path: &Path, tasks: &VecDeque<Task<'_>>) -> Result<()> {
    for task in tasks {
        let name = task.scenario.name;
        for row in known.iter().filter(|row| row.scenario == name) {
            ensure!(
                row.definition == definition(&task.scenario),
                "{} has rows from another definition of {name}; remove them, or choose another file",
                path.display()
            );
        }
        let contender = task.contender;
        let other = known.iter().filter(|row| row.configurator == contender.name() || contender.is_captune);
        for row in other {
            ensure!(
                row.version == contender.version,
                "{} has rows from {} {}, but this is {}; choose another file with {}",
                path.display(),
                row.configurator,
                row.version,
                contender.version,
                if contender.is_captune { "--rows" } else { "--peer-rows" }
            );
        }
    }
    Ok(())
}

/// A cell to run.
struct Task<'a> {
    scenario: Scenario,
    arena: Arc<Arena>,
    contender: &'a Contender,
    budget: u64,
    seed: u64,
}

impl Task<'_> {
    fn cell(&self) -> row::Cell<'_> {
        (self.scenario.name, self.contender.name(), self.budget, self.seed)
    }

    fn title(&self) -> String {
        let (scenario, configurator, budget, seed) = self.cell();
        format!("{configurator} on {scenario} with {budget} trials and seed {seed}")
    }

    /// Runs the search, then tests its incumbents.
    fn run(&self) -> Result<Row> {
        let budget = Budget { trials: Some(self.budget), ..Budget::default() };
        let trajectory = self.contender.configurator.run(&self.arena, &budget, self.seed)?;
        let mut costs: Vec<f64> = Vec::new();
        let mut before = None;
        for trials in CHECKPOINTS.into_iter().filter(|&trials| trials <= self.budget) {
            let incumbent = if trials == self.budget { trajectory.last() } else { trajectory.after(trials) };
            let cost = match costs.last() {
                Some(&cost) if before == Some(incumbent) => cost,
                _ => self.arena.evaluate(incumbent),
            };
            costs.push(cost);
            before = Some(incumbent);
        }
        Ok(Row {
            scenario: self.scenario.name.to_owned(),
            definition: definition(&self.scenario),
            configurator: self.contender.name().to_owned(),
            version: self.contender.version.clone(),
            budget: self.budget,
            seed: self.seed,
            trials: trajectory.trials,
            capped: trajectory.capped,
            configurations: trajectory.configurations,
            cpu_seconds: trajectory.own_cpu,
            pairs: trajectory.pairs,
            feasible: self.arena.test(trajectory.last()).feasible,
            default_cost: self.arena.default_cost(),
            costs,
            configuration: trajectory.last().to_string(),
        })
    }
}
