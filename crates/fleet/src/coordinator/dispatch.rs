//! Decides which worker runs which trial. The decisions depend only on the calls: it reads no clock and sends
//! nothing. Each call returns what is to be done, in order.
//!
//! A trial is *waiting* until a worker that has time for it asks for one. Then the worker holds a *lease*, until
//! its result comes, it gives the trial back, or its heartbeats stop. A result that has come is *unsettled* until
//! it is on disk. A message about a lease that does not exist is late or repeated, and changes nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use engine::{Cap, Observation, Status, TrialId, TrialRequest};
use execution::executor::{Happening, Lease, News, RemoteWorker};
use execution::{Account, Detail, Record, TargetError};

use super::clock::Clock;
use super::crew::Crew;
use crate::message::{Ask, Beat, Grant, Order, Outcome, Report, Reported};

/// Seconds after which a cancelled trial counts as ended if its worker does not answer.
const LAST_WORDS: f64 = 3.0;
/// Number of heartbeats that all workers together may send per second.
const BEATS_PER_SECOND: f64 = 500.0;

/// The terms on which workers get trials.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Version of captune that workers must have.
    pub version: String,
    /// Digest of the scenario that workers must have.
    pub scenario: String,
    /// Names of the instances, by number.
    pub instances: Vec<String>,
    /// Seconds without a heartbeat after which a worker's trials are lost.
    pub lease: f64,
    /// Shortest time in seconds between two heartbeats.
    pub beat: f64,
    /// Number of the first lease. Leases of other sessions must have other numbers.
    pub first_lease: u64,
}

/// Something to be done.
#[derive(Debug)]
pub enum Effect {
    /// Send an order to the worker with this name.
    Send(String, Order),
    /// Pass a message to the campaign.
    Ring(Happening),
}

/// A trial that a worker has taken.
#[derive(Clone, PartialEq, Debug)]
pub struct Held {
    request: TrialRequest,
    worker: String,
    /// The request for work that was granted; `None` if that was in an earlier session.
    ask: Option<u64>,
    slot: u32,
    /// Campaign time.
    since: f64,
    /// The moment at which the lease ends unless it is renewed.
    until: f64,
    reached: Option<f64>,
    is_cancelled: bool,
    /// Whether the worker has reported that it has the trial.
    is_confirmed: bool,
    /// The time in seconds that it may take.
    longest: Option<f64>,
}

/// The trials of a campaign and the workers that run them.
#[derive(Debug)]
pub struct Dispatch {
    terms: Terms,
    clock: Clock,
    crew: Crew,
    waiting: VecDeque<(TrialRequest, Option<f64>)>,
    held: BTreeMap<u64, Held>,
    /// Lease of each held trial.
    leases: BTreeMap<TrialId, u64>,
    /// Leases of each worker.
    by_worker: BTreeMap<String, BTreeSet<u64>>,
    /// Leases of trials whose results have come but are not on disk, with their workers.
    unsettled: BTreeMap<TrialId, (u64, String)>,
    /// Leases of an earlier session that may still be held.
    earlier: BTreeMap<TrialId, Lease>,
    /// Trials whose deadlines have moved since the campaign was last told.
    renewed: BTreeSet<TrialId>,
    next_lease: u64,
    /// Whether any trial has ended by itself in this session.
    has_succeeded: bool,
    effects: Vec<Effect>,
}

impl Dispatch {
    /// Creates a dispatch that waits for workers. `before` is the campaign time so far; `workers` and `leases`
    /// are those of earlier sessions.
    pub fn new(terms: Terms, before: f64, workers: &[RemoteWorker], leases: Vec<Lease>) -> Self {
        Self {
            next_lease: terms.first_lease,
            terms,
            clock: Clock::stopped(before),
            crew: Crew::of_stored(workers),
            waiting: VecDeque::new(),
            held: BTreeMap::new(),
            leases: BTreeMap::new(),
            by_worker: BTreeMap::new(),
            unsettled: BTreeMap::new(),
            earlier: leases.into_iter().map(|lease| (lease.trial, lease)).collect(),
            renewed: BTreeSet::new(),
            has_succeeded: false,
            effects: Vec::new(),
        }
    }

