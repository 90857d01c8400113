//! Tests the rules that every executor must follow.
//!
//! | rule | |
//! |---|---|
//! | once | every trial ends once, with the number, pair and reason of its request |
//! | in order | a trial starts before it ends, and the clock never goes back |
//! | slots | at most one trial per worker runs at a time, and no two share a slot |
//! | cancelled | a trial that is cancelled before it starts never ends; one that is running ends soon, unfinished |
//! | capped | a trial whose cap is lowered ends at that cap, with a lower bound |
//! | reached | only submitted trials that have not ended have a reached cost, and it never decreases |
//! | lost | a trial whose worker vanishes ends as lost, with a reason |
//! | broken | a trial that cannot be run, or whose code panics, fails once; other trials continue |
//!
//! All costs are seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::{Cap, ConfigId, InstanceId, Pair, Seed, Space, Status, TrialId, TrialKey, TrialRequest, Why};
use space::format::{Format, read};

use crate::executor::{Bell, Executor, Happening, Inbox};
use crate::{Record, TargetError};

/// The behaviour of a trial.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Behaviour {
    /// Finishes after this many seconds, unless it is stopped.
    Finish(f64),
    /// Loses its worker.
    Vanish,
    /// Reports that no trial can succeed.
    Abort,
    /// Panics.
    Panic,
}

/// The behaviour of each trial, by its number.
pub type Script = Arc<dyn Fn(TrialId) -> Behaviour + Send + Sync>;

/// A function that creates an executor with a number of workers that follow a script and ring a bell.
pub type Make<'a> = &'a dyn Fn(usize, Script, Bell) -> Box<dyn Executor>;

/// Duration in seconds of a trial that is stopped before it finishes.
const LONG: f64 = 5.0;
/// Longest time to wait for anything, in seconds.
const PATIENCE: f64 = 30.0;

/// The executor under test, and the trials that it has reported.
struct Stage {
    executor: Box<dyn Executor>,
    inbox: Inbox,
    space: Space,
    last: f64,
    ended: BTreeMap<TrialId, Record>,
    failed: BTreeMap<TrialId, TargetError>,
}

impl Stage {
    fn new(
        make: Make<'_>,
        workers: usize,
        script: impl Fn(u64) -> Behaviour + Send + Sync + 'static,
    ) -> Self {
        let inbox = Inbox::new();
        let executor = make(workers, Arc::new(move |id| script(id.0)), inbox.bell());
        assert_eq!(executor.workers(), workers, "as many workers as requested");
        let space = read("x = { integer = [1, 9] }\n", "space", Format::Toml).unwrap();
        Self { executor, inbox, space, last: 0.0, ended: BTreeMap::new(), failed: BTreeMap::new() }
    }

    fn request(&self, id: u64) -> TrialRequest {
        let pair = Pair { instance: InstanceId(id as u32 % 3), seed: Seed(id as u32) };
        TrialRequest {
            id: TrialId(id),
            key: TrialKey { config: ConfigId(0), pair },
            configuration: self.space.default_configuration(),
            cap: Cap::at(100.0),
            why: if id.is_multiple_of(2) { Why::Incumbent } else { Why::Challenge },
        }
    }

    fn submit(&mut self, id: u64) {
        let request = self.request(id);
        self.executor.submit(&request, None).unwrap();
    }

    /// Processes the next message. Returns false if none arrived within `patience` seconds.
    fn step(&mut self, patience: f64) -> bool {
        let happening = self.executor.next(&self.inbox, Some(patience));
        let now = self.executor.now();
        assert!(now >= self.last, "the clock went back from {} to {now}", self.last);
        self.last = now;
        match happening {
            Happening::Ended(record) => {
                let id = record.trial.id;
                let request = self.request(id.0);
                assert_eq!((record.trial.key, record.trial.why), (request.key, request.why), "trial {id}");
                assert!(record.started <= record.ended && record.ended <= now, "trial {id}: {record:?}");
                assert!(!self.failed.contains_key(&id), "trial {id} failed and ended");
                assert!(self.ended.insert(id, *record).is_none(), "trial {id} ended twice");
            }
            Happening::Failed(id, error) => {
                assert!(!self.ended.contains_key(&id), "trial {id} ended and failed");
                assert!(self.failed.insert(id, error).is_none(), "trial {id} failed twice");
            }
            Happening::Nothing => return false,
            Happening::Started { .. } | Happening::News(_) => {}
            other => panic!("unexpected message: {other:?}"),
        }
        true
    }

    /// Waits until all of these trials have ended or failed.
    fn await_all(&mut self, ids: impl IntoIterator<Item = u64>) {
        let ids: Vec<TrialId> = ids.into_iter().map(TrialId).collect();
        let is_over =
            |stage: &Self| ids.iter().all(|id| stage.ended.contains_key(id) || stage.failed.contains_key(id));
        while !is_over(self) {
            assert!(self.step(PATIENCE), "some of {ids:?} never ended; these did: {:?}", self.ended.keys());
        }
    }

    fn status(&self, id: u64) -> Status {
        self.ended[&TrialId(id)].status()
    }
}

/// Checks that an executor follows all rules.
///
/// # Panics
/// Panics if the executor breaks a rule.
pub fn conforms(make: Make<'_>) {
    every_trial_ends_once(make);
    a_cancelled_trial_ends_unfinished(make);
    a_lowered_cap_applies(make);
    the_reached_cost_never_decreases(make);
    a_trial_whose_worker_vanishes_is_lost(make);
    a_broken_trial_does_not_affect_others(make);
}

