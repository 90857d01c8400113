//! The simulations of J. Gardner, M. Kusner, Z. Xu, K. Weinberger, J. Cunningham, Bayesian Optimization with
//! Inequality Constraints, 2014: 30 evaluations on [0, 6]², as whole campaigns in simulated time.
//!
//! | simulation | cost | feasible where | best | range of the cost |
//! |---|---|---|---|---|
//! | sim1 | cos 2x cos y + sin x | cos x cos y - sin x sin y <= 0.5, as printed | -2 | 4 |
//! | sim1b | the same | ... <= -0.5, as in the paper's text | -1.8887 | 4 |
//! | sim2 | sin x + y | sin x sin y <= -0.95 | 0.2532 | 8 |
//!
//! A search has reached the optimum if it has found a feasible point whose cost is at most 1 % of the range
//! above the best cost.

use std::path::PathBuf;

use anyhow::{Context, Result};
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger, Search};
use clap::Args;
use engine::problem::{Constraint, Over};
use engine::propose::Learner;
use engine::{Configuration, Objective, TrialRequest};
use execution::executor::{Answer, Inbox, Simulated};
use report::plot::{Field, Frame, Mark, panels};
use space::format::{Format, read};

use crate::contest::captune::learning;
use crate::quantiles::Quantiles;
use crate::seeds::range;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Random seeds, as FIRST-LAST
    #[arg(long, default_value = "0-49")]
    seeds: String,
    /// File to write all points of the constrained search to, as JSON: for each simulation, a trace per seed
    #[arg(long)]
    traces: Option<PathBuf>,
    /// File to write the plots to
    #[arg(long, default_value = "docs/results/constrained.svg")]
    plot: PathBuf,
}

const EVALUATIONS: u64 = 30;
const SIDE: f64 = 6.0;

type Function = fn(f64, f64) -> f64;

struct Simulation {
    name: &'static str,
    cost: Function,
    output: Function,
    bound: f64,
    best: f64,
    range: f64,
}

const WAVES: Function = |x, y| (2.0 * x).cos() * y.cos() + x.sin();
const DIAGONAL: Function = |x, y| x.cos() * y.cos() - x.sin() * y.sin();

const SIMULATIONS: [Simulation; 3] = [
    Simulation { name: "sim1", cost: WAVES, output: DIAGONAL, bound: 0.5, best: -2.0, range: 4.0 },
    Simulation { name: "sim1b", cost: WAVES, output: DIAGONAL, bound: -0.5, best: -1.8887, range: 4.0 },
    Simulation {
        name: "sim2",
        cost: |x, y| x.sin() + y,
        output: |x, y| x.sin() * y.sin(),
        bound: -0.95,
        best: 0.2532,
        range: 8.0,
    },
];

/// The way in which points are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strategy {
    Uniform,
    /// By a Gaussian process that learns the cost but ignores the constraint.
    Unconstrained,
    Constrained,
}

const STRATEGIES: [(&str, Strategy); 3] = [
    ("uniform", Strategy::Uniform),
    ("without the constraint", Strategy::Unconstrained),
    ("constrained", Strategy::Constrained),
];

