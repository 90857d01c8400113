//! News about workers on other machines, which the campaign stores and displays.

use engine::TrialId;
use serde::{Deserialize, Serialize};

/// A message about workers on other machines.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// A worker has joined, or has returned after an absence.
    Joined(RemoteWorker),
    /// A worker has left.
    Left {
        /// Its name.
        name: String,
        /// The machine that it ran on.
        host: String,
        /// The reason.
        why: String,
    },
    /// A worker has taken a trial.
    Leased(Lease),
    /// Workers have renewed their leases: the trials, and the new deadline of all of these leases.
    Renewed(Vec<TrialId>, f64),
    /// No worker is connected, so no trial can run.
    NoWorkers,
    /// The machines differ in speed: the slowest and the fastest, each with its speed.
    Unequal([(String, f64); 2]),
}

/// A worker on another machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RemoteWorker {
    /// Its name, which is unique in the campaign.
    pub name: String,
    /// Host name of its machine.
    pub host: String,
    /// Number of its first slot. Slot numbers are never used again, so a trial's slot identifies its worker.
    pub first_slot: u32,
    /// Number of trials that it runs at the same time.
    pub slots: u32,
    /// Speed of its machine: million steps of a fixed computation per second.
    pub speed: f64,
}

/// A trial that a worker has taken and must report on before a deadline.
#[derive(Clone, PartialEq, Debug)]
pub struct Lease {
    /// Number of the lease. If a trial is repeated, each attempt has its own lease.
    pub id: u64,
    /// The trial.
    pub trial: TrialId,
    /// Name of the worker.
    pub worker: String,
    /// Number of the slot.
    pub slot: u32,
    /// Campaign time at which the worker took the trial.
    pub since: f64,
    /// Deadline in seconds since 1970. Heartbeats of the worker move it.
    pub until: f64,
}
