//! The simulations of J. Gardner, M. Kusner, Z. Xu, K. Weinberger, J. Cunningham, Bayesian Optimization with
//! Inequality Constraints, 2014: 30 evaluations on [0, 6]², as whole campaigns in simulated time.
//!
//! | simulation | cost | feasible where | best | range of the cost |
//! |---|---|---|---|---|
//! | sim1 | cos 2x cos y + sin x | cos x cos y - sin x sin y <= 0.5, as printed | -2 | 4 |
//! | sim1b | the same | ... <= -0.5, as the paper's text has it | -1.8887 | 4 |
//! | sim2 | sin x + y | sin x sin y <= -0.95 | 0.2532 | 8 |
//!
//! Reached: a feasible cost within 1 % of the range above the best.

use std::path::PathBuf;

use anyhow::{Context, Result};
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger, Search};
use clap::Args;
use engine::problem::{Constraint, Over};
use engine::propose::Learner;
use engine::{Configuration, Objective, TrialRequest};
use execution::executor::{Answer, Inbox, Simulated};
use space::format::{Format, read};

use crate::contest::captune::learning;
use crate::plot::{Field, Frame, Mark, panels};
use crate::quantiles::Quantiles;
use crate::seeds::range;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Seeds, as FIRST-LAST
    #[arg(long, default_value = "0-49")]
    seeds: String,
    /// A file for all places that the constrained search has evaluated, as JSON: seeds by simulation
    #[arg(long)]
    traces: Option<PathBuf>,
    /// The file of pictures to write
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

/// How places are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Uniform,
    /// By a Gaussian process of the cost alone.
    Blind,
    Constrained,
}

const WAYS: [(&str, Way); 3] =
    [("uniform", Way::Uniform), ("without the constraint", Way::Blind), ("constrained", Way::Constrained)];

/// The places evaluated, in their order.
fn trace(simulation: &Simulation, way: Way, seed: u64) -> Result<Vec<(f64, f64)>> {
    let text = format!("x = {{ float = [0, {SIDE}] }}\ny = {{ float = [0, {SIDE}] }}\n");
    let space = read(&text, "square", Format::Toml)?;
    let mut objective = Objective::uncapped();
    if way == Way::Constrained {
        objective.constraints.push(Constraint::new(simulation.bound, Over::Mean));
    }
    let mut settings = settings(&space, 1, objective, seed);
    settings.racing.deterministic = true;
    settings.search = if way == Way::Uniform { Search::Random } else { learning(Learner::Gaussian) };
    settings.budget = Budget { trials: Some(EVALUATIONS), ..Budget::default() };
    let (cost, output) = (simulation.cost, simulation.output);
    let constrained = way == Way::Constrained;
    let oracle = move |request: &TrialRequest| {
        let (x, y) = place(&request.configuration);
        let constraints = if constrained { vec![output(x, y)] } else { Vec::new() };
        Answer { constraints, time: 1.0, ..Answer::finished(cost(x, y)) }
    };
    let executor = Simulated::new(Box::new(oracle), None, 1, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    campaign.search(&mut |_| {})?;
    let history = campaign.optimizer().history();
    Ok(history.trials().iter().map(|trial| place(history.configuration(trial.key.config))).collect())
}

fn place(configuration: &Configuration) -> (f64, f64) {
    let row = configuration.space().encode(configuration);
    (SIDE * row[0], SIDE * row[1])
}

impl Simulation {
    fn is_feasible(&self, (x, y): (f64, f64)) -> bool {
        (self.output)(x, y) <= self.bound
    }

    /// The best feasible cost, and the number of the evaluation that reached the best.
    fn score(&self, places: &[(f64, f64)]) -> (f64, Option<usize>) {
        let (mut best, mut reached) = (f64::INFINITY, None);
        for (number, &(x, y)) in places.iter().enumerate().filter(|(_, place)| self.is_feasible(**place)) {
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
        let outside = all.iter().filter(|place| !self.is_feasible(**place)).count() as f64 / all.len() as f64;
        format!(
            "| {} | {name} | {feasible:.0} % | {best:.4} | {reached:.0} % | {} | {:.0} % |",
            self.name,
            if when.is_finite() { format!("{when:.0}") } else { "-".to_owned() },
            100.0 * outside
        )
    }

    fn field(&self, name: &str, places: &[(f64, f64)]) -> Field {
        let of = |feasible: bool| -> Vec<(f64, f64)> {
            places.iter().copied().filter(|place| self.is_feasible(*place) == feasible).collect()
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

    /// Places next to which the constraint begins to hold.
    fn border(&self) -> Vec<(f64, f64)> {
        const STEPS: u32 = 150;
        let at =
            |i: u32, j: u32| (SIDE * f64::from(i) / f64::from(STEPS), SIDE * f64::from(j) / f64::from(STEPS));
        let places = (0..STEPS).flat_map(|i| (0..STEPS).map(move |j| (i, j)));
        places
            .filter(|&(i, j)| {
                let own = self.is_feasible(at(i, j));
                own != self.is_feasible(at(i + 1, j)) || own != self.is_feasible(at(i, j + 1))
            })
            .map(|(i, j)| at(i, j))
            .collect()
    }
}

/// Searches, prints a table, and draws where the first seed has looked.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| simulation | search | feasible | median best | reached | median evaluation of that | evaluations outside |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut fields = Vec::new();
    let mut found = Vec::new();
    for simulation in &SIMULATIONS {
        for (name, way) in WAYS {
            let seeds = range(&arguments.seeds)?;
            let traces = seeds.map(|seed| trace(simulation, way, seed)).collect::<Result<Vec<_>>>()?;
            println!("{}", simulation.row(name, &traces));
            if simulation.name != "sim1" {
                fields.push(simulation.field(name, &traces[0]));
            }
            if way == Way::Constrained {
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
    let places = |trace: &Vec<(f64, f64)>| {
        let places: Vec<String> = trace.iter().map(|(x, y)| format!("[{x},{y}]")).collect();
        format!("[{}]", places.join(","))
    };
    format!("[{}]", traces.iter().map(places).collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_a_grid_is_the_one_told() {
        for simulation in &SIMULATIONS {
            let at = |i: u32| SIDE * f64::from(i) / 600.0;
            let places: Vec<(f64, f64)> =
                (0..=600).flat_map(|i| (0..=600).map(move |j| (at(i), at(j)))).collect();
            let (best, reached) = simulation.score(&places);
            assert!(
                (best - simulation.best).abs() < 0.01 && reached.is_some(),
                "{}: {best}",
                simulation.name
            );
        }
    }
}
