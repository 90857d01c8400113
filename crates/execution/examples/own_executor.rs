//! A custom executor that starts a new thread for each trial, like a new machine in a cluster or a cloud.
//!
//! `cargo run -p captune-execution --example own_executor` runs some trials. The tests run it through the
//! suite that every executor must pass.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use engine::{Cap, TrialId, TrialRequest};
use execution::executor::{Bell, Executor, Happening, Inbox, Refused};
use execution::{Leash, Record, Slot, Target, TargetError, panics};

/// An executor that runs each trial in its own thread, at most `workers` at a time.
pub struct Threads {
    target: Arc<dyn Target>,
    /// Slots without a trial.
    free: Vec<usize>,
    workers: usize,
    waiting: VecDeque<TrialRequest>,
    running: BTreeMap<TrialId, (Arc<Leash>, f64, usize)>,
    bell: Bell,
    origin: Instant,
}

impl Threads {
    /// Creates an executor that runs a target and rings a bell.
    pub fn new(target: Arc<dyn Target>, workers: usize, bell: Bell) -> Self {
        let free = (0..workers).rev().collect();
        let (waiting, running) = (VecDeque::new(), BTreeMap::new());
        Self { target, free, workers, waiting, running, bell, origin: Instant::now() }
    }

    /// Starts waiting trials while slots are free.
    fn fill(&mut self) {
        while let Some(slot) = self.free.pop() {
            let Some(request) = self.waiting.pop_front() else {
                self.free.push(slot);
                return;
            };
            let (leash, started) = (Arc::new(Leash::new()), self.now());
            self.running.insert(request.id, (Arc::clone(&leash), started, slot));
            let (target, bell, origin) = (Arc::clone(&self.target), self.bell.clone(), self.origin);
            std::thread::spawn(move || {
                let place = Slot { number: slot, ..Slot::default() };
                let account = panics::caught(|| target.run_on(&request, &leash, &place))
                    .unwrap_or_else(|message| Err(TargetError::Panicked { message }));
                let ended = origin.elapsed().as_secs_f64();
                bell.ring(match account {
                    Ok(account) => {
                        Happening::Ended(Box::new(Record::of(&request, account, started, ended, slot)))
                    }
                    Err(error) => Happening::Failed(request.id, error),
                });
            });
        }
    }

    fn has_ended(&mut self, id: TrialId) {
        if let Some((_, _, slot)) = self.running.remove(&id) {
            self.free.push(slot);
        }
        self.fill();
    }
}

impl Executor for Threads {
    fn workers(&self) -> usize {
        self.workers
    }

    fn now(&self) -> f64 {
        self.origin.elapsed().as_secs_f64()
    }

    fn submit(&mut self, request: &TrialRequest, _started: Option<f64>) -> Result<(), Refused> {
        self.waiting.push_back(request.clone());
        self.fill();
        Ok(())
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        if let Some((leash, ..)) = self.running.get(&id) {
            self.target.lower_cap(leash, cap);
        }
        if let Some(request) = self.waiting.iter_mut().find(|request| request.id == id) {
            request.cap = cap;
        }
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|request| request.id != id);
        if let Some((leash, ..)) = self.running.get(&id) {
            leash.cancel();
        }
        self.waiting.len() < before
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        let happening = inbox.next(patience);
        match &happening {
            Happening::Ended(record) => self.has_ended(record.trial.id),
            Happening::Failed(id, _) => self.has_ended(*id),
            _ => {}
        }
        happening
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        let now = self.now();
        let reached = |(&id, (leash, since, _)): (&TrialId, &(Arc<Leash>, f64, usize))| {
            Some((id, self.target.reached(leash, now - since)?))
        };
        self.running.iter().filter_map(reached).collect()
    }
}

fn main() {
    use engine::{ConfigId, InstanceId, Pair, Seed, TrialKey, Why};
    use execution::{FunctionTarget, Outcome};
    let space = space::format::read("x = { integer = [1, 9] }\n", "space", space::format::Format::Toml);
    let Ok(space) = space else { return };
    let target =
        FunctionTarget::new(None, |trial: &TrialRequest, _: &Leash| Outcome::Finished(trial.id.0 as f64));
    let inbox = Inbox::new();
    let mut threads = Threads::new(Arc::new(target), 2, inbox.bell());
    for id in 1..=5 {
        let pair = Pair { instance: InstanceId(0), seed: Seed(id as u32) };
        let request = TrialRequest {
            id: TrialId(id),
            key: TrialKey { config: ConfigId(0), pair },
            configuration: space.default_configuration(),
            cap: Cap::NONE,
            why: Why::Incumbent,
        };
        if let Err(refused) = threads.submit(&request, None) {
            println!("{refused}");
        }
    }
    for _ in 1..=5 {
        if let Happening::Ended(record) = threads.next(&inbox, None) {
            println!(
                "trial {} in slot {}: {:?}",
                record.trial.id,
                record.slot,
                record.trial.observation.cost()
            );
        }
    }
}
