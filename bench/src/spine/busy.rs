//! Measures the share of the workers' time that is spent on trials, with costs that span three orders of
//! magnitude.

use anyhow::Result;
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger};
use clap::Args;
use engine::{Objective, TrialRequest};
use execution::executor::{Inbox, Simulated};
use targets::World;
use targets::worlds::{Kind, mixed_space};

use super::stage::{answer, settings};
use crate::clock::cpu;
use crate::quantiles::Quantiles;
use crate::seeds::range;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Random seeds for the campaigns and worlds, as FIRST-LAST
    #[arg(long, default_value = "1-20")]
    seeds: String,
    /// Number of simulated workers
    #[arg(long, default_value_t = 64)]
    workers: usize,
    /// Simulated seconds per campaign
    #[arg(long, default_value_t = 100_000.0)]
    wall: f64,
    /// Number of instances
    #[arg(long, default_value_t = 20)]
    instances: u32,
}

/// Largest cost; the smallest is 1.
const CUTOFF: f64 = 5000.0;

/// Measures every seed and prints a row for each.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| seed | busy | trials | capped | configurations | incumbent's pairs | CPU s of the campaign loop |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut shares = Vec::new();
    for seed in range(&arguments.seeds)? {
        let space = mixed_space();
        let world = World::new(Kind::LogUniform, &space, arguments.instances, seed);
        let mut settings = settings(&space, arguments.instances, Objective::capped(CUTOFF), seed);
        settings.budget = Budget { wall: Some(arguments.wall), ..Budget::default() };
        let oracle = move |request: &TrialRequest| answer(&world, request);
        let mut executor = Simulated::new(Box::new(oracle), Some(CUTOFF), arguments.workers, 0.0);
        let begin = cpu();
        let mut campaign =
            Campaign::new(&settings, Desk::new(&mut executor, Inbox::new()), Ledger::in_memory(), None)?;
        campaign.search(&mut |_| {})?;
        let progress = campaign.progress();
        drop(campaign);
        shares.push(executor.busy_share());
        println!(
            "| {seed} | {:.2} % | {} | {} | {} | {} | {:.2} |",
            100.0 * executor.busy_share(),
            progress.counts.iter().sum::<u64>(),
            progress.count(engine::Status::Capped),
            progress.configurations,
            progress.best.pairs,
            cpu() - begin,
        );
    }
    let shares = Quantiles::of(shares);
    println!("\nMinimum {:.2} %, median {:.2} %.", 100.0 * shares.at(0.0), 100.0 * shares.median());
    Ok(())
}
