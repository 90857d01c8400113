//! Measures the time in which several workers reach the final quality of one worker.
//!
//! Quality is the true mean cost of the incumbent, computed from the function's formula. One worker runs for
//! a time T and then has quality q. The time of several workers is the time at which they first have quality
//! q or better. One worker usually reaches q before T, so the time of several workers is compared both with T
//! and with the time at which one worker first had quality q.

use anyhow::Result;
use campaign::budget::Budget;
use campaign::event::What;
use campaign::{Campaign, Desk, Ledger, Search, Settings};
use clap::{Args, ValueEnum};
use engine::{Objective, TrialRequest};
use execution::executor::{Answer, Inbox, Simulated};
use targets::Function;

use super::stage::settings;
use crate::quantiles::Quantiles;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Random seeds, as FIRST-LAST
    #[arg(long, default_value = "1-100")]
    seeds: String,
    /// Simulated seconds for which one worker runs
    #[arg(long, default_value_t = 3000.0)]
    wall: f64,
    /// Numbers of workers to compare with one worker
    #[arg(long, value_delimiter = ',', default_values_t = [2, 8, 64])]
    workers: Vec<usize>,
    /// Searches to run
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Proposer::Random, Proposer::Local])]
    search: Vec<Proposer>,
    /// Number of instances
    #[arg(long, default_value_t = 10)]
    instances: u32,
}

/// The ways to propose configurations.
#[derive(Clone, Copy, ValueEnum)]
enum Proposer {
    Random,
    Local,
}

const CUTOFF: f64 = 60.0;

/// Returns the time at which each incumbent was found, with its true mean cost.
fn trajectory(settings: &Settings, function: Function, workers: usize) -> Result<Vec<(f64, f64)>> {
    let cost = move |request: &TrialRequest| {
        let pair = request.key.pair;
        Answer::finished(function.cost(&request.configuration, pair.instance.0, u64::from(pair.seed.0)))
    };
    let executor = Simulated::new(Box::new(cost), Some(CUTOFF), workers, 0.0);
    let mut campaign = Campaign::new(settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    let mut trajectory = vec![(0.0, function.value(&settings.problem.default))];
    let mut incumbents = Vec::new();
    campaign.search(&mut |event| {
        if let What::NewIncumbent(new) = &event.what {
            incumbents.push((event.at, new.config));
        }
    })?;
    let history = campaign.optimizer().history();
    trajectory.extend(
        incumbents.into_iter().map(|(at, config)| (at, function.value(history.configuration(config)))),
    );
    Ok(trajectory)
}

/// Returns the time at which a trajectory first has this quality, or infinity if it never does.
fn reached(trajectory: &[(f64, f64)], quality: f64) -> f64 {
    trajectory.iter().find(|&&(_, value)| value <= quality).map_or(f64::INFINITY, |&(at, _)| at)
}

/// Measures both functions with every number of workers.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| function | search | workers | time / total time of one worker: p25 | median | p75 \
         | time / time one worker needed: median | never |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for function in [Function::Hartmann3, Function::Hartmann6] {
        for &search in &arguments.search {
            let (search, word) = match search {
                Proposer::Random => (Search::Random, "random"),
                Proposer::Local => (Search::Local, "local"),
            };
            let mut shares = vec![(Vec::new(), Vec::new()); arguments.workers.len()];
            for seed in range(&arguments.seeds)? {
                let objective = Objective::capped(CUTOFF);
                let mut settings = settings(&function.space(), arguments.instances, objective, seed);
                settings.search = search.clone();
                settings.budget = Budget { wall: Some(arguments.wall), ..Budget::default() };
                let alone = trajectory(&settings, function, 1)?;
                let Some(&(_, quality)) = alone.last() else { continue };
                let first = reached(&alone, quality);
                for (&workers, (of_all, of_first)) in arguments.workers.iter().zip(&mut shares) {
                    let time = reached(&trajectory(&settings, function, workers)?, quality);
                    of_all.push(time / arguments.wall);
                    of_first.push(time / first);
                }
            }
            for (workers, (of_all, of_first)) in arguments.workers.iter().zip(shares) {
                let never = of_all.iter().filter(|share| share.is_infinite()).count();
                let (of_all, of_first) = (Quantiles::of(of_all), Quantiles::of(of_first));
                println!(
                    "| {function:?} | {word} | {workers} | {:.2} | {:.2} | {:.2} | {:.2} | {never} |",
                    of_all.at(0.25),
                    of_all.median(),
                    of_all.at(0.75),
                    of_first.median(),
                );
            }
        }
    }
    Ok(())
}
