//! Measures the time that the optimizer itself takes, with trials that take no time.
//!
//! `rate` shows the optimizer's share of the wall time of a whole campaign.

use anyhow::{Result, bail};
use clap::Args;
use engine::history::History;
use engine::{Ask, Objective, Observation, TrialRequest};
use targets::World;
use targets::worlds::{Kind, mixed_space};

use super::stage::{answer, settings};
use crate::clock::cpu;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of trials
    #[arg(long, default_value_t = 200_000)]
    trials: usize,
    /// Numbers of trials in flight; each number simulates as many workers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 64])]
    workers: Vec<usize>,
    /// Number of instances
    #[arg(long, default_value_t = 20)]
    instances: u32,
}

const CUTOFF: f64 = 100.0;

/// Returns the observation of a trial in a world, up to its cap.
fn observe(world: &World, request: &TrialRequest) -> Observation {
    let (cost, cap) = (answer(world, request).cost, request.cap.cost());
    match cost {
        cost if cost <= cap => Observation::finished(cost),
        _ if cap >= CUTOFF => Observation::timeout(cap),
        _ => Observation::capped(cap),
    }
}

/// A trial in flight, with the observation at its end.
struct InFlight {
    start: f64,
    request: TrialRequest,
    observation: Observation,
}

impl InFlight {
    fn new(world: &World, start: f64, request: TrialRequest) -> Self {
        Self { start, observation: observe(world, &request), request }
    }

    fn end(&self) -> f64 {
        self.start + self.observation.spent()
    }
}

/// Measures every number of workers, and prints a row after a hundredth, a tenth and all of the trials.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!("| workers | trials | configurations | incumbent's pairs | us per ask and tell | per second |");
    println!("|---|---|---|---|---|---|");
    for &workers in &arguments.workers {
        let space = mixed_space();
        let world = World::new(Kind::Noisy, &space, arguments.instances, 1);
        let settings = settings(&space, arguments.instances, Objective::capped(CUTOFF), 1);
        let mut optimizer = settings.optimizer(History::new(), None)?;
        let mut in_flight: Vec<InFlight> = Vec::new();
        let mut now = 0.0;
        let (mut ended, mut spent, mut counted) = (0, 0.0, 0);
        let mut next_row = arguments.trials / 100;
        while ended < arguments.trials {
            let begin = cpu();
            while in_flight.len() < workers {
                match optimizer.ask(workers - in_flight.len()) {
                    Ask::Run(request) => in_flight.push(InFlight::new(&world, now, request)),
                    Ask::Tighten(id, cap) => {
                        for it in in_flight.iter_mut().filter(|it| it.request.id == id) {
                            let request = TrialRequest { cap, ..it.request.clone() };
                            *it = InFlight::new(&world, it.start, request);
                        }
                    }
                    // A cancellation is ignored, because the trial soon ends at its cap.
                    Ask::Cancel(_) => {}
                    Ask::Wait | Ask::Done(_) => break,
                }
            }
            spent += cpu() - begin;
            let order = |a: &usize, b: &usize| in_flight[*a].end().total_cmp(&in_flight[*b].end());
            let Some(first) = (0..in_flight.len()).min_by(order) else {
                bail!("the optimizer has no trial to run after {ended} trials");
            };
            let trial = in_flight.swap_remove(first);
            now = trial.end();
            let begin = cpu();
            optimizer.tell(trial.request.id, trial.observation)?;
            spent += cpu() - begin;
            (ended, counted) = (ended + 1, counted + 1);
            if ended >= next_row {
                let each = spent / counted as f64;
                println!(
                    "| {workers} | {ended} | {} | {} | {:.1} | {:.0} |",
                    optimizer.history().configurations().len(),
                    optimizer.incumbent_pairs(),
                    1e6 * each,
                    1.0 / each,
                );
                (spent, counted) = (0.0, 0);
                next_row *= 10;
            }
        }
    }
    Ok(())
}
