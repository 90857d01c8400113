//! Measures the costs of random configurations, to choose instances and cutoffs without running any
//! configurator.

use std::sync::Arc;

use anyhow::Result;
use engine::{Configuration, InstanceId, Pair, Rng, Seed, Status};

use targets::lcbench::Network;

use super::open::{Opened, arena, subject};
use super::scenarios::Scenario;
use crate::clock;
use crate::contest::arena::{Arena, Sums};
use crate::contest::subject::command;
use crate::quantiles::Quantiles;

/// Prints a row per scenario: the default and random configurations on the training instances.
pub(super) fn print(scenarios: &[Scenario], network: Option<&Arc<Network>>, count: usize) -> Result<()> {
    println!(
        "| scenario | checksum | instances | default | default's timeouts | best of {count} random | q10 | q25 | median \
         | q75 | timeouts | crashes | CPU per trial of the default, ms | CPU per random trial, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for &scenario in scenarios {
        match subject(&scenario, network)? {
            // The checksum is not known before calibration.
            Opened::Ready(benchmark) => {
                let scenario = Scenario { checksum: benchmark.checksum, ..scenario };
                line(&scenario, &arena(&scenario, benchmark)?, count)?;
            }
            Opened::Skipped(why) => println!("| {} | skipped: {why} |", scenario.name),
        }
    }
    Ok(())
}

/// Summary of the trials of one configuration.
struct Summary {
    mean: f64,
    timeouts: usize,
    crashes: usize,
    cpu: f64,
}

fn line(scenario: &Scenario, arena: &Arena, count: usize) -> Result<()> {
    let benchmark = &arena.benchmark;
    // Run at least ten pairs, unless the target is deterministic.
    let seeds = if benchmark.deterministic { 1 } else { 10u32.div_ceil(benchmark.training) };
    let pairs: Vec<Pair> = (0..benchmark.training)
        .flat_map(|instance| {
            (1..=seeds).map(move |seed| Pair { instance: InstanceId(instance), seed: Seed(seed) })
        })
        .collect();
    // CPU time of trials in this thread and of trials that run programs.
    let cpu = || clock::cpu() + command::cpu();
    let try_out = |configuration: &Configuration| -> Summary {
        let begin = cpu();
        let answers: Vec<_> =
            pairs.iter().map(|&pair| arena.answer(configuration, pair, arena.cutoff())).collect();
        let with_status = |status: Status| answers.iter().filter(move |it| it.status == status);
        Summary {
            mean: {
                let mut sums = Sums::new(arena);
                answers.iter().for_each(|answer| sums.add(answer));
                sums.tested().cost
            },
            timeouts: with_status(Status::Finished).filter(|it| it.cost > arena.cutoff()).count(),
            crashes: with_status(Status::Crashed).count(),
            cpu: (cpu() - begin) / pairs.len() as f64,
        }
    };
    let default = try_out(&benchmark.space.default_configuration());
    let mut rng = Rng::new(1, "calibration", 0);
    let summaries: Vec<Summary> =
        (0..count).map(|_| Ok(try_out(&benchmark.space.sample(&mut rng)?))).collect::<Result<_>>()?;
    let means = Quantiles::of(summaries.iter().map(|it| it.mean).collect());
    let all = (count * pairs.len()) as f64;
    let share = |of: fn(&Summary) -> usize| 100.0 * summaries.iter().map(of).sum::<usize>() as f64 / all;
    println!(
        "| {} | {:#018x} | {} + {} | {:.4} | {} of {} | {:.4} | {:.4} | {:.4} | {:.4} | {:.4} | {:.1} % | {:.1} % | {:.1} | \
         {:.1} |",
        scenario.name,
        scenario.checksum,
        benchmark.training,
        benchmark.test,
        default.mean,
        default.timeouts,
        pairs.len(),
        means.at(0.0),
        means.at(0.1),
        means.at(0.25),
        means.median(),
        means.at(0.75),
        share(|it| it.timeouts),
        share(|it| it.crashes),
        1e3 * default.cpu,
        1e3 * summaries.iter().map(|it| it.cpu).sum::<f64>() / count as f64,
    );
    Ok(())
}
