//! What is stored: plain records, one for each table.

use std::path::PathBuf;

use engine::{ConfigId, Configuration, Seed, Space, TrialKey};
use execution::Record;

/// What a campaign is; fixed when it is created.
#[derive(Clone, PartialEq, Debug)]
pub struct Charter {
    /// What it is called.
    pub name: String,
    /// The scenario, word by word.
    pub scenario: String,
    /// The folder that its paths count from.
    pub folder: PathBuf,
    /// The space its configurations are of.
    pub space: Space,
    /// Names of the instances, by number. Every trial's instance must be among them; a campaign
    /// without instances names one.
    pub instances: Vec<String>,
    /// What all its random streams derive from.
    pub seed: u64,
}

/// Things to store together: all of them or none. Configurations come before the trials that use them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// New ones, by rising number.
    pub configurations: Vec<StoredConfiguration>,
    /// In the order the search was told of them.
    pub trials: Vec<Record>,
    /// New ones, in the order of succession.
    pub incumbents: Vec<StoredIncumbent>,
    /// What happened.
    pub events: Vec<StoredEvent>,
    /// Trials of the validation.
    pub validations: Vec<StoredValidation>,
    /// Replaces the snapshot of the search.
    pub state: Option<State>,
    /// Replaces what the campaign has spent.
    pub spent: Option<Elapsed>,
}

/// A configuration and who proposed it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredConfiguration {
    /// The next number.
    pub id: ConfigId,
    /// Who proposed it: `default`, `design`, `random`, `local` ...
    pub origin: String,
    /// Its values.
    pub configuration: Configuration,
}

/// A configuration that became the incumbent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoredIncumbent {
    /// How many trials had been told by then.
    pub after: u64,
    /// Which one.
    pub config: ConfigId,
    /// How many pairs it had met.
    pub pairs: u32,
    /// Its mean compared cost on them.
    pub cost: f64,
    /// What the campaign had spent.
    pub spent: Elapsed,
}

/// Something that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredEvent {
    /// Campaign seconds.
    pub at: f64,
    /// One word, such as `warning`.
    pub kind: String,
    /// What happened.
    pub text: String,
}

/// A trial of the validation. Numbers of unseen instances hold for one session only: its instance has a name.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredValidation {
    /// The name of its instance.
    pub instance: String,
    /// The trial.
    pub record: Record,
    /// The machine that ran it, if that is known; not written, since its session tells it.
    pub host: Option<String>,
}

impl StoredValidation {
    /// What tells it from others: its configuration, instance and seed.
    pub fn key(&self) -> (ConfigId, &str, Seed) {
        let TrialKey { config, pair } = self.record.trial.key;
        (config, &self.instance, pair.seed)
    }
}

/// Where the search stands, for going on from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The search's own bytes.
    pub snapshot: Vec<u8>,
    /// How they are written.
    pub format: u32,
    /// How many of the stored trials it has taken in.
    pub told: u64,
}

/// What a campaign has used, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Elapsed {
    /// Time gone by while it ran.
    pub wall: f64,
    /// CPU time of its trials.
    pub cpu: f64,
}

/// One time that the campaign was started or resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// Its number, from 1.
    pub id: u32,
    /// UTC, such as `2026-01-31T12:00:00.000Z`.
    pub began_at: String,
    /// The same; `None` while it runs, and if it was killed.
    pub ended_at: Option<String>,
    /// Why it ended.
    pub reason: Option<String>,
    /// The machine.
    pub host: String,
    /// The process.
    pub pid: u32,
    /// captune's version.
    pub version: String,
}
