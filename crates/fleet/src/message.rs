//! The messages between coordinator and workers, as JSON.
//!
//! Each subject begins with the campaign's own name, so several campaigns can share a server:
//!
//! | subject | from | to |
//! |---|---|---|
//! | `captune.CAMPAIGN.coordinator` | any worker | the coordinator |
//! | `captune.CAMPAIGN.worker.NAME` | the coordinator | one worker |
//! | `captune.CAMPAIGN.all` | the coordinator | every worker |
//!
//! Only parameter values cross the wire. The worker has the scenario, and builds the command itself.

use engine::{Cap, ConfigId, Observation, Seed, TrialId, Why};
use execution::Detail;
use serde::{Deserialize, Serialize};

/// Returns the subject of messages to the coordinator.
pub fn to_coordinator(campaign: &str) -> String {
    format!("captune.{campaign}.coordinator")
}

/// Returns the subject of messages to one worker.
pub fn to_worker(campaign: &str, worker: &str) -> String {
    format!("captune.{campaign}.worker.{worker}")
}

/// Returns the subject of messages to every worker.
pub fn to_all(campaign: &str) -> String {
    format!("captune.{campaign}.all")
}

/// A message from a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Name of the worker.
    pub worker: String,
    /// The subject of the report.
    #[serde(flatten)]
    pub what: Reported,
}

/// The subject of a worker's message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reported {
    /// A heartbeat: everything that the coordinator must know about the worker.
    Beat(Beat),
    /// A slot is free.
    Ask(Ask),
    /// A trial has ended.
    Result {
        /// The lease of the trial.
        lease: u64,
        /// The result.
        outcome: Outcome,
    },
    /// The worker gives a trial back without having run it to its end.
    Return {
        /// The lease of the trial.
        lease: u64,
    },
    /// The worker leaves.
    Leave {
        /// The reason.
        why: String,
    },
}

/// The state of a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Beat {
    /// Number of the heartbeat. A heartbeat that arrives after a later one is ignored.
    pub number: u64,
    /// Version of captune.
    pub version: String,
    /// Digest of the worker's scenario.
    pub scenario: String,
    /// Host name of its machine.
    pub host: String,
    /// Speed of its machine.
    pub speed: f64,
    /// Number of its slots.
    pub slots: u32,
    /// Slots that wait for a trial.
    pub asks: Vec<Ask>,
    /// Trials that are running or whose results are not confirmed, with the costs that they have reached.
    pub leases: Vec<(u64, Option<f64>)>,
}

/// A slot that waits for a trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Number of the request; never used again by this worker.
    pub number: u64,
    /// The slot.
    pub slot: u32,
    /// Seconds that a trial may take, because the worker's job ends; `None`: any time.
    pub left: Option<f64>,
}

/// The result of a trial.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The trial has ended.
    Ended {
        /// The observation of the configuration.
        observation: Observation,
        /// Further details.
        detail: Box<Detail>,
    },
    /// The trial could not be run.
    Failed {
        /// The reason.
        message: String,
        /// Whether the cause may be a fault of this machine alone, such as a missing program.
        of_machine: bool,
    },
}

/// A message from the coordinator.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The answer to a heartbeat.
    Heard {
        /// Number of the heartbeat.
        number: u64,
        /// Seconds until the next heartbeat is due.
        next: f64,
        /// Leases that the coordinator does not know: drop them, with their trials and results.
        drop: Vec<u64>,
        /// Current caps of the worker's trials.
        caps: Vec<(u64, Cap)>,
    },
    /// The coordinator does not know this worker: send a heartbeat at once.
    Introduce,
    /// Run a trial.
    Grant(Grant),
    /// Lower the cap of a trial.
    Tighten {
        /// The lease of the trial.
        lease: u64,
        /// The new cap.
        cap: Cap,
    },
    /// Stop a trial.
    Cancel {
        /// The lease of the trial.
        lease: u64,
    },
    /// The result of a trial is on disk or no longer needed: forget it.
    Settled {
        /// The lease of the trial.
        lease: u64,
    },
    /// The worker is not wanted.
    Dismiss {
        /// The reason.
        why: String,
    },
    /// The campaign is over.
    End,
}

/// A trial for a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Grant {
    /// Number of the request that is granted.
    pub ask: u64,
    /// Number of the lease.
    pub lease: u64,
    /// Number of the trial.
    pub trial: TrialId,
    /// Number of the configuration.
    pub config: ConfigId,
    /// The values of the configuration, in the order of the space's parameters. A choice is given by its
    /// index. Inactive parameters have none.
    pub values: Vec<Option<f64>>,
    /// Name of the instance.
    pub instance: String,
    /// The seed.
    pub seed: Seed,
    /// The cost at which to stop the trial.
    pub cap: Cap,
    /// The reason for requesting the trial.
    pub why: Why,
}

/// Returns the JSON text of a message.
pub(crate) fn encode(message: &impl Serialize) -> Vec<u8> {
    // Serialising fails only for maps whose keys are not text; messages contain no such maps.
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let detail = Detail { cpu: Some(0.1), stderr_tail: vec![255, 0], ..Detail::default() };
        let ended = Outcome::Ended { observation: Observation::capped(0.1 + 0.2), detail: Box::new(detail) };
        let beat = Beat {
            number: 3,
            version: "1".to_owned(),
            scenario: "abc".to_owned(),
            host: "node".to_owned(),
            speed: 612.25,
            slots: 2,
            asks: vec![Ask { number: 4, slot: 1, left: None }],
            leases: vec![(7, Some(0.1)), (8, None)],
        };
        for what in [
            Reported::Beat(beat),
            Reported::Ask(Ask { number: 5, slot: 0, left: Some(12.5) }),
            Reported::Result { lease: u64::MAX, outcome: ended },
            Reported::Return { lease: 1 },
            Reported::Leave { why: "the job ends".to_owned() },
        ] {
            let report = Report { worker: "w".to_owned(), what };
            assert_eq!(serde_json::from_slice::<Report>(&encode(&report)).unwrap(), report);
        }
        let grant = Grant {
            ask: 4,
            lease: 9,
            trial: TrialId(1),
            config: ConfigId(2),
            values: vec![Some(0.1), None, Some(3.0)],
            instance: "a.cnf".to_owned(),
            seed: Seed(5),
            cap: Cap::NONE,
            why: Why::Challenge,
        };
        let caps = vec![(9, Cap::at(0.25))];
        for order in
            [Order::Grant(grant), Order::Heard { number: 3, next: 1.0, drop: vec![2], caps }, Order::End]
        {
            assert_eq!(serde_json::from_slice::<Order>(&encode(&order)).unwrap(), order);
        }
    }
}