fn every_trial_ends_once(make: Make<'_>) {
    for workers in [1, 3] {
        let mut stage = Stage::new(make, workers, |id| Behaviour::Finish(0.001 * (1 + id % 5) as f64));
        // Submit the trials in waves, some of them larger than the number of workers.
        for wave in [1..3, 3..20, 20..24] {
            wave.clone().for_each(|id| stage.submit(id));
            stage.await_all(wave);
        }
        assert!(!stage.step(0.05), "a message after the end");
        assert_eq!(stage.ended.len(), 23);
        let all: Vec<&Record> = stage.ended.values().collect();
        assert!(all.iter().all(|record| record.status() == Status::Finished), "{all:?}");
        for one in &all {
            let parallel =
                all.iter().filter(|other| other.started <= one.started && one.started < other.ended);
            let slots: Vec<u32> = parallel.map(|other| other.slot).collect();
            let distinct: BTreeSet<u32> = slots.iter().copied().collect();
            assert!(slots.len() <= workers, "{} trials at a time on {workers} workers", slots.len());
            assert_eq!(distinct.len(), slots.len(), "two trials in one slot: {slots:?}");
        }
    }
}

fn a_cancelled_trial_ends_unfinished(make: Make<'_>) {
    let mut stage = Stage::new(make, 1, |id| Behaviour::Finish(if id == 3 { 0.001 } else { LONG }));
    stage.submit(1);
    // Wait until the trial has started.
    while stage.step(0.05) {}
    stage.submit(2);
    stage.submit(3);
    assert!(stage.executor.cancel(TrialId(2)), "trial 2 waits for the only worker");
    assert!(!stage.executor.cancel(TrialId(1)), "trial 1 is running");
    stage.await_all([1, 3]);
    assert_ne!(stage.status(1), Status::Finished);
    assert_eq!(stage.status(3), Status::Finished);
    assert!(stage.last < LONG, "trial 1 was not stopped before {}", stage.last);
    assert!(
        !stage.step(0.05) && !stage.ended.contains_key(&TrialId(2)),
        "trial 2 ended although it was cancelled"
    );
    assert!(!stage.executor.cancel(TrialId(77)), "trial 77 does not exist");
}

fn a_lowered_cap_applies(make: Make<'_>) {
    let mut stage = Stage::new(make, 1, |_| Behaviour::Finish(LONG));
    stage.submit(1);
    // Wait until the trial has started.
    while stage.step(0.05) {}
    stage.submit(2);
    // Trial 1 is running and trial 2 is waiting.
    stage.executor.tighten(TrialId(2), Cap::at(0.02));
    stage.executor.tighten(TrialId(1), Cap::at(0.3));
    stage.await_all([1, 2]);
    for (id, cap) in [(1, 0.3), (2, 0.02)] {
        let observation = &stage.ended[&TrialId(id)].trial.observation;
        assert_eq!(observation.status(), Status::Capped, "trial {id}");
        let cost = observation.cost().unwrap();
        assert!(cost.is_censored() && cost.lower_bound() >= cap && cost.lower_bound() < LONG, "{cost}");
    }
}

fn the_reached_cost_never_decreases(make: Make<'_>) {
    let mut stage = Stage::new(make, 2, |_| Behaviour::Finish(0.2));
    (1..=4).for_each(|id| stage.submit(id));
    let mut before: BTreeMap<TrialId, f64> = BTreeMap::new();
    while stage.ended.len() < 4 {
        for (id, cost) in stage.executor.reached() {
            assert!(
                (1..=4).contains(&id.0) && !stage.ended.contains_key(&id),
                "trial {id} is not running or waiting"
            );
            let last = before.insert(id, cost).unwrap_or(0.0);
            assert!(cost >= last && cost <= LONG, "trial {id} reached {last} and then {cost}");
        }
        stage.step(0.01);
        assert!(stage.last < PATIENCE, "the trials never ended");
    }
}

fn a_trial_whose_worker_vanishes_is_lost(make: Make<'_>) {
    let vanishes = |id: u64| if id == 2 { Behaviour::Vanish } else { Behaviour::Finish(0.001) };
    let mut stage = Stage::new(make, 2, vanishes);
    (1..=3).for_each(|id| stage.submit(id));
    stage.await_all(1..=3);
    assert!(stage.ended[&TrialId(2)].is_lost(), "{:?}", stage.ended[&TrialId(2)]);
    assert_eq!([1, 3].map(|id| stage.status(id)), [Status::Finished; 2]);
}

fn a_broken_trial_does_not_affect_others(make: Make<'_>) {
    for broken in [Behaviour::Abort, Behaviour::Panic] {
        let mut stage =
            Stage::new(make, 2, move |id| if id == 2 { broken } else { Behaviour::Finish(0.001) });
        (1..=3).for_each(|id| stage.submit(id));
        stage.await_all(1..=3);
        stage.submit(4);
        stage.await_all([4]);
        assert_eq!(stage.failed.keys().collect::<Vec<_>>(), [&TrialId(2)], "{broken:?}");
        assert_eq!([1, 3, 4].map(|id| stage.status(id)), [Status::Finished; 3], "{broken:?}");
    }
}
