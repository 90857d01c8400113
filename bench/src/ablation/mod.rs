//! Variants of the search and the races, each with other settings, on scenarios that are not in the public list: how
//! defaults are chosen. Campaigns that the file of rows has are not run again.
//!
//! | file | subject |
//! |---|---|
//! | `scenarios` | what variants are tried on |
//! | `terrain` | landscapes drawn from a seed |
//! | `variant` | settings by words on the command line |
//! | `row` | one campaign in a file |
//! | `table` | the variants beside the first |

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

use crate::contest::captune::run;
use crate::rows;
use crate::seeds::range;
use row::{CHECKPOINTS, Row};
use scenarios::Scenario;
use variant::Variant;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Settings to change, as KEY=VALUE,KEY=VALUE; `usual` changes none. Each variant is compared with the first
    #[arg(required = true)]
    variants: Vec<String>,
    /// Scenarios whose names begin with one of these; all if none is given
    #[arg(long = "scenario", value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Random seeds of campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-10")]
    seeds: String,
    /// Campaigns at one time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The file of rows, one for each campaign, all of one version of captune
    #[arg(long, default_value = "ablation.csv")]
    rows: PathBuf,
    /// Run nothing: print the tables of the rows that there are
    #[arg(long)]
    print: bool,
}

/// Runs what the file of rows does not have, then prints what it has.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let wanted = |scenario: &&Scenario| {
        arguments.scenarios.is_empty()
            || arguments.scenarios.iter().any(|it| scenario.name.starts_with(it.as_str()))
    };
    let scenarios: Vec<&Scenario> = scenarios::ALL.iter().filter(wanted).collect();
    ensure!(!scenarios.is_empty(), "no scenario begins with {}", arguments.scenarios.join(" or "));
    let variants = arguments.variants.iter().map(|text| Variant::of(text)).collect::<Result<Vec<_>>>()?;
    if !arguments.print {
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
            |(scenario, variant, seed)| Ok(run_one(scenario, variant, seed)?.line()),
        )?;
    }
    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name).collect();
    println!("{}", table::text(&row::read(&arguments.rows)?, &names, &arguments.variants));
    Ok(())
}

fn run_one(scenario: &Scenario, variant: &Variant, seed: u64) -> Result<Row> {
    let (arena, least) = scenario.arena(seed)?;
    let arena = Arc::new(arena);
    let budget = Budget { trials: CHECKPOINTS.last().copied(), ..Budget::default() };
    let course = run(&arena, &budget, seed, |settings| variant.apply(settings))?;
    let best_tried = if scenario.is_cheap() {
        course.tried.iter().map(|one| arena.evaluate(one)).fold(f64::INFINITY, f64::min) / least
    } else {
        f64::NAN
    };
    Ok(Row {
        scenario: scenario.name.to_owned(),
        variant: variant.name.clone(),
        seed,
        tried: course.tried.len() as f64,
        pairs: course.pairs.unwrap_or(0) as f64,
        thinking: course.thinking.unwrap_or(0.0),
        best_tried,
        costs: CHECKPOINTS.map(|trials| arena.evaluate(course.after(trials)) / least),
    })
}