    /// Returns the campaign time.
    pub fn campaign_time(&self, now: f64) -> f64 {
        self.clock.at(now)
    }

    /// Returns the number of trials that can run at once.
    pub fn slots(&self) -> usize {
        self.crew.slots()
    }

    /// Returns whether a trial of an earlier session may still be running.
    pub fn still_runs(&self, id: TrialId) -> bool {
        self.earlier.contains_key(&id)
    }

    /// Returns lower bounds on the costs that running trials have reached, as far as workers reported them.
    pub fn reached(&self) -> Vec<(TrialId, f64)> {
        self.held.values().filter_map(|held| Some((held.request.id, held.reached?))).collect()
    }

    /// Takes a trial to run. `longest` is the time in seconds that it may take.
    pub fn submit(&mut self, request: TrialRequest, longest: Option<f64>, now: f64) -> Vec<Effect> {
        if let Some(Lease { id, trial, worker, slot, since, .. }) = self.earlier.remove(&request.id) {
            // The worker has not been heard yet in this session, so it gets the full time.
            let until = now + self.terms.lease;
            let held = Held {
                request,
                worker,
                ask: None,
                slot,
                since,
                until,
                reached: None,
                is_cancelled: false,
                is_confirmed: true,
                longest,
            };
            debug_assert_eq!(held.request.id, trial);
            self.hold(id, held);
        } else {
            self.waiting.push_back((request, longest));
            self.hand_out(now);
        }
        self.done()
    }

    /// Lowers the cap of a trial.
    pub fn tighten(&mut self, id: TrialId, cap: Cap) -> Vec<Effect> {
        if let Some((request, _)) = self.waiting.iter_mut().find(|(request, _)| request.id == id) {
            request.cap = cap;
        }
        if let Some((lease, held)) = self.leases.get(&id).and_then(|id| Some((*id, self.held.get_mut(id)?))) {
            held.request.cap = cap;
            self.effects.push(Effect::Send(held.worker.clone(), Order::Tighten { lease, cap }));
        }
        self.done()
    }

    /// Cancels a trial. Returns true if no worker has it; it then never ends.
    pub fn cancel(&mut self, id: TrialId, now: f64) -> (bool, Vec<Effect>) {
        if let Some(place) = self.waiting.iter().position(|(request, _)| request.id == id) {
            self.waiting.remove(place);
            return (true, Vec::new());
        }
        if let Some((lease, held)) = self.leases.get(&id).and_then(|id| Some((*id, self.held.get_mut(id)?))) {
            held.is_cancelled = true;
            held.until = held.until.min(now + LAST_WORDS);
            self.effects.push(Effect::Send(held.worker.clone(), Order::Cancel { lease }));
        }
        (false, self.done())
    }

    /// Confirms results to their workers, and forgets trials of earlier sessions that the search does not want: the
    /// search may use their numbers again for other trials.
    pub fn settled(&mut self, ids: &[TrialId]) -> Vec<Effect> {
        for id in ids {
            self.earlier.remove(id);
            if let Some((lease, worker)) = self.unsettled.remove(id) {
                self.effects.push(Effect::Send(worker, Order::Settled { lease }));
            }
        }
        self.done()
    }

    /// Processes a message from a worker.
    pub fn hear(&mut self, report: Report, now: f64) -> Vec<Effect> {
        let Report { worker, what } = report;
        match (self.crew.get_mut(&worker), &what) {
            (Some(member), _) => member.heard = now,
            // A result counts as long as its lease exists, even if its sender is unknown.
            (None, Reported::Beat(_) | Reported::Result { .. } | Reported::Leave { .. }) => {}
            (None, _) => {
                self.send(&worker, Order::Introduce);
                return self.done();
            }
        }
        match what {
            Reported::Beat(beat) => self.beat(&worker, beat, now),
            Reported::Ask(ask) => self.ask(&worker, ask, now),
            Reported::Result { lease, outcome } => self.result(&worker, lease, outcome, now),
            Reported::Return { lease } => self.give_back(&worker, lease, now),
            Reported::Leave { why } => self.leave(&worker, &why, now),
        }
        self.done()
    }

