//! A campaign as stored in its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use campaign::Settings;
use campaign::budget::Budget;
use campaign::conduct::{self, Order, folder_of};
use campaign::folds::FoldPlan;
use engine::{ConfigId, Configuration, TrialId};
use execution::CommandLine;
use execution::Record;
use scenario::{Instance, Scenario};
use space::Diagnostics;
use store::{Charter, Holder, Store, StoreReader};

use crate::error::ViewError;

/// A stored campaign, opened for reading.
#[derive(Debug)]
pub struct Kept {
    /// The folder.
    pub folder: PathBuf,
    /// The charter of the campaign.
    pub charter: Charter,
    reader: StoreReader,
    /// The stored scenario, or the errors from reading it again: files that it refers to may no longer exist.
    scenario: Result<Scenario, Diagnostics>,
}

impl Kept {
    /// Opens the campaign in a folder, or the campaign of a scenario file, even while it is running.
    pub fn open(path: &Path) -> Result<Self, ViewError> {
        let folder = folder_of(path);
        if let Some(plan) = FoldPlan::read(&folder)? {
            return Err(ViewError::Several { folder, count: plan.folds.len() });
        }
        let reader = Store::read(&folder)?;
        let charter = reader.charter()?;
        let mut scenario = scenario::read(&charter.scenario, &charter.folder, "the stored scenario");
        if let Ok(scenario) = &mut scenario {
            let apart = reader.test_instances()?.unwrap_or_default();
            scenario.instances.keep_split(&charter.instances, &apart);
            restore_training(scenario, &charter.instances);
        }
        Ok(Self { folder, charter, reader, scenario })
    }

    /// Returns the scenario, or an error if it is no longer valid.
    pub fn scenario(&self) -> Result<&Scenario, ViewError> {
        let scenario = self.scenario.as_ref().map_err(|mistakes| ViewError::Scenario(mistakes.clone()))?;
        if scenario.space != self.charter.space {
            return Err(ViewError::OtherSpace { folder: self.folder.clone() });
        }
        Ok(scenario)
    }

    /// Returns the settings that the campaign runs with.
    pub fn settings(&self) -> Result<Settings, ViewError> {
        let order = Order { seed: Some(self.charter.seed), ..Order::default() };
        Ok(conduct::settings(self.scenario()?, &order))
    }

    /// Returns the budget of the last session.
    pub fn budget(&self) -> Result<Budget, ViewError> {
        match Budget::of_events(&self.reader.events()?) {
            Some(budget) => Ok(budget),
            None => Ok(self.settings()?.budget),
        }
    }

    /// Returns the configuration that gains are measured against.
    pub fn default(&self) -> Result<Configuration, ViewError> {
        match (self.reader.configuration(ConfigId(0))?, &self.scenario) {
            (Some(stored), _) => Ok(stored.configuration),
            (None, Ok(scenario)) => Ok(scenario.baseline()),
            (None, Err(_)) => Ok(self.charter.space.default_configuration()),
        }
    }

    /// Returns the process that is running the campaign, if there is one.
    pub fn holder(&self) -> Result<Option<Holder>, ViewError> {
        Ok(Store::holder(&self.folder)?)
    }

    /// Returns the command that runs the target with a configuration, ready to paste into a shell.
    pub fn command(&self, configuration: &Configuration) -> Result<String, ViewError> {
        Ok(CommandLine::to_paste(self.scenario()?, configuration))
    }

    /// Returns the configuration with this number.
    pub fn configuration(&self, config: ConfigId) -> Result<Configuration, ViewError> {
        let stored = self.reader.configuration(config)?;
        stored.map(|stored| stored.configuration).ok_or(ViewError::NoConfiguration(config))
    }

    /// Returns the trial with this number. Trials are numbered in the order in which the search requested
    /// them.
    pub fn trial(&self, id: TrialId) -> Result<Option<Record>, ViewError> {
        Ok(self.reader.trial_of_id(id)?)
    }

    /// Returns the highest trial number among the trials that have ended.
    pub fn last_trial(&self) -> Result<Option<TrialId>, ViewError> {
        Ok(self.reader.last_trial()?)
    }

    /// Returns the store's reader, which exports need.
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }
}

/// Restores the campaign's training instances in their stored order, because files may have been added or
/// removed.
fn restore_training(scenario: &mut Scenario, names: &[String]) {
    let known = std::mem::take(&mut scenario.instances.train);
    let mut known: BTreeMap<String, Instance> =
        known.into_iter().map(|instance| (instance.name.clone(), instance)).collect();
    let by_name = |name: &String| known.remove(name).unwrap_or_else(|| Instance::new(name, name));
    scenario.instances.train = names.iter().map(by_name).collect();
}
