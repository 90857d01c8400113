//! The contents of a campaign's store, read once, and results derived from them.

use campaign::Settings;
use campaign::budget::Spent;
use campaign::conduct;
use campaign::progress;
use campaign::validation::{self, Judged};
use engine::history::History;
use engine::stats::Basis;
use engine::{ConfigId, Configuration};
use store::{Loaded, StoredValidation};

use crate::crew::CrewMember;
use crate::error::ViewError;
use crate::ground::Ground;
use crate::kept::Kept;
use crate::state::{Session, hosts};
use crate::tally::Tally;

/// The contents of a campaign's store.
#[derive(Debug)]
pub struct Records<'a> {
    /// The campaign.
    pub kept: &'a Kept,
    loaded: Loaded,
    validations: Vec<StoredValidation>,
    default: Configuration,
}

impl<'a> Records<'a> {
    /// Reads the whole store.
    pub fn of(kept: &'a Kept) -> Result<Self, ViewError> {
        let (mut loaded, validations) = (kept.reader().load()?, kept.reader().validations()?);
        if let Ok(settings) = kept.settings() {
            // Without a readable scenario, there are no constraints to judge by.
            loaded.history.relate(ConfigId(0), &settings.problem.objective.constraints);
        }
        Ok(Self { default: kept.default()?, kept, loaded, validations })
    }

    /// Returns all trials.
    pub fn history(&self) -> &History {
        &self.loaded.history
    }

    /// Returns the validation trials.
    pub fn validations(&self) -> &[StoredValidation] {
        &self.validations
    }

    /// Returns the configuration that gains are measured against.
    pub fn default(&self) -> &Configuration {
        &self.default
    }

    /// Returns the number of the best configuration so far; this is the default if no other has won.
    pub fn best(&self) -> ConfigId {
        self.loaded.incumbents.last().map_or(ConfigId(0), |last| last.config)
    }

    /// Returns the best configuration.
    pub fn best_configuration(&self) -> &Configuration {
        if self.is_known(self.best()) { self.history().configuration(self.best()) } else { &self.default }
    }

    /// Returns whether all informative trials of the best configuration have failed.
    pub fn is_failing(&self) -> bool {
        self.is_known(self.best()) && progress::has_only_failed(self.history(), self.best())
    }

    /// Returns the numbers of trials and configurations.
    pub fn tally(&self) -> Tally {
        Tally::of(self.history(), self.loaded.lost)
    }

    /// Returns the time and trials that the campaign has spent.
    pub fn spent(&self) -> Spent {
        let Loaded { spent, history, .. } = &self.loaded;
        Spent { wall: spent.wall, cpu: spent.cpu, trials: history.trials().len() as u64 }
    }

    /// Returns all sessions.
    pub fn sessions(&self) -> Vec<Session> {
        self.loaded.sessions.iter().map(Session::of).collect()
    }

    /// Returns the machines that ran the campaign's trials: those of its fleet, or of its sessions.
    pub fn hosts(&self) -> Result<Vec<String>, ViewError> {
        let workers = self.workers()?;
        if workers.is_empty() {
            return Ok(hosts(self.sessions().iter().map(|session| &session.host)));
        }
        Ok(hosts(workers.iter().filter(|worker| worker.trials > 0).map(|worker| &worker.host)))
    }

    /// Returns the workers of the campaign's fleet.
    pub fn workers(&self) -> Result<Vec<CrewMember>, ViewError> {
        let stored = self.kept.reader().workers()?;
        Ok(stored.into_iter().map(|worker| CrewMember::of(worker, self.spent().wall)).collect())
    }

    pub(crate) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    pub(crate) fn is_known(&self, config: ConfigId) -> bool {
        config.index() < self.history().configurations().len()
    }

    /// Returns the names of the training instances by number.
    pub(crate) fn training_names(&self) -> &'a [String] {
        &self.kept.charter.instances
    }

    /// Returns the names of the instances by number: first the training instances in their stored order, then
    /// the unseen ones.
    pub(crate) fn names(&self) -> Result<Vec<&'a String>, ViewError> {
        let test = self.kept.scenario()?.instances.test.iter().map(|instance| &instance.name);
        Ok(self.kept.charter.instances.iter().chain(test).collect())
    }

    /// Returns the results of a configuration; `None` if it has not been measured.
    pub(crate) fn standing(&self, settings: &Settings, config: ConfigId) -> Option<progress::Standing> {
        let objective = &settings.problem.objective;
        let standing =
            self.is_known(config).then(|| progress::standing(self.history(), objective, config))?;
        (standing.pairs > 0).then_some(standing)
    }

    /// Compares the default and the best configuration on the training pairs; returns `None` if they are the
    /// same.
    pub(crate) fn training(&self, settings: &Settings) -> Option<progress::TrainingComparison> {
        let (default, best) = (ConfigId(0), self.best());
        let can_be = best != default && self.is_known(best);
        can_be.then(|| progress::compare(self.history(), settings, default, best)).flatten()
    }

    /// Returns the verdict on the best configuration, from the validation trials so far. This verdict equals
    /// the one that the run itself reported.
    pub(crate) fn judged(&self) -> Result<Option<Judged>, ViewError> {
        let (settings, best) = (self.kept.settings()?, self.best());
        if best == ConfigId(0) {
            return Ok(None);
        }
        let ground = Ground::of(self, settings.clone())?;
        if ground.basis() == Basis::TrainingOnly {
            let is_due = settings.validation.wanted && self.has_ended();
            return Ok(is_due.then(|| validation::by_training(self.history(), &settings, best)).flatten());
        }
        Ok(Judged::of_best(&ground.on_both(best), ground.basis(), self.history(), &settings, best))
    }

    /// Returns whether the search was completed.
    fn has_ended(&self) -> bool {
        let last = self.loaded.sessions.last().and_then(|session| session.reason.as_deref());
        last.is_some_and(conduct::is_end)
    }
}
