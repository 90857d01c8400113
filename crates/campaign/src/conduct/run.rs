//! Runs a campaign from start to verdict.

use std::sync::Arc;
use std::time::SystemTime;

use engine::{ConfigId, Configuration, InstanceId};
use execution::Target;
use execution::executor::{Bell, Executor, Inbox, Lease, Local, RemoteWorker};
use scenario::{Instance, Scenario};

use super::both_targets::BothTargets;
use super::open::{ConductError, Opened, worker_slots};
use crate::deadline::{self, Deadline};
use crate::event::Stop;
use crate::progress::{self, Progress};
use crate::queue::Queue;
use crate::staging::Staging;
use crate::validation::{Concluded, comparable, conclude, plan};
use crate::{Campaign, Desk, Ledger, Sink};
use store::{Batch, Session, host_name};

/// A configuration with its number.
#[derive(Clone, PartialEq, Debug)]
pub struct Valued {
    /// Its number.
    pub config: ConfigId,
    /// Its values.
    pub configuration: Configuration,
}

/// The outcome of a campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The reason why the search stopped.
    pub stop: Stop,
    /// The state of the campaign when the search stopped.
    pub progress: Progress,
    /// The best configuration.
    pub best: Valued,
    /// The result of its validation. There is no verdict if the best configuration is the default or is
    /// infeasible.
    pub validation: Concluded,
    /// Number of pairs planned for the validation. The verdict covers fewer pairs if the validation ran out
    /// of budget.
    pub planned: usize,
    /// The deadline, if there was one. It records the time needed by the last trial that could not start or
    /// finish before it.
    pub deadline: Option<Deadline>,
    /// Number of configurations that violate a constraint, as far as measured.
    pub violating: usize,
}

/// What the executor of a campaign is made from.
pub struct Workplace {
    /// Runs the trials of search and validation.
    pub target: Arc<dyn Target>,
    /// Names of the instances, by number.
    pub instances: Vec<String>,
    /// Campaign time spent in earlier sessions.
    pub before: f64,
    /// Workers on other machines that joined in earlier sessions.
    pub workers: Vec<RemoteWorker>,
    /// Trials that such workers may still be running.
    pub leases: Vec<Lease>,
    /// The bell that the executor rings.
    pub bell: Bell,
}

/// Returns the target of a scenario, for search and validation.
pub fn target(scenario: &Arc<Scenario>, instances: &[Instance]) -> Arc<dyn Target> {
    Arc::new(BothTargets::new(scenario, instances, scenario.validation.cutoff))
}

impl Opened {
    /// Searches, validates, and closes the store, with workers on this machine. `ready` receives a bell with
    /// which the caller can stop the campaign.
    pub fn run(mut self, ready: impl FnOnce(Bell), sink: Sink<'_>) -> Result<Outcome, ConductError> {
        let slots = worker_slots(&self.scenario, self.workers)?;
        let staging = Staging::of(&self.scenario, &self.folder);
        let sources = self.instances.clone();
        if let Some(staging) = &staging {
            self.instances = staging.staged(&sources);
        }
        let local = |place: Workplace| {
            let local = Local::new(place.target, slots, place.before, &place.bell);
            let local = local.map_err(ConductError::Worker)?;
            ready(place.bell);
            if let Some(staging) = &staging {
                staging.stage(&sources)?;
            }
            Ok(local)
        };
        self.run_on(local, sink)
    }

    /// Searches, validates, and closes the store, with an executor that `make` returns.
    pub fn run_on<E: Executor>(
        self,
        make: impl FnOnce(Workplace) -> Result<E, ConductError>,
        sink: Sink<'_>,
    ) -> Result<Outcome, ConductError> {
        let Self { folder, scenario, settings, instances, store, resumed, stored, until, .. } = self;
        let target = Arc::new(BothTargets::new(&scenario, &instances, settings.validation.cutoff));
        let inbox = Inbox::new();
        let leases = store.reader().leases()?;
        let place = Workplace {
            target,
            instances: instances.iter().map(|instance| instance.name.clone()).collect(),
            before: resumed.wall,
            workers: store.reader().workers()?.into_iter().map(|stored| stored.worker).collect(),
            leases: leases.clone(),
            bell: inbox.bell(),
        };
        let executor = make(place)?;
        // Making the executor may take long, for instance if it copies the instances.
        let left = until.map(|end| deadline::left(&scenario, end, SystemTime::now()));
        let deadline = left.map(|left| Deadline::at(executor.job_time() + left));
        let (mut measured, events) = (store.reader().validations()?, store.reader().events()?);
        // Workers on other machines may have measured the earlier trials, too.
        if executor.is_local() {
            measured = comparable(measured, &settings.validation, Some(&host_name()));
        }
        let mut ledger = Ledger::on_disk(store, inbox.bell(), stored.0, stored.1)?;
        let event = settings.budget.event(resumed.wall).map_err(ConductError::Budget)?;
        ledger.note(Batch { events: vec![event], ..Batch::default() })?;
        let mut campaign = Campaign::new(&settings, Desk::new(executor, inbox), ledger, Some(resumed))?
            .with_queue(Queue::of_campaign(&folder), &events)
            .until(deadline);
        campaign.release_others(&leases)?;
        let stop = campaign.search(sink)?;
        let progress = campaign.progress();
        let config = campaign.optimizer().incumbent();
        let configuration = campaign.optimizer().history().configuration(config).clone();
        let best = Valued { config, configuration };
        let complete = matches!(stop, Stop::Budget(_) | Stop::Exhausted);
        let unseen = instances.len() as u32 - settings.problem.instances;
        let validation = if complete && settings.validation.wanted {
            let names = |id: InstanceId| instances[id.index()].name.clone();
            conclude(&mut campaign, &settings, unseen, &names, &measured, sink)?
        } else {
            Concluded::default()
        };
        let deadline = campaign.deadline();
        let violating =
            progress::violating(campaign.optimizer().history(), &settings.problem.objective.constraints);
        campaign.finish(&reason(&stop, scenario.against()))?;
        let planned = plan(&settings, unseen).pairs.len();
        Ok(Outcome { stop, progress, best, validation, planned, deadline, violating })
    }
}

/// The reason stored for a session that has tried every configuration.
pub(super) const EXHAUSTED: &str = "every configuration tried";
/// Start of the reason stored for a session that spent its budget.
const SPENT: &str = "budget spent";

/// Returns whether this reason for the end of a session means that the search is complete.
pub fn is_end(reason: &str) -> bool {
    reason == EXHAUSTED || reason.starts_with(SPENT)
}

/// Returns the reason to store for a session that searched nothing. If the search was complete before, it
/// still is.
pub(super) fn reason_without_search(sessions: &[Session], what: &str) -> String {
    let last = sessions.last().and_then(|session| session.reason.clone());
    last.filter(|reason| is_end(reason)).unwrap_or_else(|| what.to_owned())
}

/// Returns the reason to store for the end of a session.
fn reason(stop: &Stop, against: &str) -> String {
    match stop {
        Stop::Budget(limit) => format!("{SPENT}: {}", limit.name()),
        Stop::Exhausted => EXHAUSTED.to_owned(),
        Stop::Interrupted => "interrupted".to_owned(),
        Stop::Deadline => "deadline".to_owned(),
        Stop::NeverSucceeded { .. } => format!("the {against} never succeeded"),
        Stop::DefaultWrong { .. } => format!("the {against} gives wrong answers"),
        Stop::Lost { lost, of, .. } => format!("{lost} of {of} trials were lost"),
        Stop::Aborted(why) => format!("aborted: {why}"),
    }
}
