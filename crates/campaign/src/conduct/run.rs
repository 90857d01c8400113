//! Runs a campaign from start to verdict.

use std::sync::Arc;

use engine::{ConfigId, Configuration, InstanceId};
use execution::executor::{Bell, Executor as _, Inbox, Local};

use super::both_targets::BothTargets;
use super::open::{ConductError, Opened, worker_slots};
use crate::deadline::Deadline;
use crate::event::Stop;
use crate::progress::{self, Progress};
use crate::queue::Queue;
use crate::staging::Staging;
use crate::validation::{Concluded, comparable, conclude, plan};
use crate::{Campaign, Desk, Ledger, Sink};
use store::{Batch, host_name};

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

impl Opened {
    /// Searches, validates, and closes the store. `ready` receives a bell with which the caller can stop the
    /// campaign.
    pub fn run(self, ready: impl FnOnce(Bell), sink: Sink<'_>) -> Result<Outcome, ConductError> {
        let left = self.time_left();
        let Self { folder, scenario, settings, instances, workers, store, resumed, stored, .. } = self;
        let slots = worker_slots(&scenario, workers)?;
        let staging = Staging::of(&scenario, &folder);
        let sources = instances;
        let instances = staging.as_ref().map_or_else(|| sources.clone(), |staging| staging.staged(&sources));
        let target = Arc::new(BothTargets::new(&scenario, &instances, settings.validation.cutoff));
        let inbox = Inbox::new();
        let executor =
            Local::new(target, slots, resumed.wall, &inbox.bell()).map_err(ConductError::Worker)?;
        let deadline = left.map(|left| Deadline::at(executor.now() + left));
        ready(inbox.bell());
        if let Some(staging) = &staging {
            staging.stage(&sources)?;
        }
        let (measured, events) = (store.reader().validations()?, store.reader().events()?);
        let measured = comparable(measured, &settings.validation, Some(&host_name()));
        let mut ledger = Ledger::on_disk(store, inbox.bell(), stored.0, stored.1)?;
        let event = settings.budget.event(resumed.wall).map_err(ConductError::Budget)?;
        ledger.note(Batch { events: vec![event], ..Batch::default() })?;
        let mut campaign = Campaign::new(&settings, Desk::new(executor, inbox), ledger, Some(resumed))?
            .with_queue(Queue::of_campaign(&folder), &events)
            .until(deadline);
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
