//! Runs trials on several threads, with caps: each thread stops its trial as soon as the cost reaches the
//! cap, and the tuner lowers caps of running trials or cancels them.
//!
//! The cost is the number of steps that a search for a maximum needs, so the example reads no clock. For run
//! times, report seconds instead.
//!
//! `cargo run -p captune --example worker_threads`

#![allow(clippy::print_stdout, reason = "the example prints its results")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use captune::{
    Ask, Cap, Configuration, Format, Outcome, Rng, TrialId, TrialRequest, Tuner, TunerBuilder, read_space,
};

const SPACE: &str = "step = { float = [0.001, 1], log = true, default = 0.005 }\n\
                     restart = { integer = [10, 100_000], log = true, default = 10_000 }\n";
/// The largest number of steps that any trial may need.
pub const CUTOFF: f64 = 200_000.0;
const SLOTS: usize = 4;

/// The state that a running trial shares with the main thread.
#[derive(Default)]
struct Shared {
    /// Number of steps so far.
    steps: AtomicU64,
    /// Number of steps at which the trial stops. The main thread may lower it.
    cap: AtomicU64,
}

impl Shared {
    fn lower(&self, cap: Cap) {
        self.cap.fetch_min(cap.cost() as u64, Relaxed);
    }
}

/// Looks for the maximum of a bumpy function by random steps. Returns whether it was found before the cap.
fn climb(configuration: &Configuration, seed: u64, shared: &Shared) -> Outcome {
    let number = |name| configuration.number(name).unwrap_or(1.0);
    let (step, restart) = (number("step"), number("restart"));
    let mut rng = Rng::new(seed, "climb", 0);
    let height = |x: f64| (20.0 * x).sin() + 2.0 * x;
    let mut x = 0.0;
    loop {
        let steps = shared.steps.fetch_add(1, Relaxed) + 1;
        if height(x) > 2.88 {
            return Outcome::finished(steps as f64);
        }
        if steps >= shared.cap.load(Relaxed) {
            return Outcome::stopped(steps as f64);
        }
        let next = if rng.unit() < 1.0 / restart { rng.unit() } else { x + step * rng.normal() };
        if (0.0..=1.0).contains(&next) && height(next) >= height(x) - 0.02 {
            x = next;
        }
    }
}

/// Returns the settings: 10 instances, which differ only in their random numbers.
pub fn builder(seed: u64) -> Result<TunerBuilder, Box<dyn Error>> {
    let space = read_space(SPACE, "space", Format::Toml)?;
    Ok(Tuner::builder(space).cutoff(CUTOFF).grain(1.0).instances(10).seed(seed))
}

/// Counts of what happened besides finished trials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Orders {
    /// Number of caps that were lowered during a trial.
    pub tightened: usize,
    /// Number of trials that were cancelled.
    pub cancelled: usize,
}

/// Runs trials on [`SLOTS`] threads until this many have ended.
pub fn run(tuner: &mut Tuner, trials: usize) -> Result<Orders, Box<dyn Error>> {
    let (ended, results) = mpsc::channel::<(TrialId, Outcome)>();
    let mut running: BTreeMap<TrialId, Arc<Shared>> = BTreeMap::new();
    let mut orders = Orders::default();
    while tuner.trials() < trials {
        loop {
            match tuner.ask(SLOTS - running.len()) {
                Ask::Run(trial) => {
                    running.insert(trial.id, start(trial, ended.clone()));
                }
                Ask::Tighten(id, cap) => {
                    orders.tightened += 1;
                    running.get(&id).into_iter().for_each(|shared| shared.lower(cap));
                }
                Ask::Cancel(id) => {
                    orders.cancelled += 1;
                    running.get(&id).into_iter().for_each(|shared| shared.cap.store(0, Relaxed));
                }
                Ask::Wait => break,
                Ask::Done(_) => return Ok(orders),
            }
        }
        if running.is_empty() {
            break;
        }
        match results.recv_timeout(Duration::from_millis(1)) {
            Ok((id, outcome)) => {
                running.remove(&id);
                tuner.tell(id, outcome)?;
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let reached = running.iter().map(|(id, shared)| (*id, shared.steps.load(Relaxed) as f64));
                tuner.elapsed(&reached.collect::<Vec<_>>());
            }
            Err(error @ mpsc::RecvTimeoutError::Disconnected) => return Err(error.into()),
        }
    }
    // What is still running is not needed any more.
    running.values().for_each(|shared| shared.cap.store(0, Relaxed));
    Ok(orders)
}

fn start(trial: TrialRequest, ended: mpsc::Sender<(TrialId, Outcome)>) -> Arc<Shared> {
    let shared = Arc::new(Shared { cap: AtomicU64::new(trial.cap.cost() as u64), ..Shared::default() });
    let own = Arc::clone(&shared);
    thread::spawn(move || {
        let seed = u64::from(trial.seed().0) << 8 | u64::from(trial.instance().0);
        let outcome = climb(&trial.configuration, seed, &own);
        // The receiver is gone if enough trials have ended.
        let _ = ended.send((trial.id, outcome));
    });
    shared
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut tuner = builder(1)?.build()?;
    let orders = run(&mut tuner, 300)?;
    let (before, best) = (tuner.standing(captune::ConfigId(0)), tuner.best());
    for (name, one) in [("default", before), ("tuned", best)] {
        println!(
            "{name:8} {:40} {:8.0} steps, {} pairs",
            one.configuration,
            one.cost.unwrap_or(f64::NAN),
            one.pairs
        );
    }
    let stopped = tuner.history().count(captune::Status::Capped);
    println!("{stopped} of {} trials were stopped early; {orders:?}", tuner.trials());
    Ok(())
}