    /// Ends leases that were not renewed, and removes silent workers.
    pub fn tick(&mut self, now: f64) -> Vec<Effect> {
        let silent = format!("no heartbeat for {} s", self.terms.lease);
        for name in self.crew.silent_since(now - self.terms.lease) {
            self.leave(&name, &silent, now);
        }
        let overdue: Vec<u64> =
            self.held.iter().filter(|(_, held)| held.until <= now).map(|(&lease, _)| lease).collect();
        for lease in overdue {
            self.lose(lease, &silent, now);
        }
        self.done()
    }

    /// Returns the trials whose leases were renewed since the last call, for the store.
    pub fn take_renewed(&mut self) -> Option<News> {
        let renewed: Vec<TrialId> = std::mem::take(&mut self.renewed).into_iter().collect();
        (!renewed.is_empty()).then(|| News::Renewed(renewed, since_1970() + self.terms.lease))
    }

    /// Processes a heartbeat: renews the worker's leases, and resolves differences between what the worker has
    /// and what the coordinator believes that it has.
    fn beat(&mut self, worker: &str, beat: Beat, now: f64) {
        if let Some(why) = self.refusal(&beat) {
            self.send(worker, Order::Dismiss { why });
            return;
        }
        if self.crew.get(worker).is_none() {
            let about = self.crew.join(worker, &beat, now);
            self.clock.run(true, now);
            self.ring(Happening::News(News::Joined(about)));
            if let Some(both) = self.crew.newly_unequal() {
                self.ring(Happening::News(News::Unequal(both)));
            }
        }
        let Some(member) = self.crew.get_mut(worker) else { return };
        if beat.number <= member.beat {
            return;
        }
        member.beat = beat.number;
        self.crew.set_asks(worker, &beat.asks);
        let reported: BTreeMap<u64, Option<f64>> = beat.leases.into_iter().collect();
        let mut caps = Vec::new();
        for lease in self.leases_of(worker) {
            self.reconcile(worker, lease, &reported, &mut caps, now);
        }
        let drop: Vec<u64> = reported.keys().copied().filter(|lease| !self.knows(*lease)).collect();
        let next = self.terms.beat.max(self.crew.len() as f64 / BEATS_PER_SECOND);
        let next = next.min(self.terms.lease / 3.0);
        self.send(worker, Order::Heard { number: beat.number, next, drop, caps });
        self.hand_out(now);
    }

    /// Compares one lease with the heartbeat of its worker.
    fn reconcile(
        &mut self,
        worker: &str,
        lease: u64,
        reported: &BTreeMap<u64, Option<f64>>,
        caps: &mut Vec<(u64, Cap)>,
        now: f64,
    ) {
        let Some(held) = self.held.get_mut(&lease) else { return };
        let ask = held.ask.and_then(|ask| self.crew.withdraw(worker, ask));
        match (reported.get(&lease), ask) {
            (Some(reached), _) => {
                held.is_confirmed = true;
                held.reached = [held.reached, *reached].into_iter().flatten().reduce(f64::max);
                if !held.is_cancelled {
                    held.until = now + self.terms.lease;
                    self.renewed.insert(held.request.id);
                }
                caps.push((lease, held.request.cap));
                if held.is_cancelled {
                    self.send(worker, Order::Cancel { lease });
                }
            }
            // The grant has not arrived, or not yet: the worker ignores a second one.
            (None, Some(_)) if !held.is_cancelled => {
                held.until = now + self.terms.lease;
                let grant = grant(&self.terms, lease, held);
                self.send(worker, Order::Grant(grant));
            }
            (None, Some(_)) => self.lose(lease, "cancelled", now),
            // The worker stopped asking while the grant was on its way.
            (None, None) if !held.is_confirmed => self.give_back(worker, lease, now),
            (None, None) => self.lose(lease, "its worker no longer has it", now),
        }
    }

