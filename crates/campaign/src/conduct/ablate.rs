//! An ablation after a campaign.

use std::path::PathBuf;
use std::sync::Arc;

use engine::{ConfigId, InstanceId};
use execution::executor::{Bell, Inbox, Local};
use scenario::{Instance, Scenario, read};
use store::{Batch, Store, host_name};

use super::both_targets::BothTargets;
use super::open::{ConductError, Order, in_stored_order, settings, worker_slots, workers};
use super::run::reason_without_search;
use crate::ablation::{Ablated, Limits, StoredPlan, ablate, readings};
use crate::budget::Budget;
use crate::staging::Staging;
use crate::{Desk, Ledger, Settings, Sink};

/// Share of the campaign's time that an ablation may take, unless the user sets its budget.
const SHARE: f64 = 0.25;

/// The user's choices for an ablation.
#[derive(Clone, Debug, Default)]
pub struct AblationOrder {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// What this session may spend. Without any limit, the wall time is a quarter of the campaign's.
    pub budget: Budget,
    /// Number of workers; overrides the scenario's.
    pub workers: Option<usize>,
}

/// A campaign opened for an ablation.
#[derive(Debug)]
pub struct ToAblate {
    /// Its scenario.
    pub scenario: Arc<Scenario>,
    /// Its settings.
    pub settings: Settings,
    /// The number of the best configuration.
    pub best: ConfigId,
    /// Number of trials that run at the same time.
    pub workers: usize,
    /// What this session may spend.
    pub budget: Budget,
    folder: PathBuf,
    store: Store,
    instances: Vec<Instance>,
    history: engine::History,
    wall: f64,
    /// The reason to store for the end of the session.
    reason: String,
}

/// Opens a campaign for an ablation.
pub fn open_to_ablate(order: &AblationOrder) -> Result<ToAblate, ConductError> {
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
    let given = Order { seed: Some(charter.seed), workers: order.workers, ..Order::default() };
    let settings = settings(&scenario, &given);
    let best = loaded.incumbents.last().map_or(ConfigId(0), |last| last.config);
    if best == ConfigId(0) || best.index() >= loaded.history.configurations().len() {
        return Err(ConductError::NothingToAblate);
    }
    let mut budget = order.budget;
    if budget == Budget::default() {
        budget.wall = Some(SHARE * loaded.spent.wall);
    }
    let reason = reason_without_search(&loaded.sessions, "ablation");
    let instances = in_stored_order(&charter.instances, &scenario.instances.train);
    Ok(ToAblate {
        workers: workers(&scenario, &given)?,
        scenario: Arc::new(scenario),
        settings,
        best,
        budget,
        folder: order.folder.clone(),
        store,
        instances,
        wall: loaded.spent.wall,
        reason,
        history: loaded.history,
    })
}

impl ToAblate {
    /// Runs trials until the ablation has ended or its budget is spent, and closes the store. `ready` receives
    /// a bell with which the caller can stop it.
    pub fn run(self, ready: impl FnOnce(Bell), sink: Sink<'_>) -> Result<Ablated, ConductError> {
        let Self { scenario, settings, workers, folder, store, instances, mut history, .. } = self;
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
        let names: Vec<String> = instances.iter().map(|instance| instance.name.clone()).collect();
        let earlier = StoredPlan::of_events(&store.reader().events()?, self.best);
        let rows = store.reader().ablations()?;
        let host = host_name();
        let known = readings(rows, &history, &names, &settings.validation, Some(&host));
        let stored = (history.configurations().len(), history.trials().len() as u64);
        let mut ledger = Ledger::on_disk(store, inbox.bell(), stored.0, stored.1)?;
        let plan = match earlier {
            Some(plan) => plan,
            None => {
                let plan = StoredPlan::new(&settings, &history, self.best, &names);
                let event = plan.event(self.wall).map_err(ConductError::Budget)?;
                ledger.note(Batch { events: vec![event], ..Batch::default() })?;
                plan
            }
        };
        let plan = plan.plan(&settings, &history, &names);
        let name = |id: InstanceId| names[id.index()].clone();
        let limits = Limits { budget: self.budget, names: &name };
        let ablated = {
            let mut desk = Desk::new(executor, inbox);
            ablate(&plan, known, &mut history, &limits, &mut desk, &mut ledger, sink)?
        };
        ledger.finish(&self.reason)?;
        Ok(ablated)
    }
}
