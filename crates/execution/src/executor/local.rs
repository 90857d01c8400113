//! Runs trials on this machine: one thread per slot. Each slot has its own cores.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use engine::{Cap, TrialId, TrialRequest};

use super::{Bell, Executor, Happening, Inbox, Refused};
use crate::panics::caught;
use crate::{Leash, Record, Slot, Target, TargetError};

/// Trials waiting for a slot.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    filled: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

struct Job {
    request: TrialRequest,
    leash: Arc<Leash>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if let Some(job) = waiting.jobs.pop_front() {
                return Some(job);
            }
            if waiting.closed {
                return None;
            }
            waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A submitted trial that has not ended.
struct Out {
    leash: Arc<Leash>,
    /// Campaign time at which the trial started, if it has.
    started: Option<f64>,
}

/// An executor with worker threads on this machine.
pub struct Local {
    target: Arc<dyn Target>,
    queue: Arc<Queue>,
    out: BTreeMap<TrialId, Out>,
    workers: Vec<JoinHandle<()>>,
    origin: Instant,
    /// Campaign time at the instant `origin`.
    before: f64,
}

impl Local {
    /// Starts one thread per slot. `before` is the campaign time spent in earlier sessions.
    pub fn new(target: Arc<dyn Target>, slots: Vec<Slot>, before: f64, bell: &Bell) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let origin = Instant::now();
        let mut local = Self { target, queue, out: BTreeMap::new(), workers: Vec::new(), origin, before };
        for slot in slots {
            let number = slot.number;
            let (queue, target, bell) = (local.queue.clone(), local.target.clone(), bell.clone());
            let work = move || work(&slot, &queue, &*target, &bell, origin, before);
            let name = format!("slot {number}");
            local.workers.push(std::thread::Builder::new().name(name).spawn(work)?);
        }
        Ok(local)
    }

    fn update(&mut self, happening: Happening) -> Happening {
        match &happening {
            Happening::Started { id, at, .. } => {
                if let Some(out) = self.out.get_mut(id) {
                    out.started = Some(*at);
                }
            }
            Happening::Ended(record) => {
                self.out.remove(&record.trial.id);
            }
            Happening::Failed(id, _) => {
                self.out.remove(id);
            }
            _ => {}
        }
        happening
    }
}

fn work(slot: &Slot, queue: &Queue, target: &dyn Target, bell: &Bell, origin: Instant, before: f64) {
    while let Some(Job { request, leash }) = queue.take() {
        let now = || before + origin.elapsed().as_secs_f64();
        let started = now();
        // If the campaign has ended, the worker ends, too.
        if !bell.try_ring(Happening::Started { id: request.id, slot: slot.number, at: started }) {
            return;
        }
        // If a panic ended this thread silently, the campaign would wait for the trial forever.
        let account = caught(|| target.run_on(&request, &leash, slot))
            .unwrap_or_else(|message| Err(TargetError::Panicked { message }));
        let happening = match account {
            Ok(account) => {
                Happening::Ended(Box::new(Record::of(&request, account, started, now(), slot.number)))
            }
            Err(error) => Happening::Failed(request.id, error),
        };
        if !bell.try_ring(happening) {
            return;
        }
    }
}

impl Executor for Local {
    fn workers(&self) -> usize {
        self.workers.len()
    }

    fn now(&self) -> f64 {
        self.before + self.origin.elapsed().as_secs_f64()
    }

    fn submit(&mut self, request: &TrialRequest, _started: Option<f64>) -> Result<(), Refused> {
        let leash = Arc::new(Leash::new());
        self.out.insert(request.id, Out { leash: leash.clone(), started: None });
        self.queue.lock().jobs.push_back(Job { request: request.clone(), leash });
        self.queue.filled.notify_one();
        Ok(())
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        if let Some(out) = self.out.get(&id) {
            self.target.lower_cap(&out.leash, cap);
        }
        if let Some(job) = self.queue.lock().jobs.iter_mut().find(|job| job.request.id == id) {
            job.request.cap = cap;
        }
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        let mut waiting = self.queue.lock();
        if let Some(place) = waiting.jobs.iter().position(|job| job.request.id == id) {
            waiting.jobs.remove(place);
            drop(waiting);
            self.out.remove(&id);
            return true;
        }
        if let Some(out) = self.out.get(&id) {
            out.leash.cancel();
        }
        false
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        self.update(inbox.next(patience))
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        let now = self.now();
        let reached =
            |(&id, out): (&TrialId, &Out)| Some((id, self.target.reached(&out.leash, now - out.started?)?));
        self.out.iter().filter_map(reached).collect()
    }

    fn longest(&self, request: &TrialRequest) -> Option<f64> {
        self.target.longest(request)
    }
}

/// Stops all running trials, so that no thread or process outlives the campaign.
impl Drop for Local {
    fn drop(&mut self) {
        {
            let mut waiting = self.queue.lock();
            waiting.jobs.clear();
            waiting.closed = true;
        }
        self.queue.filled.notify_all();
        for out in self.out.values() {
            out.leash.cancel();
        }
        for worker in self.workers.drain(..) {
            // A panic in the worker has already been printed.
            let _ = worker.join();
        }
    }
}
