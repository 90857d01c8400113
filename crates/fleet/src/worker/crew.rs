//! The slots of a worker: what each one does, and the results that are not confirmed.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::{Cap, TrialRequest};
use execution::panics::caught;
use execution::{Account, Leash, TargetError};

use super::Job;
use crate::message::{Ask, Beat, Grant, Order, Outcome, Report, Reported, encode};
use crate::nats::Outbox;

/// Time after which a result that was not confirmed is sent again.
const REPEAT: Duration = Duration::from_secs(1);
/// Time until the first heartbeat, and between heartbeats until the coordinator says otherwise.
const FIRST_BEATS: Duration = Duration::from_secs(1);

/// The slots of a worker.
pub(super) struct Crew {
    name: String,
    subject: String,
    job: Job,
    state: Mutex<State>,
    /// Signalled when a slot gets a trial, or when the worker ends.
    granted: Condvar,
    /// Signalled when a slot becomes free or a result is confirmed.
    eased: Condvar,
}

#[derive(Default)]
struct State {
    outbox: Option<Outbox>,
    slots: Vec<Doing>,
    /// Results that are not confirmed, and when they were last sent.
    spool: BTreeMap<u64, (Outcome, Instant)>,
    /// Trials that will be given back once their processes have ended.
    given_back: Vec<u64>,
    next_ask: u64,
    next_beat: u64,
    beat_at: Option<Instant>,
    beat_every: Option<Duration>,
    is_draining: bool,
    is_over: bool,
    threads: Vec<JoinHandle<()>>,
}

/// What a slot does.
enum Doing {
    Nothing,
    /// Waits for an answer to the request with this number.
    Asking(u64),
    /// Has got a trial that it has not started.
    Starting(u64, Box<Result<TrialRequest, String>>, Arc<Leash>),
    Running(u64, Arc<Leash>, Instant),
}

