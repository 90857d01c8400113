//! What random configurations cost: for choosing instances and cutoffs, without any configurator.

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

/// Prints a line for each scenario: the default and so many random configurations on the training instances.
pub(super) fn print(scenarios: &[Scenario], network: Option<&Arc<Network>>, count: usize) -> Result<()> {
    println!(
        "| scenario | checksum | instances | default | default's timeouts | best of {count} random | q10 | q25 | median \
         | q75 | timeouts | crashes | CPU of the default's trial, ms | of a random one's |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for &scenario in scenarios {
        match subject(&scenario, network)? {
            // The checksum is what is to be found out.
            Opened::Ready(known) => {
                let scenario = Scenario { checksum: known.checksum, ..scenario };
                line(&scenario, &arena(&scenario, known)?, count)?;
            }
            Opened::Skipped(why) => println!("| {} | skipped: {why} |", scenario.name),
        }
    }
    Ok(())
}

/// Trials of one configuration.
struct Seen {
    mean: f64,
    timeouts: usize,
    crashes: usize,
    cpu: f64,
}

fn line(scenario: &Scenario, arena: &Arena, count: usize) -> Result<()> {
    let known = &arena.known;
    // As many pairs for each, also where one instance is all there is.
    let seeds = if known.deterministic { 1 } else { 10u32.div_ceil(known.training) };
    let pairs: Vec<Pair> = (0..known.training)
        .flat_map(|instance| {
            (1..=seeds).map(move |seed| Pair { instance: InstanceId(instance), seed: Seed(seed) })
        })
        .collect();
    // Of trials in this thread and of those that are programs.
    let cpu = || clock::cpu() + command::cpu();
    let try_out = |configuration: &Configuration| -> Seen {
        let begin = cpu();
        let answers: Vec<_> =
            pairs.iter().map(|&pair| arena.answer(configuration, pair, arena.cutoff())).collect();
        let finished = |status: Status| answers.iter().filter(move |it| it.status == status);
        Seen {
            mean: {
                let mut sums = Sums::new(arena);
                answers.iter().for_each(|answer| sums.add(answer));
                sums.tested().cost
            },
            timeouts: finished(Status::Finished).filter(|it| it.cost > arena.cutoff()).count(),
            crashes: finished(Status::Crashed).count(),
            cpu: (cpu() - begin) / pairs.len() as f64,
        }
    };
    let default = try_out(&known.space.default_configuration());
    let mut rng = Rng::new(1, "calibration", 0);
    let seen: Vec<Seen> =
        (0..count).map(|_| Ok(try_out(&known.space.sample(&mut rng)?))).collect::<Result<_>>()?;
    let means = Quantiles::of(seen.iter().map(|it| it.mean).collect());
    let all = (count * pairs.len()) as f64;
    let share = |of: fn(&Seen) -> usize| 100.0 * seen.iter().map(of).sum::<usize>() as f64 / all;
    println!(
        "| {} | {:#018x} | {} + {} | {:.4} | {} of {} | {:.4} | {:.4} | {:.4} | {:.4} | {:.4} | {:.1} % | {:.1} % | {:.1} | \
         {:.1} |",
        scenario.name,
        scenario.checksum,
        known.training,
        known.test,
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
        1e3 * seen.iter().map(|it| it.cpu).sum::<f64>() / count as f64,
    );
    Ok(())
}
