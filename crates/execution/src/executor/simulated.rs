//! Runs trials in simulated time. A recorded table or a formula answers at once, and the clock jumps to the
//! end of the next trial. So a campaign of thousands of trials takes milliseconds.

use std::collections::{BTreeMap, VecDeque};

use engine::{Cap, Observation, Reading, Status, TrialId, TrialRequest};

use super::{Executor, Happening, Inbox, Pacing, Refused};
use crate::panics::caught;
use crate::{Account, Detail, Record, TargetError};

/// The result of a trial, provided that it is not stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Cost of the trial. If costs are times, this is also its duration.
    pub cost: f64,
    /// The status with which the trial ends: finished, crashed, memory, wrong or lost. `Aborted` means that
    /// no trial can succeed.
    pub status: Status,
    /// Values of the constrained outputs.
    pub constraints: Vec<f64>,
    /// Duration of the trial in seconds.
    pub time: f64,
}

impl Answer {
    /// Creates the answer for a trial that finishes at this cost and takes the same number of seconds.
    pub fn finished(cost: f64) -> Self {
        Self { cost, status: Status::Finished, constraints: Vec::new(), time: cost }
    }
}

/// A source of results that answers every trial at once.
pub trait Oracle: Send {
    /// Returns the result of the trial.
    fn answer(&mut self, request: &TrialRequest) -> Answer;
}

impl<F: FnMut(&TrialRequest) -> Answer + Send> Oracle for F {
    fn answer(&mut self, request: &TrialRequest) -> Answer {
        self(request)
    }
}

struct Running {
    request: TrialRequest,
    /// The answer, or the oracle's panic message.
    answer: Result<Answer, String>,
    started: f64,
    slot: usize,
}

impl Running {
    fn ends(&self) -> f64 {
        let Ok(Answer { cost, time, .. }) = self.answer else { return self.started };
        // The trial stops when its cost, which grows linearly, reaches the cap.
        let cap = self.request.cap.cost();
        if cost > cap && cost > 0.0 { self.started + time * (cap / cost) } else { self.started + time }
    }

    fn reached(&self, now: f64) -> f64 {
        match self.answer {
            Ok(Answer { cost, time, .. }) if time > 0.0 => {
                cost * ((now - self.started) / time).clamp(0.0, 1.0)
            }
            _ => 0.0,
        }
    }
}

/// An executor with workers in simulated time.
pub struct Simulated {
    oracle: Box<dyn Oracle>,
    cutoff: Option<f64>,
    workers: usize,
    now: f64,
    running: BTreeMap<TrialId, Running>,
    /// Trials waiting for a slot.
    waiting: VecDeque<TrialRequest>,
    /// Total busy time of all slots.
    busy: f64,
}

impl Simulated {
    /// Creates workers that get their results from an oracle. The clock starts at campaign time `now`.
    pub fn new(oracle: Box<dyn Oracle>, cutoff: Option<f64>, workers: usize, now: f64) -> Self {
        Self { oracle, cutoff, workers, now, running: BTreeMap::new(), waiting: VecDeque::new(), busy: 0.0 }
    }

    /// Advances the clock without running trials.
    pub fn pass(&mut self, seconds: f64) {
        self.now += seconds;
    }

    /// Returns the share of the slots' time spent on trials so far.
    pub fn busy_share(&self) -> f64 {
        let open: f64 = self.running.values().map(|running| self.now - running.started).sum();
        (self.busy + open) / (self.now * self.workers as f64)
    }

    fn first(&self) -> Option<(f64, TrialId)> {
        let order = |a: &(f64, TrialId), b: &(f64, TrialId)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        self.running.iter().map(|(&id, running)| (running.ends(), id)).min_by(order)
    }

    fn start(&mut self, request: &TrialRequest, at: f64) {
        let answer = caught(|| self.oracle.answer(request));
        let taken: Vec<usize> = self.running.values().map(|running| running.slot).collect();
        let slot = (0..).find(|slot| !taken.contains(slot)).unwrap_or(0);
        let request = request.clone();
        self.running.insert(request.id, Running { request, answer, started: at, slot });
    }

    fn end(&mut self, id: TrialId, at: f64) -> Happening {
        let Some(running) = self.running.remove(&id) else { return Happening::Nothing };
        self.now = self.now.max(at);
        if let Some(next) = self.waiting.pop_front() {
            self.start(&next, self.now);
        }
        self.busy += at - running.started;
        let time = at - running.started;
        let answer = match running.answer {
            Ok(answer) if answer.status != Status::Aborted => answer,
            Ok(_) => {
                let message = "aborted in simulated time".to_owned();
                return Happening::Failed(id, TargetError::Aborted { message });
            }
            Err(message) => return Happening::Failed(id, TargetError::Panicked { message }),
        };
        let cap = running.request.cap;
        let observation = if answer.cost > cap.cost() {
            let at = cap.cost();
            if self.cutoff.is_some_and(|cutoff| at >= cutoff) {
                Observation::timeout(at)
            } else {
                Observation::capped(at)
            }
        } else if answer.status == Status::Finished {
            let constraints: Vec<Option<Reading>> =
                answer.constraints.iter().map(|&value| Some(Reading::Exact(value))).collect();
            Observation::finished(answer.cost).with_constraints(constraints)
        } else {
            Observation::failed(answer.status, answer.cost)
        };
        let observation = match self.cutoff {
            Some(_) => observation,
            None => observation.with_spent(time),
        };
        let reason = (observation.status() == Status::Lost).then(|| "lost in simulated time".to_owned());
        let detail = Detail { cpu: Some(time), wall: Some(time), reason, ..Detail::default() };
        let account = Account { observation, detail };
        let record = Record::of(&running.request, account, running.started, at, running.slot);
        Happening::Ended(Box::new(record))
    }
}

impl Executor for Simulated {
    fn workers(&self) -> usize {
        self.workers
    }

    fn pacing(&self) -> Pacing {
        Pacing::Stepwise
    }

    fn now(&self) -> f64 {
        self.now
    }

    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused> {
        if self.running.len() < self.workers {
            self.start(request, started.unwrap_or(self.now));
        } else {
            self.waiting.push_back(request.clone());
        }
        Ok(())
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        if let Some(running) = self.running.get_mut(&id) {
            running.request.cap = cap;
        }
        if let Some(request) = self.waiting.iter_mut().find(|request| request.id == id) {
            request.cap = cap;
        }
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        if let Some(place) = self.waiting.iter().position(|request| request.id == id) {
            self.waiting.remove(place);
            return true;
        }
        if let Some(running) = self.running.get_mut(&id) {
            running.request.cap = Cap::at(running.reached(self.now).max(f64::MIN_POSITIVE));
        }
        false
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        if let Some(happening) = inbox.try_next() {
            return happening;
        }
        match (self.first(), patience) {
            (Some((ends, _)), Some(patience)) if ends > self.now + patience => {
                self.now += patience;
                Happening::Nothing
            }
            (Some((ends, id)), _) => self.end(id, ends.max(self.now)),
            (None, _) => Happening::Nothing,
        }
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        self.running.iter().map(|(&id, running)| (id, running.reached(self.now))).collect()
    }
}
