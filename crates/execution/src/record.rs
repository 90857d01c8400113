//! The record of a trial that has ended.

use engine::history::Trial;
use engine::{Status, TrialRequest};
use serde::{Deserialize, Serialize};

use crate::{Account, Detail};

/// A trial's request, observation, further measurements, time and slot. The store, events, exports and remote
/// executors all use this type.
///
/// Records are serialised with field names, so that other versions can read them. Fields added later have
/// defaults, and unknown fields are ignored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The trial, in the form that the search uses.
    pub trial: Trial,
    /// Further measurements.
    #[serde(default)]
    pub detail: Detail,
    /// Campaign time at which the trial started, in seconds.
    pub started: f64,
    /// Campaign time at which the trial ended, in seconds.
    pub ended: f64,
    /// Number of the slot in which the trial ran.
    pub slot: u32,
}

impl Record {
    /// Creates the record of a request and its result.
    pub fn of(request: &TrialRequest, account: Account, started: f64, ended: f64, slot: usize) -> Self {
        let Account { observation, detail } = account;
        let TrialRequest { id, key, cap, why, .. } = *request;
        let slot = u32::try_from(slot).unwrap_or(u32::MAX);
        Self { trial: Trial { id, key, cap, why, observation }, detail, started, ended, slot }
    }

    /// Returns how the trial ended.
    pub fn status(&self) -> Status {
        self.trial.observation.status()
    }

    /// Returns the wall time of the whole trial in seconds, including set-up and teardown.
    pub fn duration(&self) -> f64 {
        (self.ended - self.started).max(self.detail.wall.unwrap_or(0.0))
    }

    /// Returns whether the trial was lost for a known reason. A trial that was cancelled on purpose before it
    /// had a usable cost has the same status, but no reason.
    pub fn is_lost(&self) -> bool {
        self.status() == Status::Lost && self.detail.reason.is_some()
    }

    /// Returns whether the trial was cancelled on purpose before it reported anything.
    pub fn is_cancelled(&self) -> bool {
        self.status() == Status::Lost && self.detail.reason.is_none()
    }
}

#[cfg(test)]
mod tests {
    use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Reading, Seed, TrialId, TrialKey, Why};

    use super::*;

    fn record() -> Record {
        let pair = Pair { instance: InstanceId(2), seed: Seed(17) };
        let observation = Observation::timeout(5.0)
            .with_constraints([Some(Reading::AtLeast(f64::INFINITY)), None])
            .with_tie(Some(0.5));
        let detail = Detail {
            cpu: Some(4.75),
            outputs: [("nodes".to_owned(), f64::NEG_INFINITY)].into(),
            stderr_tail: vec![104, 255],
            ..Detail::default()
        };
        let trial = Trial {
            id: TrialId(7),
            key: TrialKey { config: ConfigId(3), pair },
            cap: Cap::NONE,
            why: Why::Validation,
            observation,
        };
        Record { trial, detail, started: 1.0, ended: 6.5, slot: 1 }
    }

    /// Later versions must be able to read stored and transmitted records. Fields may be added to this text,
    /// but existing text must not change.
    #[test]
    fn the_serialised_form_is_stable_and_is_read_back() {
        let text = serde_json::to_string(&record()).unwrap();
        assert_eq!(
            text,
            r#"{"trial":{"id":7,"key":{"config":3,"pair":[2,17]},"cap":"inf","why":"validation","observation":{"#
                .to_owned()
                + r#""status":"timeout","cost":{"at_least":5.0},"spent":5.0,"#
                + r#""constraints":[{"at_least":"inf"},null],"tie":0.5}},"#
                + r#""detail":{"cpu":4.75,"wall":null,"memory":null,"exit":null,"outputs":{"nodes":"-inf"},"#
                + r#""reason":null,"stdout_tail":[],"stderr_tail":[104,255],"tier":"","teardown":null,"#
                + r#""left_behind":null,"server":null},"started":1.0,"ended":6.5,"slot":1}"#
        );
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record());
    }

    #[test]
    fn records_of_older_and_newer_versions_are_read() {
        let observation = r#"{"status":"finished","cost":{"exact":2.0},"spent":2.0}"#;
        let trial = format!(
            r#"{{"id":1,"key":{{"config":0,"pair":[0,1]}},"cap":9.0,"why":"challenge","observation":{observation}}}"#
        );
        for detail in ["", r#","detail":{}"#, r#","detail":{"cpu":1.5,"energy":3.0},"queue":"night""#] {
            let text = format!(r#"{{"trial":{trial}{detail},"started":0.0,"ended":2.0,"slot":0}}"#);
            let record: Record = serde_json::from_str(&text).unwrap();
            assert_eq!(record.trial.observation, Observation::finished(2.0));
            assert_eq!(record.detail.cpu, detail.contains("cpu").then_some(1.5));
        }
    }
}
