//! The scenarios on which variants are compared: landscapes from `terrain`, test functions, training on data
//! sets of LCBench, solvers on generated problems, and SAPS on formulas. None of them is in the public list,
//! which is reserved for the final comparison.

use std::ops::RangeInclusive;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use engine::Objective;
use engine::problem::{Constraint, Over};
use targets::dimacs;
use targets::generate::{equations, factoring, knapsack, parity};
use targets::lcbench::Network;

use super::functions::{self, Function};
use super::terrain::{self, Bounded, Drawn, Noise, Shape};
use crate::contest::arena::Arena;
use crate::contest::subject;
use crate::contest::subject::solver::{CADICAL, CBC, MINISAT, Solver, Z3};

/// The target of a scenario.
enum Target {
    /// A landscape; each cell's seed gives a different one.
    Terrain(Shape),
    /// A test function; each cell's seed gives a different default.
    Function(Function),
    /// Time to a given accuracy on a data set of LCBench that is not on the public list, with a cutoff.
    Lcbench(&'static str, f64),
    /// A solver on generated problems: a cutoff, and the text of the problem with a seed. The problems are other
    /// ones, and of other sizes, than those on the public list.
    Solver(&'static Solver, f64, fn(u64) -> String),
    /// SAPS on quasigroups with holes: ORDER,HOLES, seeds for training, seeds for the test, and a cutoff.
    Saps(&'static str, &'static str, &'static str, f64),
}

/// One scenario.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    target: Target,
    /// Number of seeds per test instance.
    runs: u32,
}

const BASE: Shape = Shape {
    numbers: 8,
    choices: 4,
    conditions: false,
    spread: 300.0,
    noise: Noise::Normal(0.5),
    training: 10,
    test: 30,
    cutoff: Some(10.0),
    bounded: None,
};

const fn terrain(name: &'static str, shape: Shape, runs: u32) -> Scenario {
    Scenario { name, target: Target::Terrain(shape), runs }
}

const fn function(name: &'static str, function: Function) -> Scenario {
    Scenario { name, target: Target::Function(function), runs: 1 }
}

const fn lcbench(name: &'static str, data_set: &'static str, cutoff: f64) -> Scenario {
    Scenario { name, target: Target::Lcbench(data_set, cutoff), runs: 1 }
}

const fn solver(
    name: &'static str,
    solver: &'static Solver,
    cutoff: f64,
    text: fn(u64) -> String,
) -> Scenario {
    Scenario { name, target: Target::Solver(solver, cutoff, text), runs: 1 }
}

/// The seeds of the training and the test problems of every solver.
const SOLVER_SEEDS: [RangeInclusive<u64>; 2] = [1001..=1012, 1101..=1130];

pub(super) const ALL: &[Scenario] = &[
    terrain("noisy-12", BASE, 2),
    terrain(
        "conditions-30",
        Shape { numbers: 18, choices: 12, conditions: true, noise: Noise::Deterministic(0.4), ..BASE },
        1,
    ),
    terrain(
        "many-instances-20",
        Shape { numbers: 10, choices: 10, training: 60, test: 60, spread: 1000.0, ..BASE },
        1,
    ),
    terrain("smooth-4", Shape { numbers: 4, choices: 0, noise: Noise::Deterministic(0.05), ..BASE }, 1),
    terrain(
        "uncapped-10",
        Shape {
            numbers: 6,
            choices: 4,
            spread: 30.0,
            cutoff: None,
            noise: Noise::Deterministic(0.1),
            ..BASE
        },
        1,
    ),
    terrain(
        "alone-8",
        Shape { numbers: 6, choices: 2, training: 1, test: 0, noise: Noise::Exponential, ..BASE },
        400,
    ),
    terrain("flags-24", Shape { numbers: 0, choices: 24, noise: Noise::Deterministic(0.2), ..BASE }, 1),
    terrain(
        "wide-60",
        Shape {
            numbers: 35,
            choices: 25,
            conditions: true,
            spread: 1e4,
            training: 15,
            cutoff: Some(30.0),
            ..BASE
        },
        1,
    ),
    terrain(
        "bounded-15",
        Shape {
            numbers: 9,
            choices: 6,
            noise: Noise::Deterministic(0.1),
            bounded: Some(Bounded { share: 0.02, deviation: 0.0 }),
            ..BASE
        },
        1,
    ),
    terrain("bounded-noisy-12", Shape { bounded: Some(Bounded { share: 0.1, deviation: 0.03 }), ..BASE }, 2),
    terrain(
        "one-instance-8",
        Shape {
            numbers: 5,
            choices: 3,
            spread: 1e3,
            training: 1,
            test: 0,
            cutoff: Some(3.0),
            noise: Noise::Deterministic(0.0),
            ..BASE
        },
        1,
    ),
    terrain(
        "one-instance-14",
        Shape {
            numbers: 10,
            choices: 4,
            conditions: true,
            spread: 1e4,
            training: 1,
            test: 0,
            cutoff: Some(3.0),
            noise: Noise::Deterministic(0.02),
            ..BASE
        },
        1,
    ),
    function("ackley-6", functions::ACKLEY),
    function("branin-2", functions::BRANIN),
    function("griewank-5", functions::GRIEWANK),
    function("hartmann-6", functions::HARTMANN),
    function("levy-5", functions::LEVY),
    function("michalewicz-5", functions::MICHALEWICZ),
    function("rastrigin-4", functions::RASTRIGIN),
    function("rosenbrock-4", functions::ROSENBROCK),
    function("styblinski-tang-5", functions::STYBLINSKI_TANG),
    lcbench("lcbench-airlines", "airlines", 865.0),
    lcbench("lcbench-bank-marketing", "bank-marketing", 104.0),
    lcbench("lcbench-jannis", "jannis", 200.0),
    lcbench("lcbench-vehicle", "vehicle", 90.0),
    solver("minisat-26", &MINISAT, 5e4, |seed| dimacs::write(&parity::parity(26, seed), "")),
    solver("cadical-10", &CADICAL, 5e3, |seed| dimacs::write(&factoring::factoring(10, seed), "")),
    solver("cbc-12", &CBC, 2e4, |seed| knapsack::knapsack(12, 4, seed)),
    solver("z3-8", &Z3, 3e5, |seed| equations::equations(8, 2, 9, seed)),
    Scenario { name: "saps-18", target: Target::Saps("18,126", "1-6", "101-120", 1e5), runs: 3 },
    Scenario { name: "saps-21-alone", target: Target::Saps("21,168", "7-7", "7-7", 1e6), runs: 100 },
];

impl Scenario {
    /// Returns whether trials are so cheap that all tried configurations can be tested.
    pub(super) fn is_cheap(&self) -> bool {
        matches!(self.target, Target::Terrain(_) | Target::Function(_) | Target::Lcbench(..))
    }

    /// Returns the arena for a cell with this seed, and the test cost of the best configuration. If that cost
    /// is unknown, returns 1 instead.
    pub(super) fn arena(&self, seed: u64, network: Option<&Arc<Network>>) -> Result<(Arena, f64)> {
        let Drawn { benchmark, cutoff, best_cost, bound } = match &self.target {
            Target::Terrain(shape) => terrain::new(shape, seed),
            Target::Function(function) => functions::new(function, seed),
            Target::Lcbench(data_set, cutoff) => {
                let network = network.with_context(|| {
                    let Self { name, .. } = self;
                    format!(
                        "{name} needs the network of LCBench: give it with --lcbench, or choose other scenarios \
                         with --scenario"
                    )
                })?;
                let benchmark = subject::lcbench::time_to_accuracy(network, data_set, *cutoff)?;
                Drawn { benchmark, cutoff: Some(*cutoff), best_cost: 1.0, bound: None }
            }
            Target::Solver(solver, cutoff, text) => {
                let [training, test] = SOLVER_SEEDS;
                let count = training.clone().count();
                let texts: Vec<String> = training.chain(test).map(text).collect();
                let benchmark = subject::solver::on(solver, &texts, count, *cutoff)?.with_context(|| {
                    let Self { name, .. } = self;
                    let Solver { program, .. } = solver;
                    format!("{name} needs `{program}`: install it, or choose other scenarios with --scenario")
                })?;
                Drawn { benchmark, cutoff: Some(*cutoff), best_cost: 1.0, bound: None }
            }
            Target::Saps(class, training, test, cutoff) => {
                let benchmark = subject::saps::on(class, training, test)?;
                Drawn { benchmark, cutoff: Some(*cutoff), best_cost: 1.0, bound: None }
            }
        };
        let mut objective = cutoff.map_or_else(Objective::uncapped, Objective::capped);
        objective.constraints.extend(bound.map(|bound| Constraint::new(bound, Over::Mean)));
        let checksum = benchmark.checksum;
        Ok((Arena::new(self.name, benchmark, objective, self.runs, checksum)?, best_cost))
    }
}
