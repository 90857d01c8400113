//! The stored records, one type for each table.

use std::path::PathBuf;

use engine::{ConfigId, Configuration, Seed, Space, TrialId, TrialKey};
use execution::Record;
use execution::executor::{Lease, RemoteWorker};

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
    /// Names of the instances, indexed by instance number. The list includes the instance of every trial. A
    /// campaign without instances has one entry.
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
    /// Trials of an ablation.
    pub ablations: Vec<StoredValidation>,
    /// New snapshot of the search, which replaces the last one.
    pub state: Option<State>,
    /// New total of the time that the campaign has used.
    pub spent: Option<Elapsed>,
    /// Workers on other machines that joined or left.
    pub workers: Vec<WorkerChange>,
    /// Trials that such workers have taken. A lease ends when its trial is stored.
    pub leases: Vec<Lease>,
    /// Trials whose leases have a new deadline, in seconds since 1970.
    pub renewed: Option<(Vec<TrialId>, f64)>,
    /// Trials whose leases ended without a stored result.
    pub released: Vec<TrialId>,
}

impl Batch {
    /// Returns whether a power cut may undo the batch: it has nothing but leases and their deadlines. A result without
    /// a lease is ignored, and its trial runs again.
    pub fn is_expendable(&self) -> bool {
        let Self { configurations, trials, incumbents, events, validations, ablations, .. } = self;
        let Self { state, spent, workers, released, leases: _, renewed: _, .. } = self;
        configurations.is_empty()
            && trials.is_empty()
            && incumbents.is_empty()
            && events.is_empty()
            && validations.is_empty()
            && ablations.is_empty()
            && state.is_none()
            && spent.is_none()
            && workers.is_empty()
            && released.is_empty()
    }
}

/// A worker on another machine that joined or left, with the campaign time.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerChange {
    /// The worker joined, or returned after an absence.
    Joined(RemoteWorker, f64),
    /// The worker with this name left.
    Left(String, f64),
}

/// A worker on another machine, as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredWorker {
    /// The worker.
    pub worker: RemoteWorker,
    /// Campaign time at which it first joined.
    pub joined: f64,
    /// Campaign time at which it left; `None` if it has not.
    pub left: Option<f64>,
    /// Time for which it was connected in earlier periods, before it left and returned.
    pub before: f64,
    /// Number of trials that it ended, lost ones included.
    pub trials: u64,
    /// Number of trials that were lost.
    pub lost: u64,
    /// Total time of its trials in seconds.
    pub busy: f64,
}

/// A configuration and its origin.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredConfiguration {
    /// The configuration's number, which must be the next free number.
    pub id: ConfigId,
    /// The source of the configuration: `default`, `design`, `random`, `local` ...
    pub origin: String,
    /// Its values.
    pub configuration: Configuration,
}

/// A configuration that became the incumbent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoredIncumbent {
    /// Number of trials that had ended when it took over.
    pub after: u64,
    /// The configuration's number.
    pub config: ConfigId,
    /// Number of pairs on which the configuration had been run.
    pub pairs: u32,
    /// Mean compared cost on these pairs.
    pub cost: f64,
    /// The time that the campaign had used by then.
    pub spent: Elapsed,
}

/// An event of the campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredEvent {
    /// Campaign time in seconds.
    pub at: f64,
    /// Kind of event in one word, such as `warning`.
    pub kind: String,
    /// Description of the event.
    pub text: String,
}

/// A validation trial, or a trial of an ablation. Its instance is stored by name, because the number of an unseen instance is valid only
/// within one session.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredValidation {
    /// The name of its instance.
    pub instance: String,
    /// The trial.
    pub record: Record,
    /// The machine that ran the trial, if known. The machine is not written with the trial, because it is
    /// stored with the session.
    pub host: Option<String>,
    /// The session that ran the trial, if it is stored. The store numbers its sessions itself.
    pub session: Option<u32>,
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
    /// The snapshot's format number.
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
    /// Its number, counted from 1.
    pub id: u32,
    /// Start time in UTC, such as `2026-01-31T12:00:00.000Z`.
    pub began_at: String,
    /// End time in the same format; `None` while the session runs, or if it was killed.
    pub ended_at: Option<String>,
    /// The reason why the session ended.
    pub reason: Option<String>,
    /// The machine's host name.
    pub host: String,
    /// The process ID.
    pub pid: u32,
    /// The version of captune that ran the session.
    pub version: String,
}
