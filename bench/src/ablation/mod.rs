//! Compares variants of the search and race settings, in order to choose defaults. The scenarios are not in
//! the public list. Campaigns whose rows are already in the file are not run again.
//!
//! | file | subject |
//! |---|---|
//! | `scenarios` | the scenarios on which variants are compared |
//! | `terrain` | landscapes drawn from a seed |
//! | `functions` | test functions of global optimization |
//! | `variant` | settings given on the command line |
//! | `row` | one campaign as a row of the file |
//! | `table` | each variant compared with the first |

mod functions;
mod row;
mod scenarios;
mod table;
mod terrain;
mod variant;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, ensure};
use campaign::budget::Budget;
use clap::Args;
use targets::lcbench::Network;

use crate::contest::captune::run;
use crate::rows;
use crate::seeds::range;
use row::{CHECKPOINTS, Row};
use scenarios::Scenario;
use variant::Variant;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Variants as KEY=VALUE,KEY=VALUE, or `usual` for the defaults; each one is compared with the first
    #[arg(required = true)]
    variants: Vec<String>,
    /// Scenarios whose names begin with one of these [default: all]
    #[arg(long = "scenario", value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-10")]
    seeds: String,
    /// Campaigns to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// CSV file with one row per campaign, all from the same version of captune
    #[arg(long, default_value = "ablation.csv")]
    rows: PathBuf,
    /// Exported network of LCBench, needed by the scenarios on it
    #[arg(long)]
    lcbench: Option<PathBuf>,
    /// Run nothing; print the tables for the existing rows
    #[arg(long)]
    print: bool,
}

/// Runs the campaigns whose rows are missing from the file, then prints all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let wanted = |scenario: &&Scenario| {
        arguments.scenarios.is_empty()
            || arguments.scenarios.iter().any(|it| scenario.name.starts_with(it.as_str()))
    };
    let scenarios: Vec<&Scenario> = scenarios::ALL.iter().filter(wanted).collect();
    ensure!(!scenarios.is_empty(), "no scenario name begins with {}", arguments.scenarios.join(" or "));
    let variants = arguments.variants.iter().map(|text| Variant::of(text)).collect::<Result<Vec<_>>>()?;
    if !arguments.print {
        let network = match &arguments.lcbench {
            Some(path) => Some(Arc::new(Network::of_file(path)?)),
            None => None,
        };
        let known = row::read(&arguments.rows)?;
        let mut waiting = VecDeque::new();
        for seed in range(&arguments.seeds)? {
            for &scenario in &scenarios {
                waiting.extend(variants.iter().map(|variant| (scenario, variant, seed)));
            }
        }
        waiting.retain(|(scenario, variant, seed)| {
            let same =
                |row: &Row| row.scenario == scenario.name && row.variant == variant.name && row.seed == *seed;
            !known.iter().any(same)
        });
        rows::measure(
            waiting,
            arguments.threads,
            (&arguments.rows, row::HEAD),
            |(scenario, variant, seed)| Ok(run_one(scenario, variant, seed, network.as_ref())?.line()),
        )?;
    }
    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name).collect();
    println!("{}", table::text(&row::read(&arguments.rows)?, &names, &arguments.variants));
    Ok(())
}

fn run_one(scenario: &Scenario, variant: &Variant, seed: u64, network: Option<&Arc<Network>>) -> Result<Row> {
    let (arena, best_cost) = scenario.arena(seed, network)?;
    let arena = Arc::new(arena);
    let budget = Budget { trials: CHECKPOINTS.last().copied(), ..Budget::default() };
    let trajectory = run(&arena, &budget, seed, |settings| variant.apply(settings))?;
    let best_tried = if scenario.is_cheap() {
        trajectory.tried.iter().map(|one| arena.evaluate(one)).fold(f64::INFINITY, f64::min) / best_cost
    } else {
        f64::NAN
    };
    Ok(Row {
        scenario: scenario.name.to_owned(),
        variant: variant.name.clone(),
        seed,
        tried: trajectory.tried.len() as f64,
        pairs: trajectory.pairs.unwrap_or(0) as f64,
        own_cpu: trajectory.own_cpu.unwrap_or(0.0),
        best_tried,
        costs: CHECKPOINTS.map(|trials| arena.evaluate(trajectory.after(trials)) / best_cost),
    })
}
