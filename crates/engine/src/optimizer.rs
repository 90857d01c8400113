//! The engine as one object with an ask-and-tell interface.
//!
//! The state depends only on the settings, the seed and the calls made so far. Time enters only
//! through [`Optimizer::elapsed`], [`Optimizer::set_tempo`] and [`Optimizer::near_end`].

use std::collections::{BTreeMap, BTreeSet};

use space::Configuration;
use surrogate::Interrupt;

use crate::history::{History, Trial};
use crate::observation::Observation;
use crate::propose::{Choice, Forecast, Proposer, Tempo};
use crate::racing::{Ask, News, PendingTrial, Racer, Requested, Snapshot};
use crate::trial::{ConfigId, TrialId, TrialRequest};

/// An optimizer, which decides which trials to run and learns from their results.
pub struct Optimizer {
    history: History,
    racer: Box<dyn Racer>,
    proposer: Box<dyn Proposer>,
    running: BTreeMap<TrialId, TrialRequest>,
    /// Requested configurations that were new when the user requested them.
    requested: BTreeSet<ConfigId>,
}

/// The error returned when a result is reported for a trial that was never requested or has already ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("trial {0} is not running")]
pub struct NotRunning(pub TrialId);

impl Optimizer {
    /// Creates an optimizer that continues from a history. The racer must have been created from this history
    /// or restored for it.
    pub fn new(history: History, racer: Box<dyn Racer>, proposer: Box<dyn Proposer>) -> Self {
        let request = |pending: PendingTrial| {
            let PendingTrial { id, key, cap, why, .. } = pending;
            let configuration = history.configuration(key.config).clone();
            (id, TrialRequest { id, key, configuration, cap, why })
        };
        let running = racer.snapshot().pending.into_iter().map(request).collect();
        Self { history, racer, proposer, running, requested: BTreeSet::new() }
    }

    /// Returns what to do next with this many free slots. With no free slot, it returns only orders about
    /// running trials, or [`Ask::Wait`].
    pub fn ask(&mut self, slots: usize) -> Ask {
        let ask = self.racer.next(slots, &mut self.history, &mut *self.proposer);
        match &ask {
            Ask::Run(request) => {
                self.running.insert(request.id, request.clone());
            }
            Ask::Tighten(id, cap) => {
                if let Some(request) = self.running.get_mut(id) {
                    request.cap = *cap;
                }
            }
            Ask::Cancel(_) | Ask::Wait | Ask::Done(_) => {}
        }
        ask
    }

    /// Sets how much time may be spent on proposing configurations from now on.
    pub fn set_tempo(&mut self, tempo: Tempo) {
        self.proposer.set_tempo(tempo);
    }

    /// Interrupts long computations when the flag is raised. From then on, the optimizer's answers
    /// and its state are invalid; continue from an earlier snapshot.
    pub fn watch_interrupt(&mut self, interrupt: &Interrupt) {
        self.proposer.watch_interrupt(interrupt);
    }

    /// Sets whether the end of the campaign is near. If it is, the best configurations among those that lost
    /// are raced once more before any new configuration.
    pub fn near_end(&mut self, near: bool) {
        self.racer.near_end(near, &self.history, &mut *self.proposer);
    }

    /// Lets a configuration race before any new one. Returns its number and how the request was handled.
    pub fn request(&mut self, configuration: &Configuration) -> (ConfigId, Requested) {
        let new = self.history.find(configuration).is_none();
        let config = self.history.intern(configuration);
        if new {
            self.requested.insert(config);
        }
        (config, self.racer.request(config))
    }

    /// Records the result of a trial that has ended.
    pub fn tell(&mut self, id: TrialId, observation: Observation) -> Result<(), NotRunning> {
        let TrialRequest { id, key, cap, why, .. } = self.running.remove(&id).ok_or(NotRunning(id))?;
        self.history.push(Trial { id, key, cap, why, observation });
        self.racer.told(id, &self.history);
        Ok(())
    }

    /// Reports the costs that running trials have reached, all at the same moment. A running trial that is
    /// not listed counts as having cost nothing so far.
    pub fn elapsed(&mut self, reached: &[(TrialId, f64)]) {
        self.racer.elapsed(reached, &self.history);
    }

    /// Withdraws a running trial, which then ends without a result.
    pub fn withdraw(&mut self, id: TrialId) -> Result<(), NotRunning> {
        self.running.remove(&id).ok_or(NotRunning(id))?;
        self.racer.withdrawn(id);
        Ok(())
    }

    /// Returns all trials that have ended so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the trials that were requested and have not ended yet, ordered by their numbers.
    pub fn running(&self) -> impl Iterator<Item = &TrialRequest> {
        self.running.values()
    }

    /// Returns the best configuration so far.
    pub fn incumbent(&self) -> ConfigId {
        self.racer.incumbent()
    }

    /// Returns the number of pairs on which the incumbent's cost is known.
    pub fn incumbent_pairs(&self) -> usize {
        self.racer.incumbent_pairs()
    }

    /// Returns the events in the races since the last call.
    pub fn news(&mut self) -> Vec<News> {
        self.racer.news()
    }

    /// Returns how much more each running trial may cost before some trials should be cancelled. Once they
    /// have cost that much, the caller should report the costs reached with [`Optimizer::elapsed`], unless a
    /// trial has ended in the meantime.
    pub fn patience(&self) -> Option<f64> {
        self.racer.patience(&self.history)
    }

    /// Returns the name of a configuration's source.
    pub fn origin(&self, config: ConfigId) -> &'static str {
        if self.requested.contains(&config) { "given" } else { self.proposer.origin(config, &self.history) }
    }

    /// Returns what a model predicted for a configuration when it was proposed in this session; `None`
    /// if no model proposed it.
    pub fn forecast(&self, config: ConfigId) -> Option<Forecast> {
        self.proposer.forecast(config)
    }

    /// Returns the learner that was chosen to propose, if several were compared.
    pub fn choice(&self) -> Option<Choice> {
        self.proposer.choice()
    }

    /// Returns the state of the search without the history. After an interruption, a campaign continues from
    /// both.
    pub fn snapshot(&self) -> Snapshot {
        self.racer.snapshot()
    }
}