/// Runs a search and returns the evaluated points in order.
fn trace(simulation: &Simulation, strategy: Strategy, seed: u64) -> Result<Vec<(f64, f64)>> {
    let text = format!("x = {{ float = [0, {SIDE}] }}\ny = {{ float = [0, {SIDE}] }}\n");
    let space = read(&text, "square", Format::Toml)?;
    let mut objective = Objective::uncapped();
    if strategy == Strategy::Constrained {
        objective.constraints.push(Constraint::new(simulation.bound, Over::Mean));
    }
    let mut settings = settings(&space, 1, objective, seed);
    settings.racing.deterministic = true;
    settings.search =
        if strategy == Strategy::Uniform { Search::Random } else { learning(Learner::Gaussian) };
    settings.budget = Budget { trials: Some(EVALUATIONS), ..Budget::default() };
    let (cost, output) = (simulation.cost, simulation.output);
    let constrained = strategy == Strategy::Constrained;
    let oracle = move |request: &TrialRequest| {
        let (x, y) = point(&request.configuration);
        let constraints = if constrained { vec![output(x, y)] } else { Vec::new() };
        Answer { constraints, time: 1.0, ..Answer::finished(cost(x, y)) }
    };
    let executor = Simulated::new(Box::new(oracle), None, 1, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    campaign.search(&mut |_| {})?;
    let history = campaign.optimizer().history();
    Ok(history.trials().iter().map(|trial| point(history.configuration(trial.key.config))).collect())
}

fn point(configuration: &Configuration) -> (f64, f64) {
    let row = configuration.space().encode(configuration);
    (SIDE * row[0], SIDE * row[1])
}

impl Simulation {
    fn is_feasible(&self, (x, y): (f64, f64)) -> bool {
        (self.output)(x, y) <= self.bound
    }

    /// Returns the best feasible cost, and the number of the first evaluation that reached the optimum.
    fn score(&self, points: &[(f64, f64)]) -> (f64, Option<usize>) {
        let (mut best, mut reached) = (f64::INFINITY, None);
        for (number, &(x, y)) in points.iter().enumerate().filter(|(_, point)| self.is_feasible(**point)) {
            best = best.min((self.cost)(x, y));
            if reached.is_none() && best <= self.best + 0.01 * self.range {
                reached = Some(number + 1);
            }
        }
        (best, reached)
    }

    fn row(&self, name: &str, traces: &[Vec<(f64, f64)>]) -> String {
        let scores: Vec<(f64, Option<usize>)> = traces.iter().map(|trace| self.score(trace)).collect();
        let share = |count: usize| 100.0 * count as f64 / traces.len() as f64;
        let feasible = share(scores.iter().filter(|(best, _)| best.is_finite()).count());
        let reached = share(scores.iter().filter(|(_, reached)| reached.is_some()).count());
        let numbers = scores.iter().map(|(_, reached)| reached.map_or(f64::INFINITY, |number| number as f64));
        let when = Quantiles::of(numbers.collect()).median();
        let best = Quantiles::of(scores.iter().map(|(best, _)| *best).collect()).median();
        let all = traces.concat();
        let outside = all.iter().filter(|point| !self.is_feasible(**point)).count() as f64 / all.len() as f64;
        format!(
            "| {} | {name} | {feasible:.0} % | {best:.4} | {reached:.0} % | {} | {:.0} % |",
            self.name,
            if when.is_finite() { when.to_string() } else { "-".to_owned() },
            100.0 * outside
        )
    }

    fn field(&self, name: &str, points: &[(f64, f64)]) -> Field {
        let of = |feasible: bool| -> Vec<(f64, f64)> {
            points.iter().copied().filter(|point| self.is_feasible(*point) == feasible).collect()
        };
        Field {
            title: format!("{}, {name}", self.name),
            marks: vec![
                (2, Mark::Dots(self.border())),
                (1, Mark::Dots(of(false))),
                (0, Mark::Dots(of(true))),
            ],
        }
    }

    /// Returns points on the border of the feasible region.
    fn border(&self) -> Vec<(f64, f64)> {
        const STEPS: u32 = 150;
        let at =
            |i: u32, j: u32| (SIDE * f64::from(i) / f64::from(STEPS), SIDE * f64::from(j) / f64::from(STEPS));
        let points = (0..STEPS).flat_map(|i| (0..STEPS).map(move |j| (i, j)));
        points
            .filter(|&(i, j)| {
                let own = self.is_feasible(at(i, j));
                own != self.is_feasible(at(i + 1, j)) || own != self.is_feasible(at(i, j + 1))
            })
            .map(|(i, j)| at(i, j))
            .collect()
    }
}

/// Runs all searches, prints a table, and plots the points of the first seed.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| simulation | search | feasible found | median best cost | reached | median evaluations to reach | infeasible \
         evaluations |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut fields = Vec::new();
    let mut found = Vec::new();
    for simulation in &SIMULATIONS {
        for (name, strategy) in STRATEGIES {
            let seeds = range(&arguments.seeds)?;
            let traces = seeds.map(|seed| trace(simulation, strategy, seed)).collect::<Result<Vec<_>>>()?;
            println!("{}", simulation.row(name, &traces));
            if simulation.name != "sim1" {
                fields.push(simulation.field(name, &traces[0]));
            }
            if strategy == Strategy::Constrained {
                found.push(format!("\"{}\": {}", simulation.name, json(&traces)));
            }
        }
    }
    if let Some(path) = &arguments.traces {
        let text = format!("{{{}}}\n", found.join(",\n"));
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let frame = Frame {
        names: ["feasible", "infeasible", "border"].map(str::to_owned).to_vec(),
        labels: ["x".to_owned(), "y".to_owned()],
        ranges: [[0.0, SIDE], [0.0, SIDE]],
        columns: 3,
    };
    std::fs::write(&arguments.plot, panels(&frame, &fields))
        .with_context(|| format!("cannot write {}", arguments.plot.display()))
}

fn json(traces: &[Vec<(f64, f64)>]) -> String {
    let points = |trace: &Vec<(f64, f64)>| {
        let points: Vec<String> = trace.iter().map(|(x, y)| format!("[{x},{y}]")).collect();
        format!("[{}]", points.join(","))
    };
    format!("[{}]", traces.iter().map(points).collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_optimum_is_the_best_of_a_grid() {
        for simulation in &SIMULATIONS {
            let at = |i: u32| SIDE * f64::from(i) / 600.0;
            let points: Vec<(f64, f64)> =
                (0..=600).flat_map(|i| (0..=600).map(move |j| (at(i), at(j)))).collect();
            let (best, reached) = simulation.score(&points);
            assert!(
                (best - simulation.best).abs() < 0.01 && reached.is_some(),
                "{}: {best}",
                simulation.name
            );
        }
    }
}