    fn refusal(&self, beat: &Beat) -> Option<String> {
        if beat.version != self.terms.version {
            return Some(format!(
                "the worker is captune {}, but the coordinator is captune {}; install the same version",
                beat.version, self.terms.version
            ));
        }
        (beat.scenario != self.terms.scenario).then(|| {
            "the worker's scenario differs from the coordinator's: the file itself, its parameters or its \
             instances; copy the scenario again, or restart the worker"
                .to_owned()
        })
    }

    fn knows(&self, lease: u64) -> bool {
        self.held.contains_key(&lease) || self.unsettled.values().any(|(known, _)| *known == lease)
    }

    fn ask(&mut self, worker: &str, ask: Ask, now: f64) {
        let grants = |lease: &u64| self.held.get(lease).is_some_and(|held| held.ask == Some(ask.number));
        if self.by_worker.get(worker).is_some_and(|leases| leases.iter().any(grants)) {
            return;
        }
        self.crew.ask(worker, ask);
        self.hand_out(now);
    }

    /// Gives waiting trials to workers that ask, in the order of submission.
    fn hand_out(&mut self, now: f64) {
        let mut place = 0;
        while let Some((_, longest)) = self.waiting.get(place) {
            if !self.crew.has_asks() {
                return;
            }
            let fits = |ask: &Ask| ask.left.is_none_or(|left| left > 0.0 && longest.unwrap_or(0.0) <= left);
            let Some((worker, ask)) = self.crew.choose(fits) else {
                // Later trials may be shorter.
                place += 1;
                continue;
            };
            let Some((request, longest)) = self.waiting.remove(place) else { return };
            self.lease(request, longest, &worker, ask, now);
        }
    }

    fn lease(&mut self, request: TrialRequest, longest: Option<f64>, worker: &str, ask: Ask, now: f64) {
        let lease = self.next_lease;
        self.next_lease += 1;
        let Some(member) = self.crew.get_mut(worker) else { return };
        let slot = member.about.first_slot.saturating_add(ask.slot);
        self.crew.withdraw(worker, ask.number);
        let since = self.clock.at(now);
        let id = request.id;
        let held = Held {
            request,
            worker: worker.to_owned(),
            ask: Some(ask.number),
            slot,
            since,
            until: now + self.terms.lease,
            reached: None,
            is_cancelled: false,
            is_confirmed: false,
            longest,
        };
        let grant = grant(&self.terms, lease, &held);
        self.hold(lease, held);
        self.send(worker, Order::Grant(grant));
        self.ring(Happening::Started { id, slot: slot as usize, at: since });
        let until = since_1970() + self.terms.lease;
        let news = Lease { id: lease, trial: id, worker: worker.to_owned(), slot, since, until };
        self.ring(Happening::News(News::Leased(news)));
    }

    fn hold(&mut self, lease: u64, held: Held) {
        self.leases.insert(held.request.id, lease);
        self.by_worker.entry(held.worker.clone()).or_default().insert(lease);
        self.held.insert(lease, held);
    }

    /// Ends a lease, and returns it if it exists.
    fn let_go(&mut self, lease: u64) -> Option<Held> {
        let held = self.held.remove(&lease)?;
        self.leases.remove(&held.request.id);
        if let Some(leases) = self.by_worker.get_mut(&held.worker) {
            leases.remove(&lease);
            if leases.is_empty() {
                self.by_worker.remove(&held.worker);
            }
        }
        Some(held)
    }

    fn leases_of(&self, worker: &str) -> Vec<u64> {
        self.by_worker.get(worker).into_iter().flatten().copied().collect()
    }

