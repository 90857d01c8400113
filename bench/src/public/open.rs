//! Prepares scenarios to run.

use std::sync::Arc;

use anyhow::Result;
use engine::Objective;
use engine::problem::{Constraint, Over};
use targets::dimacs;
use targets::generate::{equations, factoring, knapsack, parity};
use targets::lcbench::Network;

use super::scenarios::{Scenario, Target};
use crate::contest::arena::Arena;
use crate::contest::subject::solver::{CADICAL, CBC, MINISAT, Solver, Z3};
use crate::contest::subject::{self, Benchmark};
use crate::seeds::range;

/// The benchmark for a scenario, or the reason why the scenario is skipped.
pub(super) enum Opened {
    Ready(Benchmark),
    Skipped(String),
}

/// Returns the benchmark for a scenario. Scenarios on LCBench need its exported network.
pub(super) fn subject(scenario: &Scenario, network: Option<&Arc<Network>>) -> Result<Opened> {
    Ok(match scenario.target {
        Target::Saps { class, training, test } => Opened::Ready(subject::saps::on(class, training, test)?),
        Target::Synthetic { training, test } => Opened::Ready(subject::synthetic::new(training, test)),
        Target::Smooth { training, test } => Opened::Ready(subject::smooth::new(training, test)),
        Target::Gcc { training, test } => installed(subject::gcc::on(training, test)?, "gcc"),
        Target::Cadical { bits, training, test } => {
            let text = |seed| dimacs::write(&factoring::factoring(bits, seed), "");
            solver(&CADICAL, scenario, [training, test], text)?
        }
        Target::Cbc { items, constraints, training, test } => {
            let text = |seed| knapsack::knapsack(items, constraints, seed);
            solver(&CBC, scenario, [training, test], text)?
        }
        Target::Z3 { variables, equations, largest, training, test } => {
            let text = |seed| equations::equations(variables, equations, largest, seed);
            solver(&Z3, scenario, [training, test], text)?
        }
        Target::TimeToAccuracy { data_set } => with_network(network, |network| {
            subject::lcbench::time_to_accuracy(network, data_set, scenario.cutoff.unwrap_or(f64::INFINITY))
        })?,
        Target::TimeAndError { data_set } => {
            with_network(network, |network| subject::lcbench::time_and_error(network, data_set))?
        }
        Target::Minisat { vertices, training, test } => {
            let text = |seed| dimacs::write(&parity::parity(vertices, seed), "");
            solver(&MINISAT, scenario, [training, test], text)?
        }
    })
}

fn with_network(
    network: Option<&Arc<Network>>,
    open: impl Fn(&Arc<Network>) -> Result<Benchmark>,
) -> Result<Opened> {
    network.map_or_else(
        || Ok(Opened::Skipped("its network is missing; give it with --lcbench".to_owned())),
        |network| Ok(Opened::Ready(open(network)?)),
    )
}

fn installed(benchmark: Option<Benchmark>, program: &str) -> Opened {
    benchmark.map_or_else(|| Opened::Skipped(format!("{program} is not installed")), Opened::Ready)
}

/// Returns a solver on texts generated from the seeds for training and test.
fn solver(
    solver: &'static Solver,
    scenario: &Scenario,
    seeds: [&str; 2],
    text: impl Fn(u64) -> String,
) -> Result<Opened> {
    let [training, test] = [range(seeds[0])?, range(seeds[1])?];
    let count = training.clone().count();
    let texts: Vec<String> = training.chain(test).map(text).collect();
    let cutoff = scenario.cutoff.unwrap_or(f64::INFINITY);
    Ok(installed(subject::solver::on(solver, &texts, count, cutoff)?, solver.program))
}

/// Returns the arena for a scenario, or an error if the benchmark has a different checksum.
pub(super) fn arena(scenario: &Scenario, benchmark: Benchmark) -> Result<Arena> {
    Arena::new(scenario.name, benchmark, objective(scenario), scenario.runs, scenario.checksum)
}

/// Returns the objective of a scenario.
pub(super) fn objective(scenario: &Scenario) -> Objective {
    let mut objective = scenario.cutoff.map_or_else(Objective::uncapped, Objective::capped);
    objective.constraints.extend(scenario.bound.map(|bound| Constraint::new(bound, Over::Mean)));
    objective
}
