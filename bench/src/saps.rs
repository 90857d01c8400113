//! Measures SAPS on quasigroups with holes: their difficulty for the default and for tuned parameters, and
//! the number of steps per second.
//!
//! Runs that reach the cutoff count as the cutoff, so means over such runs are lower bounds. Times are CPU
//! times of the measuring thread and include loading the formula into the solver.

use anyhow::Result;
use clap::Args;
use targets::saps::{Saps, solve_while};
use targets::{Formula, Quasigroup};

use crate::clock::cpu;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Classes to measure, as ORDER,HOLES
    #[arg(long = "class", default_values = ["22,185", "25,225", "27,262", "30,324"])]
    classes: Vec<String>,
    /// Generator seeds for the formulas, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    formulas: String,
    /// Number of runs on each formula, for the default and for the tuned parameters
    #[arg(long, default_value_t = 10)]
    runs: u64,
    /// Largest number of steps in a run
    #[arg(long, default_value_t = 10_000_000)]
    cutoff: u64,
    /// Parameters to compare with the default, as ALPHA,RHO,PS,WP
    #[arg(long, default_value = "1.271,0.353,0.149,0.0035")]
    tuned: String,
    /// Measure only the default
    #[arg(long)]
    default_only: bool,
    /// Limit in CPU seconds per formula and set of parameters; a run that exceeds it is stopped and not
    /// counted
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
}

/// Runs on one formula with the same parameters.
struct Series {
    steps: Vec<f64>,
    capped: usize,
    seconds: f64,
    /// Steps of all runs, including the one that was not counted.
    total_steps: f64,
}

impl Series {
    fn mean(&self) -> f64 {
        self.steps.iter().sum::<f64>() / self.steps.len() as f64
    }

    /// Returns the standard error of the mean.
    fn error(&self) -> f64 {
        let (mean, n) = (self.mean(), self.steps.len() as f64);
        let square: f64 = self.steps.iter().map(|steps| (steps - mean).powi(2)).sum();
        (square / (n - 1.0).max(1.0) / n).sqrt()
    }

    fn cell(&self) -> String {
        match *self.steps.as_slice() {
            [] => "-".to_owned(),
            [only] => format!("{} (1 run)", thousands(only)),
            _ => {
                let at_least = if self.capped > 0 { "at least " } else { "" };
                format!("{at_least}{} ± {}", thousands(self.mean()), thousands(self.error()))
            }
        }
    }
}

fn cell_or_empty(series: &Option<Series>, cell: &dyn Fn(&Series) -> String) -> String {
    series.as_ref().map(cell).unwrap_or_default()
}

fn thousands(steps: f64) -> String {
    match steps / 1e3 {
        k if k < 10.0 => format!("{k:.1}"),
        k => format!("{k:.0}"),
    }
}

/// Measures every class and prints a table for each.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let seeds = range(&arguments.formulas)?;
    let tuned = parameters(&arguments.tuned)?;
    for class in &arguments.classes {
        println!(
            "\n## Order and holes {class}: thousands of steps, {} runs each, cutoff {}\n",
            arguments.runs,
            thousands(arguments.cutoff as f64)
        );
        println!(
            "| seed | variables | clauses | default | capped | tuned | capped | ratio | M steps per CPU second |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        let (mut defaults, mut others) = (Vec::new(), Vec::new());
        for seed in seeds.clone() {
            let quasigroup: Quasigroup = format!("qwh:{class},{seed}").parse()?;
            let formula = quasigroup.formula();
            let default = series(arguments, &formula, &Saps::default());
            let tuned = (!arguments.default_only).then(|| series(arguments, &formula, &tuned));
            let (total_steps, seconds) = match &tuned {
                Some(tuned) => (default.total_steps + tuned.total_steps, default.seconds + tuned.seconds),
                None => (default.total_steps, default.seconds),
            };
            println!(
                "| {seed} | {} | {} | {} | {} of {} | {} | {} | {} | {:.2} |",
                formula.variables(),
                formula.clause_count(),
                default.cell(),
                default.capped,
                default.steps.len(),
                cell_or_empty(&tuned, &Series::cell),
                tuned.as_ref().map_or("".to_owned(), |tuned| format!(
                    "{} of {}",
                    tuned.capped,
                    tuned.steps.len()
                )),
                cell_or_empty(&tuned, &|tuned| format!("{:.1}", default.mean() / tuned.mean())),
                total_steps / seconds / 1e6
            );
            defaults.push(default.mean());
            others.extend(tuned.map(|tuned| tuned.mean()));
        }
        let mean = |means: &[f64]| means.iter().sum::<f64>() / means.len() as f64;
        let default = mean(&defaults);
        print!("\nMean over the formulas: default {}", thousands(default));
        if !others.is_empty() {
            let tuned = mean(&others);
            print!(", tuned {}, ratio {:.1}", thousands(tuned), default / tuned);
        }
        println!(".");
    }
    Ok(())
}

/// Runs the solver until the number of runs is reached or the time is up. The first run is never stopped.
fn series(arguments: &Arguments, formula: &Formula, saps: &Saps) -> Series {
    let mut series = Series { steps: Vec::new(), capped: 0, seconds: 0.0, total_steps: 0.0 };
    let start = cpu();
    for seed in 1..=arguments.runs {
        let is_first = seed == 1;
        let outcome = solve_while(formula, saps, seed, arguments.cutoff, |_| {
            is_first || cpu() - start < arguments.seconds
        });
        series.total_steps += outcome.steps as f64;
        series.seconds = cpu() - start;
        let is_capped = outcome.solved.is_none();
        if is_capped && outcome.steps < arguments.cutoff {
            break;
        }
        series.steps.push(outcome.steps as f64);
        series.capped += usize::from(is_capped);
    }
    series
}

fn parameters(text: &str) -> Result<Saps> {
    let numbers = text.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let [alpha, rho, ps, wp] = *numbers else { anyhow::bail!("`{text}` is not ALPHA,RHO,PS,WP") };
    let saps = Saps { alpha, rho, ps, wp };
    saps.check()?;
    Ok(saps)
}
