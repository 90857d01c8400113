//! What is stored: plain records, one for each table.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::history::Trial;
use engine::{ConfigId, Configuration, Reading, Seed, Space, Status};

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
    pub trials: Vec<StoredTrial>,
    /// New ones, in the order of succession.
    pub incumbents: Vec<StoredIncumbent>,
    /// What happened.
    pub events: Vec<StoredEvent>,
    /// Trials of the validation.
    pub validations: Vec<StoredValidation>,
    /// Replaces the snapshot of the search.
    pub state: Option<State>,
    /// Replaces what the campaign has spent.
    pub spent: Option<Spent>,
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

/// A trial that has ended, with what was measured of it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTrial {
    /// What the search was told.
    pub trial: Trial,
    /// CPU seconds.
    pub cpu: Option<f64>,
    /// Wall seconds.
    pub wall: Option<f64>,
    /// Largest memory in bytes.
    pub memory: Option<u64>,
    /// Exit code, or minus the number of the signal that ended it.
    pub exit: Option<i32>,
    /// The outputs of the scenario that were found, by name.
    pub outputs: BTreeMap<String, f64>,
    /// Why it has its status, where that is not plain.
    pub reason: Option<String>,
    /// Campaign seconds at which it started.
    pub started: f64,
    /// Campaign seconds at which it ended.
    pub ended: f64,
    /// Which of the places for trials it ran in.
    pub slot: u32,
    /// The end of what it wrote, if it failed.
    pub output: Option<Output>,
}

/// The end of what a failed trial wrote.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// To its standard output.
    pub stdout: Vec<u8>,
    /// To its standard error.
    pub stderr: Vec<u8>,
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
    pub spent: Spent,
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

/// Which of the two compared configurations a validation trial is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// What the gain is measured against.
    Default,
    /// What the search found.
    Incumbent,
}

impl Role {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Incumbent => "incumbent",
        }
    }

    /// The role of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Default, Self::Incumbent].into_iter().find(|role| role.name() == name)
    }
}

/// A trial of the validation.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredValidation {
    /// Of which of the two.
    pub role: Role,
    /// The configuration.
    pub config: ConfigId,
    /// The unseen instance's name.
    pub instance: String,
    /// The random seed.
    pub seed: Seed,
    /// How it ended.
    pub status: Status,
    /// What is known of the cost.
    pub cost: Option<Reading>,
    /// CPU seconds.
    pub cpu: Option<f64>,
    /// Wall seconds.
    pub wall: Option<f64>,
    /// What it told of the outputs that constraints bound, one for each.
    pub constraints: Box<[Option<Reading>]>,
}

/// Where the search stands, for going on from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The search's own bytes.
    pub snapshot: Vec<u8>,
    /// How many of the stored trials it has taken in.
    pub told: u64,
}

/// What a campaign has used, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
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
