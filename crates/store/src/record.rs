//! The stored records, one type for each table.

use std::path::PathBuf;

use engine::{ConfigId, Configuration, Seed, Space, TrialKey};
use execution::Record;

/// Definition of a campaign, fixed when the campaign is created.
#[derive(Clone, PartialEq, Debug)]
pub struct Charter {
    /// Name of the campaign.
    pub name: String,
    /// The text of the scenario.
    pub scenario: String,
    /// The folder that the scenario's paths are relative to.
    pub folder: PathBuf,
    /// The space of the campaign's configurations.
    pub space: Space,
    /// Names of the instances, by number. They include the instance of every trial. A campaign without
    /// instances has one entry.
    pub instances: Vec<String>,
    /// Random seed.
    pub seed: u64,
}

/// Records that are stored together in one atomic step. Configurations come before the trials that use them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// New configurations, in increasing order of their numbers.
    pub configurations: Vec<StoredConfiguration>,
    /// Trials, in the order in which the search received them.
    pub trials: Vec<Record>,
    /// New incumbents, in the order in which they took over.
    pub incumbents: Vec<StoredIncumbent>,
    /// Events.
    pub events: Vec<StoredEvent>,
    /// Validation trials.
    pub validations: Vec<StoredValidation>,
    /// New snapshot of the search, which replaces the last one.
    pub state: Option<State>,
    /// New total of what the campaign has spent.
    pub spent: Option<Elapsed>,
}

/// A configuration, and what proposed it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredConfiguration {
    /// Number of the configuration, which must be the next free one.
    pub id: ConfigId,
    /// What proposed it: `default`, `design`, `random`, `local` ...
    pub origin: String,
    /// Its values.
    pub configuration: Configuration,
}

/// A configuration that became the incumbent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoredIncumbent {
    /// Number of trials that had ended when it took over.
    pub after: u64,
    /// Number of the configuration.
    pub config: ConfigId,
    /// Number of pairs on which the configuration had been run.
    pub pairs: u32,
    /// Mean compared cost on these pairs.
    pub cost: f64,
    /// What the campaign had spent by then.
    pub spent: Elapsed,
}

/// An event of the campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredEvent {
    /// Campaign time in seconds.
    pub at: f64,
    /// Kind of the event in one word, such as `warning`.
    pub kind: String,
    /// Description of the event.
    pub text: String,
}

/// A validation trial. Its instance is stored by name, because the number of an unseen instance is valid in
/// one session only.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredValidation {
    /// The name of its instance.
    pub instance: String,
    /// The trial.
    pub record: Record,
    /// The machine that ran the trial, if known. It is not written with the trial, because the session
    /// contains it.
    pub host: Option<String>,
}

impl StoredValidation {
    /// Returns the configuration, instance and seed, which identify the trial.
    pub fn key(&self) -> (ConfigId, &str, Seed) {
        let TrialKey { config, pair } = self.record.trial.key;
        (config, &self.instance, pair.seed)
    }
}

/// State of the search, stored so that the search can be resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The serialised state of the search.
    pub snapshot: Vec<u8>,
    /// Format of the snapshot.
    pub format: u32,
    /// Number of stored trials that the snapshot has absorbed.
    pub told: u64,
}

/// Time that a campaign has used, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Elapsed {
    /// Wall-clock time while the campaign ran.
    pub wall: f64,
    /// CPU time of the campaign's trials.
    pub cpu: f64,
}

/// One period from starting or resuming the campaign until it stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Its number, from 1.
    pub id: u32,
    /// Start time in UTC, such as `2026-01-31T12:00:00.000Z`.
    pub began_at: String,
    /// End time in the same format; `None` while the session runs, or if it was killed.
    pub ended_at: Option<String>,
    /// Why the session ended.
    pub reason: Option<String>,
    /// Name of the machine.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// Version of captune.
    pub version: String,
}
