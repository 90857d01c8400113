//! What deciding costs: the optimizer alone, told of trials that take no time.
//!
//! `rate` shows its share of the wall time of a whole campaign.

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
    /// Trials to ask for and tell
    #[arg(long, default_value_t = 200_000)]
    trials: usize,
    /// Trials asked for ahead, as with so many workers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 64])]
    workers: Vec<usize>,
    /// Instances
    #[arg(long, default_value_t = 20)]
    instances: u32,
}

const CUTOFF: f64 = 100.0;

/// What a world lets be seen of a trial under its cap.
fn observe(world: &World, request: &TrialRequest) -> Observation {
    let (cost, cap) = (answer(world, request).cost, request.cap.cost());
    match cost {
        cost if cost <= cap => Observation::finished(cost),
        _ if cap >= CUTOFF => Observation::timeout(cap),
        _ => Observation::capped(cap),
    }
}

/// A trial that is out, with how it will end.
struct Out {
    start: f64,
    request: TrialRequest,
    observation: Observation,
}

impl Out {
    fn new(world: &World, start: f64, request: TrialRequest) -> Self {
        Self { start, observation: observe(world, &request), request }
    }

    fn end(&self) -> f64 {
        self.start + self.observation.spent()
    }
}

/// Measures every number of workers, a row for each power of ten.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| workers | trials | configurations | pairs of the incumbent | us per ask and tell | per second |"
    );
    println!("|---|---|---|---|---|---|");
    for &workers in &arguments.workers {
        let space = mixed_space();
        let world = World::new(Kind::Noisy, &space, arguments.instances, 1);
        let settings = settings(&space, arguments.instances, Objective::capped(CUTOFF), 1);
        let mut optimizer = settings.optimizer(History::new(), None)?;
        let mut out: Vec<Out> = Vec::new();
        let mut now = 0.0;
        let (mut told, mut spent, mut counted) = (0, 0.0, 0);
        let mut next_row = arguments.trials / 100;
        while told < arguments.trials {
            let begin = cpu();
            while out.len() < workers {
                match optimizer.ask(workers - out.len()) {
                    Ask::Run(request) => out.push(Out::new(&world, now, request)),
                    Ask::Tighten(id, cap) => {
                        for it in out.iter_mut().filter(|it| it.request.id == id) {
                            let request = TrialRequest { cap, ..it.request.clone() };
                            *it = Out::new(&world, it.start, request);
                        }
                    }
                    // It ends soon enough, at its cap.
                    Ask::Cancel(_) => {}
                    Ask::Wait | Ask::Done(_) => break,
                }
            }
            spent += cpu() - begin;
            let order = |a: &usize, b: &usize| out[*a].end().total_cmp(&out[*b].end());
            let Some(first) = (0..out.len()).min_by(order) else {
                bail!("the optimizer has nothing to do after {told} trials");
            };
            let ended = out.swap_remove(first);
            now = ended.end();
            let begin = cpu();
            optimizer.tell(ended.request.id, ended.observation)?;
            spent += cpu() - begin;
            (told, counted) = (told + 1, counted + 1);
            if told >= next_row {
                let each = spent / counted as f64;
                println!(
                    "| {workers} | {told} | {} | {} | {:.1} | {:.0} |",
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
