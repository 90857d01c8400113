//! A separate validation after a campaign, for the best configuration or any other one.

use std::path::PathBuf;
use std::sync::Arc;

use engine::stats::Basis;
use engine::{ConfigId, Configuration, InstanceId};
use execution::executor::{Bell, Inbox, Local};
use scenario::{Instance, Scenario, read};

use super::both_targets::BothTargets;
use super::open::{ConductError, Order, in_stored_order, settings, validation_budget, worker_slots, workers};
use super::run::{Valued, reason_without_search};
use crate::staging::Staging;
use crate::validation::{self, Candidate, Concluded, Judged, Validation, plan};
use crate::{Desk, Ledger, Settings, Sink};
use store::{Batch, Store, StoredConfiguration, host_name};

/// The user's choices for a separate validation.
#[derive(Clone, Debug, Default)]
pub struct ValidationOrder {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// The configuration to validate; the best one if this is `None`.
    pub configuration: Option<Configuration>,
    /// Files or words to validate on, written as in the scenario. These files or words replace the instances
    /// set aside for validation.
    pub instances: Vec<String>,
    /// Cutoff for the validation; overrides the scenario's.
    pub cutoff: Option<f64>,
    /// Number of seeds; overrides the scenario's.
    pub seeds: Option<u32>,
    /// Number of workers; overrides the scenario's.
    pub workers: Option<usize>,
    /// Whether to repeat trials that were already measured.
    pub fresh: bool,
}

/// A campaign opened for a validation.
#[derive(Debug)]
pub struct ToValidate {
    /// Its scenario.
    pub scenario: Arc<Scenario>,
    /// Its settings.
    pub settings: Settings,
    /// The configuration that is compared with the baseline.
    pub candidate: Valued,
    /// Number of trials that run at the same time.
    pub workers: usize,
    folder: PathBuf,
    store: Store,
    instances: Vec<Instance>,
    history: engine::History,
    wall: f64,
    /// Whether the candidate is new to the store.
    is_new: bool,
    /// Whether to ignore earlier measurements.
    fresh: bool,
    /// The reason to store for the end of the session.
    reason: String,
}

/// The result of a separate validation.
#[derive(Clone, PartialEq, Debug)]
pub struct LaterVerdict {
    /// The verdict, if any pair was measured with both configurations.
    pub concluded: Concluded,
    /// Number of pairs planned.
    pub planned: usize,
}

/// Opens a campaign for a validation.
pub fn open_to_validate(order: &ValidationOrder) -> Result<ToValidate, ConductError> {
    let store = Store::open(&order.folder)?;
    let loaded = store.load()?;
    let charter = &loaded.charter;
    let mut scenario =
        read(&charter.scenario, &charter.folder, "the stored scenario").map_err(ConductError::Scenario)?;
    if scenario.space != charter.space {
        return Err(ConductError::OtherSpace { folder: order.folder.clone() });
    }
    let apart = store.reader().test_instances()?.unwrap_or_default();
    scenario.instances.keep_split(&charter.instances, &apart);
    if !order.instances.is_empty() {
        scenario
            .instances
            .validate_on(&order.instances, &scenario.folder)
            .map_err(ConductError::Instances)?;
    }
    let given = Order { seed: Some(charter.seed), workers: order.workers, ..Order::default() };
    let mut settings = settings(&scenario, &given);
    let terms = &mut settings.validation;
    // A separate validation has no time limit unless the scenario sets one.
    terms.budget = validation_budget(&scenario);
    (terms.cutoff, terms.seeds) = (order.cutoff.or(terms.cutoff), order.seeds.or(terms.seeds));
    if let (Some(wanted), Some(least)) = (terms.cutoff, settings.problem.objective.cutoff)
        && wanted < least
    {
        return Err(ConductError::ShortCutoff);
    }
    let mut history = loaded.history;
    history.relate(ConfigId(0), &settings.problem.objective.constraints);
    let incumbent = store.reader().summary()?.best.map(|leader| leader.incumbent.config);
    let candidate = match (&order.configuration, incumbent) {
        (Some(configuration), _) => Valued {
            config: history.find(configuration).unwrap_or(ConfigId(history.configurations().len() as u32)),
            configuration: configuration.clone(),
        },
        (None, Some(config)) => Valued { config, configuration: history.configuration(config).clone() },
        (None, None) => return Err(ConductError::NothingToValidate),
    };
    if candidate.config == ConfigId(0) || history.configurations().is_empty() {
        return Err(ConductError::NothingToValidate);
    }
    if plan(&settings, scenario.instances.test.len() as u32).basis == Basis::TrainingOnly {
        return Err(ConductError::NothingUnseen);
    }
    let train = in_stored_order(&charter.instances, &scenario.instances.train);
    let instances = train.into_iter().chain(scenario.instances.test.clone()).collect();
    Ok(ToValidate {
        workers: workers(&scenario, &given)?,
        is_new: candidate.config.index() >= history.configurations().len(),
        scenario: Arc::new(scenario),
        settings,
        candidate,
        folder: order.folder.clone(),
        store,
        instances,
        history,
        wall: loaded.spent.wall,
        reason: reason_without_search(&loaded.sessions, "validated"),
        fresh: order.fresh,
    })
}

impl ToValidate {
    /// Runs the trials that have not been measured yet (all trials if `fresh` is set) and closes the store.
    /// `ready` receives a bell with which the caller can stop the validation.
    pub fn run(self, ready: impl FnOnce(Bell), sink: Sink<'_>) -> Result<LaterVerdict, ConductError> {
        let Self { scenario, settings, candidate, workers, folder, store, instances, history, .. } = self;
        let staging = Staging::of(&scenario, &folder);
        let used = staging.as_ref().map_or_else(|| instances.clone(), |staging| staging.staged(&instances));
        let slots = worker_slots(&scenario, workers)?;
        let target = Arc::new(BothTargets::new(&scenario, &used, settings.validation.cutoff));
        let inbox = Inbox::new();
        let executor = Local::new(target, slots, self.wall, &inbox.bell()).map_err(ConductError::Worker)?;
        ready(inbox.bell());
        if let Some(staging) = &staging {
            staging.stage(&instances)?;
        }
        let measured = store.reader().validations()?;
        let measured = validation::comparable(measured, &settings.validation, Some(&host_name()));
        let stored = (history.configurations().len(), history.trials().len() as u64);
        let mut ledger = Ledger::on_disk(store, inbox.bell(), stored.0, stored.1)?;
        if self.is_new {
            let Valued { config: id, configuration } = candidate.clone();
            let new = StoredConfiguration { id, origin: "given".to_owned(), configuration };
            ledger.note(Batch { configurations: vec![new], ..Batch::default() })?;
        }
        let unseen = instances.len() as u32 - settings.problem.instances;
        let plan = plan(&settings, unseen);
        let names = |id: InstanceId| instances[id.index()].name.clone();
        let default = ConfigId(0);
        let validation = Validation {
            plan: &plan,
            default: Candidate { config: default, configuration: history.configuration(default).clone() },
            incumbent: Candidate { config: candidate.config, configuration: candidate.configuration.clone() },
            settings: &settings,
            names: &names,
            measured: &measured,
            fresh: self.fresh,
        };
        let (validated, gave_up) = {
            let mut desk = Desk::new(executor, inbox);
            validation::validate(&validation, &mut desk, &mut ledger, None, sink)?
        };
        ledger.finish(&self.reason)?;
        let verdict = Judged::of_best(&validated, plan.basis, &history, &settings, candidate.config);
        Ok(LaterVerdict { concluded: Concluded { verdict, gave_up }, planned: plan.pairs.len() })
    }
}