    /// Processes a result. One that is late or repeated is confirmed without being used.
    fn result(&mut self, worker: &str, lease: u64, outcome: Outcome, now: f64) {
        let Some(held) = self.let_go(lease) else {
            if !self.knows(lease) {
                self.send(worker, Order::Settled { lease });
            }
            return;
        };
        let id = held.request.id;
        match outcome {
            Outcome::Ended { observation, detail } => {
                self.has_succeeded |= observation.status() == Status::Finished;
                self.unsettled.insert(id, (lease, worker.to_owned()));
                self.end(&held, Account { observation, detail: *detail }, now);
            }
            // A machine that cannot run what others can must not end the campaign.
            Outcome::Failed { message, of_machine: true } if self.has_succeeded => {
                self.send(worker, Order::Settled { lease });
                self.send(worker, Order::Dismiss { why: message.clone() });
                self.leave(worker, &message, now);
                self.put_back(held, now);
            }
            Outcome::Failed { message, .. } => {
                self.send(worker, Order::Settled { lease });
                let host = self.crew.get(worker).map_or("a worker", |member| &member.about.host).to_owned();
                self.ring(Happening::Failed(id, TargetError::Remote { host, message }));
            }
        }
    }

    /// Takes back a trial that a worker returns without having run it.
    fn give_back(&mut self, worker: &str, lease: u64, now: f64) {
        let Some(held) = self.let_go(lease) else { return };
        self.send(worker, Order::Settled { lease });
        self.put_back(held, now);
    }

    /// Puts a trial that has not run at the front of the queue. If it was cancelled, it ends.
    fn put_back(&mut self, held: Held, now: f64) {
        if held.is_cancelled {
            self.end(&held, lost(None), now);
        } else {
            self.waiting.push_front((held.request, held.longest));
            self.hand_out(now);
        }
    }

    /// Ends a trial whose worker has gone.
    fn lose(&mut self, lease: u64, why: &str, now: f64) {
        let Some(held) = self.let_go(lease) else { return };
        let host = self.crew.get(&held.worker).map_or(&held.worker, |member| &member.about.host);
        let reason = format!("the worker on {host} is gone: {why}");
        let account = lost((!held.is_cancelled).then_some(reason));
        self.end(&held, account, now);
    }

    fn leave(&mut self, worker: &str, why: &str, now: f64) {
        self.leases_of(worker).into_iter().for_each(|lease| self.lose(lease, why, now));
        let Some(member) = self.crew.remove(worker) else { return };
        let RemoteWorker { name, host, .. } = member.about;
        self.ring(Happening::News(News::Left { name, host, why: why.to_owned() }));
        if self.crew.is_empty() {
            self.clock.run(false, now);
            self.ring(Happening::News(News::NoWorkers));
        }
    }

    fn end(&mut self, held: &Held, account: Account, now: f64) {
        let ended = self.clock.at(now).max(held.since);
        let record = Record::of(&held.request, account, held.since, ended, held.slot as usize);
        self.ring(Happening::Ended(Box::new(record)));
    }

    fn send(&mut self, worker: &str, order: Order) {
        self.effects.push(Effect::Send(worker.to_owned(), order));
    }

    fn ring(&mut self, happening: Happening) {
        self.effects.push(Effect::Ring(happening));
    }

    fn done(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}

fn lost(reason: Option<String>) -> Account {
    let detail = Detail { reason, ..Detail::default() };
    Account { observation: Observation::failed(Status::Lost, 0.0), detail }
}

fn grant(terms: &Terms, lease: u64, held: &Held) -> Grant {
    let TrialRequest { id, key, configuration, cap, why } = &held.request;
    let instance = terms.instances.get(key.pair.instance.index()).cloned().unwrap_or_default();
    Grant {
        ask: held.ask.unwrap_or_default(),
        lease,
        trial: *id,
        config: key.config,
        values: configuration.codes().iter().map(|code| Some(*code).filter(|code| !code.is_nan())).collect(),
        instance,
        seed: key.pair.seed,
        cap: *cap,
        why: *why,
    }
}

/// Returns the current time in seconds since 1970, for people who read the store.
fn since_1970() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
}
