//! Campaigns in a world where all configurations are alike: whoever claims an improvement errs.

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
    /// How many campaigns, each in a world of its own
    #[arg(long, default_value_t = 200)]
    campaigns: u64,
    /// Trials of each search
    #[arg(long, default_value_t = 300)]
    trials: u64,
    /// Simulated workers
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// Instances to tune on
    #[arg(long, default_value_t = 10)]
    training: u32,
    /// Unseen instances
    #[arg(long, default_value_t = 20)]
    unseen: u32,
    /// Seconds
    #[arg(long, default_value_t = 100.0)]
    cutoff: f64,
}

/// The verdict of one campaign; `None` if it keeps the default.
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

/// Counts claims.
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
    println!("| what is said | campaigns | share |\n|---|---|---|");
    for (words, count) in [
        ("faster (an error)", claims[Claim::Faster as usize]),
        ("slower (an error)", claims[Claim::Slower as usize]),
        ("nothing reliable", claims[Claim::NothingReliable as usize]),
        ("the default is kept", kept),
        ("the gain does not carry over", carried),
    ] {
        println!("| {words} | {count} | {} |", percent(count, all));
    }
    println!(
        "\nMedian gain in the training {:.2}, on unseen instances {:.2}.",
        Quantiles::of(training).median(),
        Quantiles::of(unseen).median()
    );
    Ok(())
}
