//! Ask and tell: the engine as one object.
//!
//! The state after any number of calls is a function of the settings, the seed and the calls. Time
//! enters only by [`Optimizer::elapsed`], [`Optimizer::keep_tempo`] and [`Optimizer::near_end`].

use std::collections::{BTreeMap, BTreeSet};

use space::Configuration;
use surrogate::Interrupt;

use crate::history::{History, Trial};
use crate::observation::Observation;
use crate::propose::{Choice, Foretold, Proposer, Tempo};
use crate::racing::{Ask, News, PendingTrial, Racer, Requested, Snapshot};
use crate::trial::{ConfigId, TrialId, TrialRequest};

/// Decides which trials to run and learns from what they told.
pub struct Optimizer {
    history: History,
    racer: Box<dyn Racer>,
    proposer: Box<dyn Proposer>,
    running: BTreeMap<TrialId, TrialRequest>,
    /// Configurations that nobody proposed before someone asked for them.
    requested: BTreeSet<ConfigId>,
}

/// A trial was told that was not asked for, or told twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("trial {0} is not running")]
pub struct NotRunning(pub TrialId);

impl Optimizer {
    /// Goes on from a history with a racer that knows it.
    pub fn new(history: History, racer: Box<dyn Racer>, proposer: Box<dyn Proposer>) -> Self {
        let request = |pending: PendingTrial| {
            let PendingTrial { id, key, cap, why, .. } = pending;
            let configuration = history.configuration(key.config).clone();
            (id, TrialRequest { id, key, configuration, cap, why })
        };
        let running = racer.snapshot().pending.into_iter().map(request).collect();
        Self { history, racer, proposer, running, requested: BTreeSet::new() }
    }

    /// What to do next with so many free slots; with none, only orders about running trials.
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

    /// How much time there is to think about new configurations from now on.
    pub fn keep_tempo(&mut self, tempo: Tempo) {
        self.proposer.keep_tempo(tempo);
    }

    /// Breaks off long thoughts when the flag is raised. An answer given after that counts for nothing, and so
    /// does the state: whoever goes on does so from an earlier snapshot.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.proposer.heed(interrupt);
    }

    /// Whether the end is near: then the best of those that lost race once more before new ones.
    pub fn near_end(&mut self, near: bool) {
        self.racer.near_end(near, &self.history, &mut *self.proposer);
    }

    /// Races a configuration before any new one; gives its number, and whether it is to race at all.
    pub fn request(&mut self, configuration: &Configuration) -> (ConfigId, Requested) {
        let new = self.history.find(configuration).is_none();
        let config = self.history.intern(configuration);
        if new {
            self.requested.insert(config);
        }
        (config, self.racer.request(config))
    }

    /// A trial has ended.
    pub fn tell(&mut self, id: TrialId, observation: Observation) -> Result<(), NotRunning> {
        let TrialRequest { id, key, cap, why, .. } = self.running.remove(&id).ok_or(NotRunning(id))?;
        self.history.push(Trial { id, key, cap, why, observation });
        self.racer.told(id, &self.history);
        Ok(())
    }

    /// The costs that running trials have reached at one moment; of one that is not among them nothing counts until
    /// it is told.
    pub fn elapsed(&mut self, reached: &[(TrialId, f64)]) {
        self.racer.elapsed(reached, &self.history);
    }

    /// A trial will not be run to its end, and says nothing.
    pub fn withdraw(&mut self, id: TrialId) -> Result<(), NotRunning> {
        self.running.remove(&id).ok_or(NotRunning(id))?;
        self.racer.withdrawn(id);
        Ok(())
    }

    /// Everything told so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The trials asked for and not told, by number.
    pub fn running(&self) -> impl Iterator<Item = &TrialRequest> {
        self.running.values()
    }

    /// The best so far.
    pub fn incumbent(&self) -> ConfigId {
        self.racer.incumbent()
    }

    /// How many pairs the incumbent has.
    pub fn incumbent_pairs(&self) -> usize {
        self.racer.incumbent_pairs()
    }

    /// What happened in the races since this was last asked.
    pub fn news(&mut self) -> Vec<News> {
        self.racer.news()
    }

    /// If no trial ends before each running one has cost this much more, some should be cancelled.
    pub fn patience(&self) -> Option<f64> {
        self.racer.patience(&self.history)
    }

    /// Where a configuration came from.
    pub fn origin(&self, config: ConfigId) -> &'static str {
        if self.requested.contains(&config) { "given" } else { self.proposer.origin(config, &self.history) }
    }

    /// What was expected of a configuration when it was proposed in this session; `None` where nobody expected anything.
    pub fn foretold(&self, config: ConfigId) -> Option<Foretold> {
        self.proposer.foretold(config)
    }

    /// Which learner proposes, if that was a choice.
    pub fn choice(&self) -> Option<Choice> {
        self.proposer.choice()
    }

    /// The state beside the history, to go on from after an interruption.
    pub fn snapshot(&self) -> Snapshot {
        self.racer.snapshot()
    }
}
