//! What the pages are computed from: the store's contents, read once.

use campaign::Settings;
use campaign::event::Event;
use engine::problem::Objective;
use engine::{ConfigId, InstanceId, Status};
use execution::Record;
use scenario::Scenario;

use super::optimizer;
use crate::costs::Costs;
use crate::error::ViewError;
use crate::ground::Ground;
use crate::records::Records;

/// The contents of a store, together with the scenario that explains them.
#[derive(Debug)]
pub struct Material<'a> {
    /// The store's contents.
    pub records: &'a Records<'a>,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The settings of the campaign.
    pub settings: Settings,
    /// The meaning of the costs.
    pub costs: Costs,
    /// The readings that the verdict is based on.
    pub ground: Ground<'a>,
    /// Times and reasons of the trials, in the order of the history.
    pub trials: Vec<TimedTrial>,
    /// The origin of each configuration, by number.
    pub origins: Vec<String>,
    /// All stored events that this version knows.
    pub events: Vec<Event>,
    /// Seconds that the optimizer has used in all sessions.
    pub optimizer: f64,
}

/// What the history does not keep of a trial.
#[derive(Clone, PartialEq, Debug)]
pub struct TimedTrial {
    /// Campaign time at which the trial started, in seconds.
    pub started: f64,
    /// Campaign time at which the trial ended, in seconds.
    pub ended: f64,
    /// Wall time of the whole trial.
    pub duration: f64,
    /// The reason for its status, if it is not obvious.
    pub reason: Option<String>,
}

impl TimedTrial {
    fn of(record: &Record) -> Self {
        let reason = record.detail.reason.clone();
        Self { started: record.started, ended: record.ended, duration: record.duration(), reason }
    }
}

impl<'a> Material<'a> {
    /// Reads everything that the pages need.
    pub fn of(records: &'a Records<'a>) -> Result<Self, ViewError> {
        let kept = records.kept;
        let (scenario, reader) = (kept.scenario()?, kept.reader());
        let mut trials = Vec::with_capacity(records.history().trials().len());
        reader.each_record(|record| trials.push(TimedTrial::of(record)))?;
        // A running campaign may have added trials since the history was read.
        trials.truncate(records.history().trials().len());
        let (settings, events) = (kept.settings()?, reader.events()?);
        Ok(Self {
            records,
            scenario,
            ground: Ground::of(records, settings.clone())?,
            settings,
            costs: Costs::of(scenario),
            trials,
            origins: reader.origins()?,
            events: events.iter().filter_map(Event::of_stored).collect(),
            optimizer: optimizer::seconds(&events),
        })
    }

    pub(super) fn objective(&self) -> &Objective {
        &self.settings.problem.objective
    }

    /// Returns the name of an instance.
    pub fn instance(&self, id: InstanceId) -> &str {
        self.records.kept.charter.instances.get(id.index()).map_or("", String::as_str)
    }

    /// Returns the origin of a configuration.
    pub fn origin(&self, config: ConfigId) -> &str {
        self.origins.get(config.index()).map_or("", String::as_str)
    }

    /// Returns the numbers of all configurations with a trial that has a result.
    pub fn measured(&self) -> impl Iterator<Item = ConfigId> {
        let history = self.records.history();
        let all = (0..history.configurations().len() as u32).map(ConfigId);
        all.filter(move |&config| history.readings(config).next().is_some())
    }

    /// Returns the numbers of all incumbents, without repetitions, in the order in which they took over.
    pub fn incumbents(&self) -> Vec<ConfigId> {
        let mut all: Vec<ConfigId> = Vec::new();
        for one in &self.records.loaded().incumbents {
            if !all.contains(&one.config) && self.records.is_known(one.config) {
                all.push(one.config);
            }
        }
        all
    }

    /// Returns the time of the last trial or of the whole campaign, whichever is later.
    pub fn duration(&self) -> f64 {
        let last = self.trials.iter().map(|trial| trial.ended).fold(0.0, f64::max);
        last.max(self.records.spent().wall)
    }
}

/// Returns whether a reading with this status is only a lower bound.
pub(super) fn is_bound(status: Status) -> bool {
    matches!(status, Status::Capped | Status::Timeout)
}