impl Crew {
    /// Starts a thread for each slot.
    pub(super) fn start(name: String, subject: String, job: Job) -> io::Result<Arc<Self>> {
        let slots = job.slots.len();
        let state = State { slots: (0..slots).map(|_| Doing::Nothing).collect(), ..State::default() };
        let (granted, eased) = (Condvar::new(), Condvar::new());
        let crew = Arc::new(Self { name, subject, job, state: Mutex::new(state), granted, eased });
        for slot in 0..slots {
            let own = Arc::clone(&crew);
            let thread = std::thread::Builder::new().name(format!("slot {slot}"));
            let thread = thread.spawn(move || own.run_slot(slot))?;
            crew.lock().threads.push(thread);
        }
        Ok(crew)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the connection on which slots report.
    pub(super) fn connect(&self, outbox: Outbox) {
        self.lock().outbox = Some(outbox);
    }

    /// Publishes a report.
    pub(super) fn report(&self, what: Reported) {
        if let Some(outbox) = &self.lock().outbox {
            self.publish(outbox, what);
        }
    }

    fn publish(&self, outbox: &Outbox, what: Reported) {
        outbox.publish(&self.subject, &encode(&Report { worker: self.name.clone(), what }));
    }

    /// Reports everything again, because the coordinator may have missed some of it.
    pub(super) fn reconnected(&self, outbox: &Outbox) {
        let mut state = self.lock();
        state.outbox = Some(outbox.clone());
        self.beat(&mut state, outbox);
        self.repeat_results(&mut state, outbox, Duration::ZERO);
    }

    /// Sends what is due.
    pub(super) fn tick(&self, outbox: &Outbox) {
        let mut state = self.lock();
        let every = state.beat_every.unwrap_or(FIRST_BEATS);
        if state.beat_at.is_none_or(|at| at.elapsed() >= every) {
            self.beat(&mut state, outbox);
        }
        self.repeat_results(&mut state, outbox, REPEAT);
    }

    fn repeat_results(&self, state: &mut State, outbox: &Outbox, age: Duration) {
        for (&lease, (outcome, sent)) in &mut state.spool {
            if sent.elapsed() >= age {
                *sent = Instant::now();
                self.publish(outbox, Reported::Result { lease, outcome: outcome.clone() });
            }
        }
    }

    /// Sends a heartbeat. Free slots ask with it.
    fn beat(&self, state: &mut State, outbox: &Outbox) {
        let (left, mut asks) = (self.job.left(), Vec::new());
        for slot in 0..state.slots.len() {
            if matches!(state.slots[slot], Doing::Nothing) && !state.is_draining {
                state.next_ask += 1;
                state.slots[slot] = Doing::Asking(state.next_ask);
            }
            if let Doing::Asking(number) = state.slots[slot] {
                asks.push(Ask { number, slot: slot as u32, left });
            }
        }
        let kept = state.spool.keys().chain(&state.given_back);
        let mut leases: Vec<(u64, Option<f64>)> = kept.map(|&lease| (lease, None)).collect();
        for doing in &state.slots {
            match doing {
                Doing::Starting(lease, ..) => leases.push((*lease, None)),
                Doing::Running(lease, leash, since) => {
                    let reached = self.job.target.reached(leash, since.elapsed().as_secs_f64());
                    leases.push((*lease, reached));
                }
                Doing::Nothing | Doing::Asking(_) => {}
            }
        }
        state.next_beat += 1;
        state.beat_at = Some(Instant::now());
        let beat = Beat {
            number: state.next_beat,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: self.job.scenario.clone(),
            host: self.job.host.clone(),
            speed: self.job.speed,
            slots: state.slots.len() as u32,
            asks,
            leases,
        };
        self.publish(outbox, Reported::Beat(beat));
    }

    /// Does what the coordinator asks for.
    pub(super) fn obey(&self, order: Order, outbox: &Outbox) {
        let mut state = self.lock();
        match order {
            Order::Heard { next, drop, caps, .. } => {
                state.beat_every = Duration::try_from_secs_f64(next).ok();
                for lease in drop {
                    state.spool.remove(&lease);
                    self.with_leash(&state, lease, Leash::cancel);
                }
                for (lease, cap) in caps {
                    self.lower(&state, lease, cap);
                }
                self.eased.notify_all();
            }
            Order::Introduce => self.beat(&mut state, outbox),
            Order::Grant(grant) => self.take(&mut state, &grant, outbox),
            Order::Tighten { lease, cap } => self.lower(&state, lease, cap),
            Order::Cancel { lease } => self.with_leash(&state, lease, Leash::cancel),
            Order::Settled { lease } => {
                state.spool.remove(&lease);
                self.eased.notify_all();
            }
            Order::Dismiss { .. } | Order::End => {}
        }
    }

    /// Gives a trial to the slot that asked for it. A second copy of a grant finds no such slot.
    fn take(&self, state: &mut State, grant: &Grant, outbox: &Outbox) {
        let asked = |doing: &Doing| matches!(doing, Doing::Asking(number) if *number == grant.ask);
        match state.slots.iter().position(asked) {
            Some(slot) => {
                let (request, leash) = (Box::new(self.job.request(grant)), Arc::new(Leash::new()));
                state.slots[slot] = Doing::Starting(grant.lease, request, leash);
                self.granted.notify_all();
            }
            None if !state.has(grant.lease) => {
                self.publish(outbox, Reported::Return { lease: grant.lease });
            }
            None => {}
        }
    }

    fn lower(&self, state: &State, lease: u64, cap: Cap) {
        self.with_leash(state, lease, |leash| self.job.target.lower_cap(leash, cap));
    }

    fn with_leash(&self, state: &State, wanted: u64, act: impl FnOnce(&Leash)) {
        let leash = state.slots.iter().find_map(|doing| match doing {
            Doing::Starting(lease, _, leash) | Doing::Running(lease, leash, _) if *lease == wanted => {
                Some(leash)
            }
            _ => None,
        });
        if let Some(leash) = leash {
            act(leash);
        }
    }

    /// Runs the trials of one slot.
    fn run_slot(&self, slot: usize) {
        while let Some((lease, request, leash)) = self.next_trial(slot) {
            let outcome = self.run(request, &leash, slot);
            let mut state = self.lock();
            let was_returned = matches!(state.slots[slot], Doing::Nothing);
            state.slots[slot] = Doing::Nothing;
            if !was_returned {
                state.spool.insert(lease, (outcome.clone(), Instant::now()));
                if let Some(outbox) = state.outbox.clone() {
                    self.publish(&outbox, Reported::Result { lease, outcome });
                    self.ask(&mut state, slot, &outbox);
                }
            }
            self.eased.notify_all();
        }
    }

    fn ask(&self, state: &mut State, slot: usize, outbox: &Outbox) {
        if state.is_draining {
            return;
        }
        state.next_ask += 1;
        let number = state.next_ask;
        state.slots[slot] = Doing::Asking(number);
        self.publish(outbox, Reported::Ask(Ask { number, slot: slot as u32, left: self.job.left() }));
    }

    /// Waits for a trial. Returns `None` if the worker ends.
    fn next_trial(&self, slot: usize) -> Option<(u64, Result<TrialRequest, String>, Arc<Leash>)> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            match std::mem::replace(&mut state.slots[slot], Doing::Nothing) {
                Doing::Starting(lease, request, leash) => {
                    state.slots[slot] = Doing::Running(lease, Arc::clone(&leash), Instant::now());
                    return Some((lease, *request, leash));
                }
                other => state.slots[slot] = other,
            }
            state = self.granted.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, request: Result<TrialRequest, String>, leash: &Leash, slot: usize) -> Outcome {
        let request = match request {
            Ok(request) => request,
            Err(message) => return Outcome::Failed { message, of_machine: true },
        };
        let account = caught(|| self.job.target.run_on(&request, leash, &self.job.slots[slot]))
            .unwrap_or_else(|message| Err(TargetError::Panicked { message }));
        match account {
            Ok(Account { observation, detail }) => Outcome::Ended { observation, detail: Box::new(detail) },
            Err(error) => {
                let of_machine = !matches!(error, TargetError::Aborted { .. } | TargetError::Panicked { .. });
                Outcome::Failed { message: error.explained(), of_machine }
            }
        }
    }

