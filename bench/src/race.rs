//! Measures the optimizer's time per trial (ask and tell) while the history grows.
//!
//! Two simulated workers run trials of a made-up solver with the four parameters of SAPS. The solver's cost
//! is the exponential of a quadratic bowl in the parameters, times a lognormal factor for the instance and
//! one for the seed. The measured times include the simulation itself.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use clap::Args;
use engine::history::History;
use engine::propose::LocalSearch;
use engine::racing::CappedRacer;
use engine::{Ask, Objective, Observation, Optimizer, Problem, Racing, Rng, Status, TrialId, TrialRequest};
use rustix::time::{ClockId, clock_gettime};
use space::format::{Format, read};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of trials
    #[arg(long, default_value_t = 300_000)]
    trials: usize,
    /// Number of simulated workers
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Number of instances
    #[arg(long, default_value_t = 100)]
    instances: u32,
    /// Largest number of pairs that the incumbent runs on
    #[arg(long, default_value_t = 2000)]
    max_pairs: usize,
}

const SPACE: &str = "alpha = { float = [1.01, 1.4], log = true, default = 1.3 }\n\
                     rho = { float = [0.0, 1.0], default = 0.8 }\n\
                     ps = { float = [0.0, 0.2], default = 0.05 }\n\
                     wp = { float = [0.0, 0.06], default = 0.01 }\n";
const CUTOFF: f64 = 10.0;

struct Running {
    request: TrialRequest,
    started: f64,
    cost: f64,
    cap: f64,
}

impl Running {
    fn end(&self) -> f64 {
        self.started + self.cost.min(self.cap)
    }

    fn observation(&self) -> Observation {
        match self.cap {
            cap if self.cost <= cap => Observation::finished(self.cost),
            cap if cap >= CUTOFF => Observation::timeout(cap),
            cap => Observation::capped(cap),
        }
    }
}

fn cost(request: &TrialRequest) -> f64 {
    let codes = request.configuration.codes();
    let off = |code: f64, best: f64, width: f64| ((code - best) / width).powi(2);
    let bowl = off(codes[0], 1.15, 0.2)
        + off(codes[1], 0.5, 0.6)
        + off(codes[2], 0.04, 0.1)
        + off(codes[3], 0.02, 0.03);
    let pair = request.key.pair;
    let instance = Rng::new(1, "instance", u64::from(pair.instance.0)).normal();
    let seed = Rng::new(2, "seed", u64::from(pair.seed.0) ^ u64::from(request.key.config.0) << 32).normal();
    0.1 * (bowl + 0.8 * instance + seed).exp()
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Measures and prints a table in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let space = read(SPACE, "saps", Format::Toml)?;
    let default = space.default_configuration();
    let objective = Objective::capped(CUTOFF);
    let problem =
        Problem { space: space.clone(), default, objective, instances: arguments.instances, seed: 1 };
    let racing = Racing { max_pairs: arguments.max_pairs, ..Racing::default() };
    let mut history = History::new();
    let racer = CappedRacer::new(problem, racing, &mut history);
    let proposer = LocalSearch::new(space, 1);
    let mut optimizer = Optimizer::new(history, Box::new(racer), Box::new(proposer));

    println!("| trials | µs per trial | trials/s | configurations | incumbent's pairs | capped |");
    println!("|---|---|---|---|---|---|");
    let mut running: BTreeMap<TrialId, Running> = BTreeMap::new();
    let (mut now, mut ended, mut since, mut begin) = (0.0, 0usize, 0usize, cpu());
    let mut next_row = 1000;
    while ended < arguments.trials {
        loop {
            match optimizer.ask(arguments.workers - running.len()) {
                Ask::Run(request) => {
                    let (cost, cap) = (cost(&request), request.cap.cost());
                    running.insert(request.id, Running { request, started: now, cost, cap });
                }
                Ask::Tighten(id, cap) => {
                    if let Some(out) = running.get_mut(&id) {
                        out.cap = cap.cost().max(now - out.started);
                    }
                }
                Ask::Cancel(id) => {
                    if let Some(out) = running.remove(&id) {
                        optimizer.tell(id, Observation::capped(now - out.started))?;
                        ended += 1;
                    }
                }
                Ask::Wait | Ask::Done(_) => break,
            }
        }
        let first = running.values().min_by(|a, b| a.end().total_cmp(&b.end()));
        let Some((id, end)) = first.map(|out| (out.request.id, out.end())) else { break };
        let patience = optimizer.patience().map_or(f64::INFINITY, |time| time.max(1e-3));
        if now + patience < end {
            now += patience;
            let reached: Vec<_> = running.iter().map(|(&id, out)| (id, now - out.started)).collect();
            optimizer.elapsed(&reached);
            continue;
        }
        now = end;
        if let Some(out) = running.remove(&id) {
            optimizer.tell(id, out.observation())?;
            ended += 1;
        }
        if ended >= next_row || ended >= arguments.trials {
            let each = (cpu() - begin) / (ended - since) as f64;
            let history = optimizer.history();
            println!(
                "| {ended} | {:.2} | {:.0} | {} | {} | {:.0} % |",
                each * 1e6,
                1.0 / each,
                history.configurations().len(),
                optimizer.incumbent_pairs(),
                100.0 * history.count(Status::Capped) as f64 / ended as f64,
            );
            next_row = if next_row < 100_000 { next_row * 10 } else { next_row + 100_000 };
            (since, begin) = (ended, cpu());
        }
    }
    ensure!(ended >= arguments.trials, "the space was exhausted after {ended} trials");
    Ok(())
}
