//! The stored records, one type for each table.

use std::path::PathBuf;

use engine::{ConfigId, Configuration, Seed, Space, TrialKey};
use execution::Record;

/// The definition of a campaign, fixed when it is created.
#[derive(Clone, PartialEq, Debug)]
pub struct Charter {
    /// Name of the campaign.
    pub name: String,
    /// The text of the scenario.
    pub scenario: String,
    /// The folder that the scenario's paths are relative to.
    pub folder: PathBuf,
    /// The space of its configurations.
    pub space: Space,
    /// Names of the instances, by number. Every trial's instance must be among them; a campaign without
    /// instances has one entry.
    pub instances: Vec<String>,
    /// Random seed.
    pub seed: u64,
}

/// Records that are stored together, atomically. Configurations come before the trials that use them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// New configurations, in increasing order of their numbers.
    pub configurations: Vec<StoredConfiguration>,
    /// Trials, in the order in which the search got them.
    pub trials: Vec<Record>,
    /// New incumbents, in the order of succession.
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

/// A configuration and its origin.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredConfiguration {
    /// Its number: the next one that is free.
    pub id: ConfigId,
    /// What proposed it: `default`, `design`, `random`, `local` ...
    pub origin: String,
    /// Its values.
    pub configuration: Configuration,
}

/// A configuration that became the incumbent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoredIncumbent {
    /// Number of trials before it took over.
    pub after: u64,
    /// Number of the configuration.
    pub config: ConfigId,
    /// Number of pairs on which it had been run.
    pub pairs: u32,
    /// Its mean compared cost on these pairs.
    pub cost: f64,
    /// What the campaign had spent by then.
    pub spent: Elapsed,
}

/// An event.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredEvent {
    /// Campaign time in seconds.
    pub at: f64,
    /// Kind of the event in one word, such as `warning`.
    pub kind: String,
    /// Description of the event.
    pub text: String,
}

/// A validation trial. Its instance is stored by name, because numbers of unseen instances are valid for one
/// session only.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredValidation {
    /// The name of its instance.
    pub instance: String,
    /// The trial.
    pub record: Record,
    /// The machine that ran it, if known. It is not written, because the session has it.
    pub host: Option<String>,
}

impl StoredValidation {
    /// Returns what identifies it: its configuration, instance and seed.
    pub fn key(&self) -> (ConfigId, &str, Seed) {
        let TrialKey { config, pair } = self.record.trial.key;
        (config, &self.instance, pair.seed)
    }
}

/// The state of the search, for resuming it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The search's own serialised state.
    pub snapshot: Vec<u8>,
    /// Format of the snapshot.
    pub format: u32,
    /// Number of stored trials that the snapshot has absorbed.
    pub told: u64,
}

/// What a campaign has used, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Elapsed {
    /// Wall-clock time while it ran.
    pub wall: f64,
    /// CPU time of its trials.
    pub cpu: f64,
}

/// One time that the campaign was started or resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Its number, from 1.
    pub id: u32,
    /// Start in UTC, such as `2026-01-31T12:00:00.000Z`.
    pub began_at: String,
    /// Likewise in UTC; `None` while it runs, or if it was killed.
    pub ended_at: Option<String>,
    /// Why it ended.
    pub reason: Option<String>,
    /// Name of the machine.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// Version of captune.
    pub version: String,
}
