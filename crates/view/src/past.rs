//! Single trials of a campaign as its store keeps them, and those that failed.

use std::collections::BTreeMap;

use campaign::store::{self, Output, StoredTrial};
use engine::{Configuration, Reading, Status, TrialRequest};
use serde::{Serialize, Serializer};

/// A trial that has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Past {
    /// What was asked for.
    pub request: TrialRequest,
    /// How it ended.
    pub status: Status,
    /// What is known of its cost, as the search sees it.
    pub cost: Option<Reading>,
    /// The outputs of the scenario that were found, by name.
    pub outputs: BTreeMap<String, f64>,
    /// CPU seconds.
    pub cpu: Option<f64>,
    /// Wall seconds.
    pub wall: Option<f64>,
    /// Largest memory in bytes.
    pub memory: Option<u64>,
    /// Exit code, or minus the number of the signal that ended it.
    pub exit: Option<i32>,
    /// Why it has its status, where that is not plain.
    pub reason: Option<String>,
    /// The end of what it wrote to its standard output and its standard error, if it failed.
    pub wrote: Option<[Vec<u8>; 2]>,
}

impl Past {
    pub(crate) fn of(stored: StoredTrial, configuration: Configuration) -> Self {
        let trial = stored.trial;
        Self {
            status: trial.observation.status(),
            cost: trial.observation.cost(),
            request: TrialRequest {
                id: trial.id,
                key: trial.key,
                configuration,
                cap: trial.cap,
                why: trial.why,
            },
            outputs: stored.outputs,
            cpu: stored.cpu,
            wall: stored.wall,
            memory: stored.memory,
            exit: stored.exit,
            reason: stored.reason,
            wrote: stored.output.map(wrote),
        }
    }
}

/// Trials that failed in the same way.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Failure {
    /// Why: their common signature.
    pub reason: String,
    /// How they ended.
    #[serde(serialize_with = "name")]
    pub status: Status,
    /// How many.
    pub trials: u64,
    /// Of how many configurations.
    pub configurations: u64,
    /// The first few of those, by number.
    pub examples: Vec<u32>,
    /// The first of them that was told.
    pub first: Happened,
    /// The last.
    pub newest: Happened,
    /// The end of what the last one wrote to its standard output and its standard error.
    #[serde(skip)]
    pub wrote: Option<[Vec<u8>; 2]>,
}

/// Which trial, and when.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Happened {
    /// Its number.
    pub trial: u64,
    /// Campaign seconds at which it ended.
    pub at: f64,
}

impl Failure {
    pub(crate) fn of(group: store::Failures) -> Self {
        Self {
            reason: group.reason,
            status: group.status,
            trials: group.trials,
            configurations: group.configurations,
            examples: group.examples.iter().map(|config| config.0).collect(),
            first: Happened::of(&group.first),
            newest: Happened::of(&group.newest),
            wrote: group.newest.output.map(wrote),
        }
    }
}

impl Happened {
    fn of(stored: &StoredTrial) -> Self {
        Self { trial: stored.trial.id.0, at: stored.ended }
    }
}

fn wrote(Output { stdout, stderr }: Output) -> [Vec<u8>; 2] {
    [stdout, stderr]
}

fn name<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}
