//! Compares configurators: scenarios x configurators x seeds, each cell with the same budget and the same
//! test. Cells whose rows are already in the file are not run again, so a long comparison can be run in
//! parts.
//!
//! | file | subject |
//! |---|---|
//! | `acquisition` | two acquisition rules with the same networks |
//! | `again` | tests repeated with other seeds |
//! | `scenarios` | the list of targets, cutoffs and budgets |
//! | `stage` | a scenario that is ready to run |
//! | `configurator` | the configurators |
//! | `row` | one cell as a row of the file |
//! | `summary` | means, medians, ranks, scores, tests |

pub(crate) mod acquisition;
mod again;
mod configurator;
mod row;
mod scenarios;
mod stage;
mod summary;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use clap::Args;
use targets::lcbench::Network;

use crate::contest::configurator::Configurator;
use crate::contest::digest::definition;
use crate::contest::subject;
use crate::rows;
use crate::seeds::range;
use row::{Row, SHARES};
use scenarios::{Scenario, Target};
use stage::Stage;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Scenarios whose names begin with one of these [default: all]
    #[arg(long = "scenario", value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Configurators [default: all]
    #[arg(long = "configurator", value_delimiter = ',')]
    configurators: Vec<String>,
    /// Random seeds for the cells, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    seeds: String,
    /// Cells to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// CSV file with one row per cell; the plot is written next to it [default: docs/results/COMMAND.csv]
    #[arg(long)]
    rows: Option<PathBuf>,
    /// Do not search; run the final configuration of each row this many more times, with new seeds, and write
    /// the results to a second file
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u32).range(1..))]
    again: Option<u32>,
    /// Run nothing; print the tables for these scenarios and configurators, with all seeds
    #[arg(long, conflicts_with = "again")]
    print: bool,
    /// Exported network of LCBench; without it, scenarios on LCBench are skipped
    #[arg(long)]
    lcbench: Option<PathBuf>,
    /// Folder with formulas for minisat; without it, scenarios with minisat are skipped
    #[arg(long)]
    formulas: Option<PathBuf>,
}

/// A comparison of configurators on a list of scenarios.
pub(crate) struct Study {
    /// Name of the CSV file, without its extension.
    name: &'static str,
    scenarios: &'static [Scenario],
    configurators: &'static [&'static dyn Configurator],
    pairs: Pairs,
}

/// Pairs of configurators that are tested for a difference.
#[derive(PartialEq)]
enum Pairs {
    /// The first configurator in the list and each of the others.
    WithFirst,
    All,
}

/// The comparison of searches.
pub(crate) const SEARCHES: Study = Study {
    name: "compare",
    scenarios: scenarios::ALL,
    configurators: configurator::SEARCHES,
    pairs: Pairs::WithFirst,
};

/// The comparison of learners.
pub(crate) const LEARNERS: Study = Study {
    name: "learners",
    scenarios: scenarios::EQUAL_BUDGETS,
    configurators: configurator::LEARNERS,
    pairs: Pairs::All,
};

/// The comparison of slacks, which shows whether trials should be stopped early, and how early.
pub(crate) const SLACKS: Study = Study {
    name: "slack",
    scenarios: scenarios::LONG_CUTOFFS,
    configurators: configurator::SLACKS,
    pairs: Pairs::WithFirst,
};

/// Runs the cells whose rows are missing from the file, then prints and plots all rows. With `--print`, only
/// prints.
pub(crate) fn measure(arguments: &Arguments, study: &Study) -> Result<()> {
    let default = || PathBuf::from(format!("docs/results/{}.csv", study.name));
    let file = arguments.rows.clone().unwrap_or_else(default);
    let scenarios = chosen_scenarios(arguments, study)?;
    let configurators = chosen_configurators(arguments, study)?;
    if arguments.print {
        let mut rows = row::read(&file)?;
        ensure!(!rows.is_empty(), "{} has no rows", file.display());
        rows.retain(|row| {
            scenarios.iter().any(|it| it.name == row.scenario)
                && configurators.iter().any(|it| it.name() == row.configurator)
        });
        print!("{}", summary::text(&rows, study));
        return Ok(());
    }
    let file = run(arguments, file, scenarios, &configurators)?;
    let rows = row::read(&file)?;
    print!("{}", summary::text(&rows, study));
    let plot = file.with_extension("svg");
    std::fs::write(&plot, report::plot::boxes("cost / cost of the default", &summary::boxes(&rows, study)))
        .with_context(|| format!("cannot write {}", plot.display()))
}

fn chosen_scenarios(arguments: &Arguments, study: &Study) -> Result<Vec<Scenario>> {
    let is_chosen = |name: &str| {
        arguments.scenarios.is_empty() || arguments.scenarios.iter().any(|wanted| name.starts_with(wanted))
    };
    let chosen: Vec<Scenario> = study.scenarios.iter().copied().filter(|it| is_chosen(it.name)).collect();
    ensure!(
        !chosen.is_empty(),
        "no scenario name begins with {}: expected {}",
        arguments.scenarios.join(" or "),
        study.scenarios.iter().map(|it| it.name).collect::<Vec<_>>().join(", ")
    );
    Ok(chosen)
}

