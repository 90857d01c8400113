//! The workers that are connected.

use std::collections::BTreeMap;

use execution::executor::RemoteWorker;

use crate::message::{Ask, Beat};

/// Number of the first slot of a remote worker, above the slots of local workers.
pub(super) const FIRST_SLOT: u32 = 1 << 16;
/// Ratio of the speeds of two machines from which on their times are hardly comparable.
const UNEQUAL: f64 = 1.1;

/// A worker that is connected.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) about: RemoteWorker,
    /// The moment of its last message.
    pub(super) heard: f64,
    /// Number of its last heartbeat.
    pub(super) beat: u64,
}

/// All workers that are connected, and the slots of those that were.
#[derive(Debug, Default)]
pub(super) struct Crew {
    members: BTreeMap<String, Member>,
    /// Slots that wait for a trial, by worker and number.
    asks: BTreeMap<String, BTreeMap<u64, Ask>>,
    /// First slot of each worker that ever joined, by name. A worker that returns gets the same slots.
    known: BTreeMap<String, (u32, u32)>,
    /// Whether the difference in speed was reported.
    is_unequal: bool,
}

impl Crew {
    /// Remembers the workers of earlier sessions.
    pub(super) fn of_stored(workers: &[RemoteWorker]) -> Self {
        let known = workers.iter().map(|one| (one.name.clone(), (one.first_slot, one.slots))).collect();
        Self { known, ..Self::default() }
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Member> {
        self.members.get_mut(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Member> {
        self.members.get(name)
    }

    /// Returns the number of workers.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether any slot waits for a trial.
    pub(super) fn has_asks(&self) -> bool {
        !self.asks.is_empty()
    }

    /// Notes that a slot waits for a trial.
    pub(super) fn ask(&mut self, worker: &str, ask: Ask) {
        self.asks.entry(worker.to_owned()).or_default().insert(ask.number, ask);
    }

    /// Replaces everything that a worker waits for.
    pub(super) fn set_asks(&mut self, worker: &str, asks: &[Ask]) {
        self.asks.remove(worker);
        asks.iter().for_each(|ask| self.ask(worker, *ask));
    }

    /// Removes a request for work, and returns it if it exists.
    pub(super) fn withdraw(&mut self, worker: &str, number: u64) -> Option<Ask> {
        let asks = self.asks.get_mut(worker)?;
        let ask = asks.remove(&number);
        if asks.is_empty() {
            self.asks.remove(worker);
        }
        ask
    }

    /// Returns a request for work that fits, of the worker with the largest share of free slots, so that
    /// trials spread over machines.
    pub(super) fn choose(&self, fits: impl Fn(&Ask) -> bool) -> Option<(String, Ask)> {
        let candidates = self.asks.iter().filter_map(|(worker, asks)| {
            let ask = asks.values().find(|ask| fits(ask))?;
            let slots = self.members.get(worker).map_or(1, |member| member.about.slots);
            Some((asks.len() as f64 / f64::from(slots), worker, *ask))
        });
        let chosen = candidates.max_by(|a, b| a.0.total_cmp(&b.0));
        chosen.map(|(_, worker, ask)| (worker.clone(), ask))
    }

    /// Returns the total number of slots.
    pub(super) fn slots(&self) -> usize {
        self.members.values().map(|member| member.about.slots as usize).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds a worker, and returns what is known about it.
    pub(super) fn join(&mut self, name: &str, beat: &Beat, now: f64) -> RemoteWorker {
        let next = self
            .known
            .values()
            .map(|(first, slots)| first.saturating_add(*slots))
            .max()
            .unwrap_or(FIRST_SLOT);
        let known = self.known.get(name).filter(|(_, slots)| *slots == beat.slots);
        let first_slot = known.map_or(next, |&(first, _)| first);
        self.known.insert(name.to_owned(), (first_slot, beat.slots));
        let about = RemoteWorker {
            name: name.to_owned(),
            host: beat.host.clone(),
            first_slot,
            slots: beat.slots,
            speed: beat.speed,
        };
        let member = Member { about: about.clone(), heard: now, beat: 0 };
        self.members.insert(name.to_owned(), member);
        about
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Member> {
        self.asks.remove(name);
        self.members.remove(name)
    }

    /// Returns the names of workers that have been silent since this moment.
    pub(super) fn silent_since(&self, moment: f64) -> Vec<String> {
        let silent = self.members.values().filter(|member| member.heard < moment);
        silent.map(|member| member.about.name.clone()).collect()
    }

    /// Returns the slowest and the fastest machine if they differ much, once.
    pub(super) fn newly_unequal(&mut self) -> Option<[(String, f64); 2]> {
        let order = |a: &&Member, b: &&Member| a.about.speed.total_cmp(&b.about.speed);
        let (slowest, fastest) = (self.members.values().min_by(order)?, self.members.values().max_by(order)?);
        let differ = slowest.about.host != fastest.about.host
            && fastest.about.speed > UNEQUAL * slowest.about.speed
            && !self.is_unequal;
        let named = |member: &Member| (member.about.host.clone(), member.about.speed);
        let both = [named(slowest), named(fastest)];
        self.is_unequal |= differ;
        differ.then_some(both)
    }
}
