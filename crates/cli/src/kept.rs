//! A campaign as its folder keeps it, for the verbs that look at it.

use std::path::{Path, PathBuf};

use campaign::Settings;
use campaign::budget::Budget;
use campaign::conduct::{self, ConductError, Order};
use campaign::folds::{Fold, FoldPlan};
use campaign::progress::{self, Standing};
use campaign::store::{Charter, Store, StoreReader};
use campaign::validation::{self, Judged};
use engine::history::History;
use engine::{ConfigId, Configuration};
use execution::CommandLine;
use scenario::{self, Scenario};
use space::Diagnostics;

use crate::message::Hinted;
use crate::progress::block::name;
use crate::trouble::explained;
use crate::words::Costs;

/// A campaign in its folder.
pub(crate) struct Kept {
    pub(crate) folder: PathBuf,
    pub(crate) reader: StoreReader,
    pub(crate) charter: Charter,
    /// Its scenario as it would be read today: files may have gone since.
    scenario: Result<Scenario, Diagnostics>,
}

/// The campaign's folder: as given, or the one that a scenario's campaign has unless told otherwise.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    if path.is_file() { path.with_extension("campaign") } else { path.to_owned() }
}

impl Kept {
    /// Reads what a folder keeps, also while the campaign runs.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let folder = folder_of(path);
        if let Some(plan) = FoldPlan::read(&folder)? {
            return Err(explained(ConductError::Several { folder, count: plan.folds.len() }));
        }
        let reader = Store::read(&folder)?;
        let charter = reader.charter()?;
        let mut scenario = scenario::read(&charter.scenario, &charter.folder, "the stored scenario");
        if let Ok(scenario) = &mut scenario {
            let apart = reader.test_instances()?.unwrap_or_default();
            scenario.instances.keep_apart(&charter.instances, &apart);
        }
        Ok(Self { folder, reader, charter, scenario })
    }

    /// The scenario, which must still be sound.
    pub(crate) fn scenario(&self) -> anyhow::Result<&Scenario> {
        let scenario = self.scenario.as_ref().map_err(Clone::clone)?;
        if scenario.space != self.charter.space {
            let message = "the file with the space has changed since the campaign last ran".to_owned();
            let hint = format!("put it back, or go on with `captune run {}`", self.folder.display());
            return Err(Hinted { message, hint }.into());
        }
        Ok(scenario)
    }

    /// The settings that the campaign runs with.
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let order = Order { seed: Some(self.charter.seed), ..Order::default() };
        Ok(conduct::settings(self.scenario()?, &order))
    }

    /// What the last session may spend.
    pub(crate) fn budget(&self) -> anyhow::Result<Budget> {
        match Budget::of_events(&self.reader.events()?) {
            Some(budget) => Ok(budget),
            None => Ok(self.settings()?.budget),
        }
    }

    /// What gains are measured against.
    pub(crate) fn default(&self) -> anyhow::Result<Configuration> {
        match (self.reader.configuration(ConfigId(0))?, &self.scenario) {
            (Some(stored), _) => Ok(stored.configuration),
            (None, Ok(scenario)) => Ok(scenario.baseline()),
            (None, Err(_)) => Ok(self.charter.space.default_configuration()),
        }
    }

    /// The best configuration so far.
    pub(crate) fn best(&self) -> anyhow::Result<(ConfigId, Configuration)> {
        match self.reader.summary()?.best {
            Some(leader) => Ok((leader.incumbent.config, leader.configuration.configuration)),
            None => Ok((ConfigId(0), self.default()?)),
        }
    }

    /// What a configuration is called.
    pub(crate) fn name_of(&self, config: ConfigId) -> String {
        let against = self.scenario.as_ref().map_or("default", |scenario| Costs::of(scenario).against);
        if config == ConfigId(0) { format!("the {against}") } else { name(config, against) }
    }

    /// The command of a configuration, ready to paste.
    pub(crate) fn command(&self, configuration: &Configuration) -> anyhow::Result<String> {
        Ok(CommandLine::for_use(self.scenario()?, configuration).to_string())
    }

    /// What the campaign has found, as one of several folds.
    pub(crate) fn fold(&self) -> anyhow::Result<Fold> {
        let (loaded, (best, _)) = (self.reader.load()?, self.best()?);
        let test: Vec<String> = self.scenario()?.instances.test.iter().map(|one| one.name.clone()).collect();
        Ok(Fold::of_campaign(&loaded, best, &test, &self.settings()?, &self.reader.validations()?))
    }

    /// The file of a configuration, as the target reads it.
    pub(crate) fn config_file(&self, configuration: &Configuration) -> anyhow::Result<String> {
        let scenario = self.scenario()?;
        let form = scenario.target.config_file.as_ref().ok_or_else(|| Hinted {
            message: "the target reads no file: the scenario has no `config_file`".to_owned(),
            hint: "`--as cmd` prints its command, `--as json`, `toml` or `pcs` the values".to_owned(),
        })?;
        Ok(form.content(&scenario.space, configuration))
    }

    /// What may be said of the best, as far as it has been validated.
    pub(crate) fn verdict(&self, history: &History, best: ConfigId) -> anyhow::Result<Option<Judged>> {
        let (scenario, mut settings) = (self.scenario()?, self.settings()?);
        // Whatever the budget of the session that measured them.
        settings.budget.trials = None;
        let measured = self.reader.validations()?;
        if best == ConfigId(0) || measured.is_empty() {
            return Ok(None);
        }
        // Instances of the training have the store's order; the unseen ones come after them.
        let test = scenario.instances.test.iter().map(|instance| &instance.name);
        let names: Vec<&String> = self.charter.instances.iter().chain(test).collect();
        let plan = validation::plan(&settings, scenario.instances.test.len() as u32);
        let objective = validation::objective(&settings);
        let validated = validation::recorded(&plan, &names, best, &measured, &objective);
        let training = progress::compare(history, &settings, ConfigId(0), best);
        let training = training.and_then(|both| both.telling_ratio());
        Ok(Judged::of(&validated, plan.basis, training, &objective, settings.problem.seed))
    }
}

/// Whether a configuration has been measured and has only failed.
pub(crate) fn is_failing(history: &History, config: ConfigId) -> bool {
    config.index() < history.configurations().len() && progress::has_only_failed(history, config)
}

/// A configuration's figures; `None` if it has not been measured.
pub(crate) fn standing(history: &History, settings: &Settings, config: ConfigId) -> Option<Standing> {
    if config.index() >= history.configurations().len() {
        return None;
    }
    let standing = progress::standing(history, &settings.problem.objective, config);
    (standing.pairs > 0).then_some(standing)
}
