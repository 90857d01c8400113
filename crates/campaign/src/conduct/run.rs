//! A campaign from start to verdict.

use std::sync::Arc;

use engine::stats::Verdict;
use engine::{ConfigId, Configuration, InstanceId};

use super::open::{ConductError, Opened};
use crate::event::Stop;
use crate::executor::{Bell, Executor, Local, slots};
use crate::progress::Progress;
use crate::store::Batch;
use crate::target::ProcessTarget;
use crate::validation::conclude;
use crate::{Campaign, Ledger, Sink};

/// A configuration with its number.
#[derive(Clone, PartialEq, Debug)]
pub struct Valued {
    /// Its number.
    pub config: ConfigId,
    /// Its values.
    pub configuration: Configuration,
}

/// How a campaign ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Why the search stopped.
    pub stop: Stop,
    /// Where it stood then.
    pub progress: Progress,
    /// The best configuration.
    pub best: Valued,
    /// What may be said of it; `None` if it is the default, or if nothing was validated.
    pub verdict: Option<Verdict>,
}

impl Opened {
    /// Searches, validates, and closes the store. `ready` is given a bell that stops the campaign.
    pub fn run(self, ready: impl FnOnce(Bell), sink: Sink<'_>) -> Result<Outcome, ConductError> {
        let Self { scenario, settings, instances, workers, store, resumed, stored, .. } = self;
        let slots = slots(workers, scenario.parallel.cores_per_trial as usize)?;
        let target = Arc::new(ProcessTarget::new(scenario.clone()).on(instances.clone()));
        let executor = Local::new(target, slots, resumed.wall).map_err(ConductError::Worker)?;
        ready(executor.bell());
        let measured = store.reader().validations()?;
        let mut ledger = Ledger::on_disk(store, executor.bell(), stored.0, stored.1)?;
        if resumed.snapshot.is_none() && stored == (0, 0) {
            ledger.adopt(&resumed.history)?;
        }
        let event = settings.budget.event(resumed.wall).map_err(ConductError::Budget)?;
        ledger.note(Batch { events: vec![event], ..Batch::default() })?;
        let mut campaign = Campaign::new(&settings, Box::new(executor), ledger, Some(resumed))?;
        let stop = campaign.search(sink)?;
        let progress = campaign.progress();
        let config = campaign.optimizer().incumbent();
        let configuration = campaign.optimizer().history().configuration(config).clone();
        let best = Valued { config, configuration };
        let complete = matches!(stop, Stop::Budget(_) | Stop::Exhausted);
        let verdict = if complete {
            let unseen = instances.len() as u32 - settings.problem.instances;
            let names = |id: InstanceId| instances[id.index()].name.clone();
            conclude(&mut campaign, &settings, unseen, &names, &measured, sink)?
        } else {
            None
        };
        campaign.finish(&reason(&stop))?;
        Ok(Outcome { stop, progress, best, verdict })
    }
}

/// Why a session ended, for the store.
fn reason(stop: &Stop) -> String {
    match stop {
        Stop::Budget(limit) => format!("budget spent: {}", limit.name()),
        Stop::Exhausted => "every configuration tried".to_owned(),
        Stop::Interrupted => "interrupted".to_owned(),
        Stop::NeverSucceeded { .. } => "the default never succeeded".to_owned(),
        Stop::DefaultWrong { .. } => "the default gives wrong answers".to_owned(),
        Stop::Aborted(why) => format!("aborted: {why}"),
    }
}
