//! A racer under observation. Every call is made to it and to a twin restored from its snapshot, and a
//! witness checks every answer.

use std::collections::BTreeMap;

use space::Configuration;

use super::super::World;
use super::witness::Witness;
use super::{Exercised, Make, Restore};
use crate::history::{History, Trial};
use crate::observation::Observation;
use crate::propose::Proposer;
use crate::racing::{Ask, Racer};
use crate::trial::{Cap, ConfigId, TrialId, TrialRequest};

/// A proposer that records whether it ever failed to find a new configuration.
pub(super) struct Watched {
    inner: Box<dyn Proposer>,
    pub(super) gave_up: bool,
}

impl Watched {
    pub(super) fn new(inner: Box<dyn Proposer>) -> Self {
        Self { inner, gave_up: false }
    }
}

impl Proposer for Watched {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        let proposal = self.inner.propose(history, incumbent);
        self.gave_up |= proposal.is_none();
        proposal
    }

    fn origin(&self, config: ConfigId, history: &History) -> &'static str {
        self.inner.origin(config, history)
    }

    fn expected(&mut self, history: &History) -> &[f64] {
        self.inner.expected(history)
    }
}

/// A racer with its history and proposer.
struct Seat {
    racer: Box<dyn Racer>,
    history: History,
    proposer: Watched,
}

/// A running trial.
pub(super) struct Out {
    pub(super) request: TrialRequest,
    pub(super) cap: Cap,
    /// The last cost that it reported.
    pub(super) elapsed: f64,
    pub(super) cancelled: bool,
}

/// The racer, its twin, the running trials, and the witness.
pub(super) struct Stage<'a> {
    pub(super) world: &'a World,
    pub(super) workers: usize,
    pub(super) running: BTreeMap<TrialId, Out>,
    restore: Restore<'a>,
    seat: Seat,
    twin: Option<Seat>,
    witness: Witness,
}

/// Returns the trial as an entry for the history.
pub(super) fn ended(request: &TrialRequest, observation: Observation) -> Trial {
    let &TrialRequest { id, key, cap, why, .. } = request;
    Trial { id, key, cap, why, observation }
}

impl<'a> Stage<'a> {
    pub(super) fn new(world: &'a World, workers: usize, make: Make<'_>, restore: Restore<'a>) -> Self {
        let mut history = History::new();
        let racer = make(world.problem.clone(), world.racing.clone(), &mut history);
        let witness = Witness::new(world, workers, &*racer);
        let proposer = Watched::new(world.proposer());
        let seat = Seat { racer, history, proposer };
        Self { world, workers, running: BTreeMap::new(), restore, seat, twin: None, witness }
    }

    /// Makes the same call to the racer and its twin, and checks the news.
    fn each<T: PartialEq + std::fmt::Debug>(&mut self, act: impl Fn(&mut Seat) -> T) -> T {
        let answer = act(&mut self.seat);
        let news = self.seat.racer.news();
        if let Some(twin) = &mut self.twin {
            let place = (self.world.seed, self.workers);
            assert_eq!(act(twin), answer, "{place:?}: the restored racer (left) answers differently");
            assert_eq!(twin.racer.news(), news, "{place:?}: the restored racer (left) has different news");
        }
        self.witness.hear(&news, &self.running, &*self.seat.racer, &self.seat.history);
        answer
    }

    /// Returns what the racer wants done with the free slots.
    pub(super) fn next(&mut self) -> Ask {
        let slots = self.workers - self.running.len();
        let ask = self.each(|seat| seat.racer.next(slots, &mut seat.history, &mut seat.proposer));
        let Seat { racer, history, proposer } = &self.seat;
        self.witness.see(&ask, slots, &self.running, history, proposer.gave_up);
        match &ask {
            Ask::Run(request) => {
                let out = Out { request: request.clone(), cap: request.cap, elapsed: 0.0, cancelled: false };
                self.running.insert(request.id, out);
            }
            Ask::Tighten(id, cap) => {
                if let Some(out) = self.running.get_mut(id) {
                    out.cap = *cap;
                }
            }
            Ask::Cancel(id) => {
                if let Some(out) = self.running.get_mut(id) {
                    out.cancelled = true;
                }
            }
            Ask::Wait | Ask::Done(_) => {}
        }
        self.witness.count(&**racer, &self.running);
        ask
    }

    pub(super) fn tell(&mut self, id: TrialId, observation: Observation) {
        let Some(out) = self.running.remove(&id) else { return };
        self.witness.exercised.vanished += usize::from(observation.status().is_uninformative());
        self.witness.told(&observation);
        self.each(|seat| {
            seat.history.push(ended(&out.request, observation.clone()));
            seat.racer.told(id, &seat.history);
        });
        self.witness.count(&*self.seat.racer, &self.running);
        self.witness.read(&self.seat.history);
    }

    pub(super) fn withdraw(&mut self, id: TrialId) {
        self.running.remove(&id);
        self.witness.exercised.vanished += 1;
        self.each(|seat| seat.racer.withdrawn(id));
        self.witness.count(&*self.seat.racer, &self.running);
    }

    /// Reports the cost that a running trial has reached.
    pub(super) fn elapsed(&mut self, id: TrialId, cost: f64) {
        let Some(out) = self.running.get_mut(&id) else { return };
        out.elapsed = out.elapsed.max(cost);
        let reached = self.reached();
        self.each(|seat| seat.racer.elapsed(&reached, &seat.history));
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        self.running.iter().map(|(&id, out)| (id, out.elapsed)).collect()
    }

    pub(super) fn patience(&mut self) -> Option<f64> {
        let patience = self.each(|seat| seat.racer.patience(&seat.history));
        assert!(patience.is_none_or(|time| time >= 0.0), "world {}: patience {patience:?}", self.world.seed);
        patience
    }

    /// Restores a twin from the current snapshot. From now on, it must give the same answers as the racer.
    pub(super) fn restore_twin(&mut self) {
        let reached = self.reached();
        let Self { world, seat, .. } = self;
        let history = seat.history.clone();
        let snapshot = seat.racer.snapshot();
        let mut racer = (self.restore)(world.problem.clone(), world.racing.clone(), snapshot, &history);
        racer.elapsed(&reached, &history);
        let proposer = Watched::new(world.proposer());
        self.twin = Some(Seat { racer, history, proposer });
        self.witness.exercised.restored += 1;
    }

    /// Replaces the racer with its twin.
    pub(super) fn replace_by_twin(&mut self) {
        if let Some(mut twin) = self.twin.take() {
            twin.proposer.gave_up |= self.seat.proposer.gave_up;
            self.seat = twin;
        }
    }

    /// Checks the history at the end of a run.
    pub(super) fn end(&self) -> Exercised {
        self.witness.end(&self.seat.history)
    }
}
