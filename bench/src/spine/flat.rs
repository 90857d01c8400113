//! Runs campaigns in a world where all configurations are equally good, so that every claimed improvement is
//! false.

use anyhow::Result;
use campaign::budget::Budget;
use campaign::validation::conclude;
use campaign::{Campaign, Desk, Ledger};
use clap::Args;
use engine::stats::{Claim, CostVerdict};
use engine::{InstanceId, Objective, TrialRequest};
use execution::executor::{Inbox, Simulated};
use targets::World;
use targets::worlds::{Kind, mixed_space};

use super::stage::{answer, percent, settings};
use crate::quantiles::Quantiles;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of campaigns, each in its own world
    #[arg(long, default_value_t = 200)]
    campaigns: u64,
    /// Number of trials in each search
    #[arg(long, default_value_t = 300)]
    trials: u64,
    /// Number of simulated workers
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// Number of training instances
    #[arg(long, default_value_t = 10)]
    training: u32,
    /// Number of unseen instances
    #[arg(long, default_value_t = 20)]
    unseen: u32,
    /// Cutoff in seconds
    #[arg(long, default_value_t = 100.0)]
    cutoff: f64,
}

/// Returns the verdict of one campaign; `None` if it keeps the default.
fn verdict(arguments: &Arguments, seed: u64) -> Result<Option<CostVerdict>> {
    let space = mixed_space();
    let world = World::new(Kind::Flat, &space, arguments.training + arguments.unseen, seed);
    let mut settings = settings(&space, arguments.training, Objective::capped(arguments.cutoff), seed);
    settings.budget = Budget { trials: Some(arguments.trials), ..Budget::default() };
    let oracle = move |request: &TrialRequest| answer(&world, request);
    let executor = Simulated::new(Box::new(oracle), Some(arguments.cutoff), arguments.workers, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    campaign.search(&mut |_| {})?;
    let names = |id: InstanceId| id.to_string();
    let concluded = conclude(&mut campaign, &settings, arguments.unseen, &names, &[], &mut |_| {})?;
    Ok(concluded.verdict.map(|judged| judged.verdict))
}

/// Counts and prints the claims.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let (mut claims, mut kept, mut carried) = ([0; 3], 0, 0);
    let (mut training, mut unseen) = (Vec::new(), Vec::new());
    for seed in 1..=arguments.campaigns {
        let Some(verdict) = verdict(arguments, seed)? else {
            kept += 1;
            continue;
        };
        claims[verdict.claim as usize] += 1;
        carried += usize::from(verdict.gain_does_not_carry_over);
        training.extend(verdict.training_ratio);
        unseen.push(verdict.comparison.ratio);
    }
    let all = arguments.campaigns as usize;
    println!("| verdict | campaigns | share |\n|---|---|---|");
    for (words, count) in [
        ("faster (false)", claims[Claim::Faster as usize]),
        ("slower (false)", claims[Claim::Slower as usize]),
        ("nothing reliable", claims[Claim::NothingReliable as usize]),
        ("default kept", kept),
        ("the gain does not carry over", carried),
    ] {
        println!("| {words} | {count} | {} |", percent(count, all));
    }
    println!(
        "\nMedian gain in training {:.2}, on unseen instances {:.2}.",
        Quantiles::of(training).median(),
        Quantiles::of(unseen).median()
    );
    Ok(())
}