fn chosen_configurators(arguments: &Arguments, study: &Study) -> Result<Vec<&'static dyn Configurator>> {
    if arguments.configurators.is_empty() {
        return Ok(study.configurators.to_vec());
    }
    let chosen = |name: &String| {
        let known = study.configurators.iter().copied().find(|it| it.name() == name);
        let all = || study.configurators.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
        known.with_context(|| format!("unknown configurator `{name}`: expected {}", all()))
    };
    arguments.configurators.iter().map(chosen).collect()
}

/// Runs the cells whose rows are missing from the file, and returns the file. With `--again`, repeats tests
/// instead, and returns the second file.
fn run(
    arguments: &Arguments,
    file: PathBuf,
    scenarios: Vec<Scenario>,
    configurators: &[&'static dyn Configurator],
) -> Result<PathBuf> {
    let network = match &arguments.lcbench {
        Some(path) => Some(Arc::new(Network::of_file(path)?)),
        None => None,
    };
    let known = row::read(&file)?;
    let seeds = range(&arguments.seeds)?;
    let mut stages = Vec::new();
    for scenario in scenarios {
        let Some(stage) = open(scenario, arguments, network.as_ref())? else {
            println!("{}: skipped, its data is missing (see --help)", scenario.name);
            continue;
        };
        let definition = definition(&scenario);
        for row in known.iter().filter(|row| row.scenario == scenario.name) {
            ensure!(
                row.definition == definition,
                "{} has rows from another definition of {}; remove them, or choose another file with --rows",
                file.display(),
                scenario.name
            );
        }
        stages.push(Arc::new(stage));
    }
    let mut cells = VecDeque::new();
    for stage in &stages {
        for seed in seeds.clone() {
            cells.extend(configurators.iter().map(|&it| (stage.clone(), it, seed)));
        }
    }
    let row_of = |(stage, configurator, seed): &Cell| {
        known.iter().find(|row| row.cell() == (stage.scenario.name, configurator.name(), *seed))
    };
    if let Some(runs) = arguments.again {
        let found = cells.iter().filter_map(|cell| Some((cell.0.clone(), row_of(cell)?.clone())));
        return again::measure(found.collect(), runs, arguments.threads, &file);
    }
    cells.retain(|cell| row_of(cell).is_none());
    let line = |(stage, configurator, seed): Cell| Ok(run_cell(&stage, configurator, seed)?.line());
    rows::measure(cells, arguments.threads, (&file, row::HEAD), line)?;
    Ok(file)
}

/// Prepares a scenario; `None` if its data is missing.
fn open(scenario: Scenario, arguments: &Arguments, network: Option<&Arc<Network>>) -> Result<Option<Stage>> {
    let benchmark = match scenario.target {
        Target::Saps { class, training, test } => subject::saps::on(class, training, test)?,
        Target::Synthetic { training, test } => subject::synthetic::new(training, test),
        Target::Lcbench { data_set } => match network {
            Some(network) => subject::lcbench::time_to_accuracy(network, data_set, scenario.cutoff)?,
            None => return Ok(None),
        },
        Target::Minisat { without } => match &arguments.formulas {
            Some(folder) => subject::minisat::on(folder, without)?,
            None => return Ok(None),
        },
    };
    Stage::new(scenario, benchmark).map(Some)
}

type Cell = (Arc<Stage>, &'static dyn Configurator, u64);

/// Runs one cell: the search, then the test of its incumbents.
fn run_cell(stage: &Arc<Stage>, configurator: &dyn Configurator, seed: u64) -> Result<Row> {
    let trajectory = configurator.run(&stage.arena, &stage.budget(), seed)?;
    let mut costs = [f64::NAN; SHARES.len()];
    for at in 0..SHARES.len() {
        let incumbent = trajectory.at_cost(SHARES[at] * stage.scenario.budget);
        let is_same = at > 0 && trajectory.at_cost(SHARES[at - 1] * stage.scenario.budget) == incumbent;
        costs[at] = if is_same { costs[at - 1] } else { stage.arena.evaluate(incumbent) };
    }
    Ok(Row {
        scenario: stage.scenario.name.to_owned(),
        definition: definition(&stage.scenario),
        configurator: configurator.name().to_owned(),
        seed,
        trials: trajectory.trials,
        capped: trajectory.capped,
        configurations: trajectory.configurations,
        default_cost: stage.arena.default_cost(),
        costs,
        configuration: trajectory.at_cost(stage.scenario.budget).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(folder: &std::path::Path, seeds: &str) -> Arguments {
        Arguments {
            scenarios: vec!["synthetic".to_owned()],
            // Only fast configurators.
            configurators: ["captune-local", "captune-random", "plain-random"].map(str::to_owned).to_vec(),
            seeds: seeds.to_owned(),
            threads: 2,
            rows: Some(folder.join("rows.csv")),
            again: None,
            print: false,
            lcbench: None,
            formulas: None,
        }
    }

    #[test]
    fn a_second_call_runs_only_what_is_missing() {
        let folder = std::env::temp_dir().join(format!("captune-compare-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let rows = || std::fs::read_to_string(folder.join("rows.csv")).unwrap();
        measure(&arguments(&folder, "1-1"), &SEARCHES).unwrap();
        let first = rows();
        assert_eq!(first.lines().count(), 1 + 3);
        measure(&arguments(&folder, "1-1"), &SEARCHES).unwrap();
        assert_eq!(rows(), first, "nothing was missing");
        let plot = folder.join("rows.svg");
        std::fs::remove_file(&plot).unwrap();
        let print = |name: &str| {
            let rows = Some(folder.join(name));
            measure(&Arguments { print: true, rows, ..arguments(&folder, "2-2") }, &SEARCHES)
        };
        print("rows.csv").unwrap();
        assert!(rows() == first && !plot.exists(), "printing changes no file");
        let refusal = print("other.csv").unwrap_err().to_string();
        assert!(refusal.ends_with("other.csv has no rows"), "{refusal}");
        // A row that was removed is reproduced exactly.
        let (kept, lost) = first.trim_end().rsplit_once('\n').unwrap();
        std::fs::write(folder.join("rows.csv"), format!("{kept}\n")).unwrap();
        measure(&arguments(&folder, "1-1"), &SEARCHES).unwrap();
        assert_eq!(rows(), format!("{kept}\n{lost}\n"));
        let other = first.replace(&definition(&scenarios::ALL[11]), "0123456789abcdef");
        std::fs::write(folder.join("rows.csv"), other).unwrap();
        let refusal = measure(&arguments(&folder, "1-1"), &SEARCHES).unwrap_err().to_string();
        assert!(refusal.contains("another definition of synthetic-76"), "{refusal}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn final_configurations_are_tested_again_with_other_seeds() {
        let folder = std::env::temp_dir().join(format!("captune-again-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let again = |runs, seeds: &str| {
            measure(&Arguments { again: Some(runs), ..arguments(&folder, seeds) }, &SEARCHES)
        };
        let read = |name: &str| row::read(&folder.join(name)).unwrap();
        measure(&arguments(&folder, "1-1"), &SEARCHES).unwrap();
        let found = read("rows.csv");
        // Use the same number of runs as in the test. Seed 2 has no rows, so it has no configuration to run
        // again.
        again(4, "1-2").unwrap();
        let mut rows = read("rows-again.csv");
        assert_eq!((read("rows.csv"), rows.len()), (found.clone(), 3));
        rows.sort_by_key(|row| found.iter().position(|it| it.cell() == row.cell()));
        for (row, found) in rows.iter().zip(&found) {
            assert_eq!((&row.configuration, &row.costs[..3]), (&found.configuration, &found.costs[..3]));
            assert!(row.last() != found.last() && (row.last() / found.last() - 1.0).abs() < 0.2, "{row:?}");
        }
        let refusal = again(4, "2-2").unwrap_err().to_string();
        assert!(refusal.contains("rows.csv has none of the requested rows; search first"), "{refusal}");
        let refusal = again(3, "1-1").unwrap_err().to_string();
        assert!(refusal.contains("captune-local with seed 1 on synthetic-76"), "{refusal}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn learners_are_compared_on_saps_and_all_data_sets_of_lcbench() {
        let names = |list: &[Scenario]| list.iter().map(|it| it.name).collect::<Vec<_>>();
        let lcbench = names(scenarios::ALL).into_iter().filter(|name| name.starts_with("lcbench"));
        let saps = ["saps-qwh-med", "saps-qwh-q75", "saps-qwh-q95"];
        let wanted: Vec<&str> = saps.into_iter().chain(lcbench).collect();
        assert_eq!(names(scenarios::EQUAL_BUDGETS), wanted);
    }

    #[test]
    fn the_test_is_the_same_for_all_and_failures_cost_ten_times_the_cutoff() {
        let stage = Stage::new(scenarios::ALL[11], subject::synthetic::new(20, 50)).unwrap();
        let default = stage.arena.benchmark.space.default_configuration();
        assert_eq!(stage.arena.evaluate(&default), stage.arena.default_cost());
        let crashed = execution::executor::Answer {
            status: engine::Status::Crashed,
            ..execution::executor::Answer::finished(1.0)
        };
        assert_eq!(stage.arena.compared(&crashed), 3000.0);
        assert_eq!(stage.arena.compared(&execution::executor::Answer::finished(300.5)), 3000.0);
        assert_eq!(stage.arena.compared(&execution::executor::Answer::finished(300.0)), 300.0);
    }
}