    /// Takes no more trials.
    pub(super) fn drain(&self) {
        let mut state = self.lock();
        state.is_draining = true;
        for doing in &mut state.slots {
            if matches!(doing, Doing::Asking(_)) {
                *doing = Doing::Nothing;
            }
        }
        if let Some(outbox) = state.outbox.clone() {
            self.beat(&mut state, &outbox);
        }
    }

    /// Returns whether no trial is running and all results are confirmed.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }

    /// Gives back the trials that are running, ends their processes, and waits until all results are confirmed
    /// or `patience` is over.
    pub(super) fn stop(&self, patience: Duration) {
        self.drain();
        let mut state = self.lock();
        let State { slots, given_back, .. } = &mut *state;
        for doing in slots {
            if let Doing::Starting(lease, _, leash) | Doing::Running(lease, leash, _) = doing {
                leash.cancel();
                given_back.push(*lease);
                *doing = Doing::Nothing;
            }
        }
        state.is_over = true;
        self.granted.notify_all();
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        for thread in threads {
            // A panic in the thread has already been printed.
            let _ = thread.join();
        }
        // Only now has every process of these trials ended.
        let mut state = self.lock();
        for lease in std::mem::take(&mut state.given_back) {
            if let Some(outbox) = &state.outbox {
                self.publish(outbox, Reported::Return { lease });
            }
        }
        let is_kept = |state: &mut State| !state.spool.is_empty();
        let waited = self.eased.wait_timeout_while(state, patience, is_kept);
        drop(waited);
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.spool.is_empty() && self.slots.iter().all(|doing| matches!(doing, Doing::Nothing))
    }

    /// Returns whether the worker runs this trial or keeps its result.
    fn has(&self, wanted: u64) -> bool {
        let runs = |doing: &Doing| match doing {
            Doing::Starting(lease, ..) | Doing::Running(lease, ..) => *lease == wanted,
            Doing::Nothing | Doing::Asking(_) => false,
        };
        self.spool.contains_key(&wanted) || self.slots.iter().any(runs)
    }
}
