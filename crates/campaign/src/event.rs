//! Events of a campaign. All displays are driven by these events.

use std::path::PathBuf;

use engine::problem::Holding;
use engine::propose::{Choice, Forecast};
use engine::racing::{Drop, Requested};
use engine::{Cap, ConfigId, TrialId};
use execution::Record;
use execution::executor::RemoteWorker;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use space::Values;

use crate::budget::Limit;
use crate::progress::Progress;
use store::StoredEvent;

/// Something that happened, with its time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Campaign time in seconds.
    pub at: f64,
    /// The kind of event, with its details.
    pub what: What,
}

impl Event {
    /// Returns the event as a row of the journal, or `None` if its kind is not stored. Trials are not stored
    /// here because they have their own table, and progress is too frequent.
    pub(crate) fn stored(&self) -> Option<StoredEvent> {
        if matches!(
            self.what,
            What::TrialEnded(_) | What::Progress(_) | What::Validating { .. } | What::Ablating { .. }
        ) {
            return None;
        }
        self.written()
    }

    /// Returns the event as a row of the journal, whatever its kind.
    pub(crate) fn written(&self) -> Option<StoredEvent> {
        // Serialising fails only for values that JSON cannot express; events contain no such values.
        let Ok(Value::Object(tagged)) = serde_json::to_value(&self.what) else { return None };
        let (kind, fields) = tagged.into_iter().next()?;
        Some(StoredEvent { at: self.at, kind, text: fields.to_string() })
    }

    /// Reads a row of the journal; returns `None` for kinds that this version does not know.
    pub fn of_stored(stored: &StoredEvent) -> Option<Self> {
        let fields = serde_json::from_str(&stored.text).ok()?;
        let tagged = Value::Object([(stored.kind.clone(), fields)].into_iter().collect());
        Some(Self { at: stored.at, what: serde_json::from_value(tagged).ok()? })
    }
}

/// The kind of an event, with its details.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A trial is on disk, and its result has been reported to the optimizer.
    TrialEnded(Box<Record>),
    /// A race of a configuration against the incumbent has begun.
    RaceOpened {
        /// The challenger.
        config: ConfigId,
        /// The model's forecast, if the configuration is new and a model proposed it.
        foretold: Option<Forecast>,
    },
    /// The cap of a running trial was lowered.
    CapLowered {
        /// The trial.
        id: TrialId,
        /// Its new cap.
        cap: Cap,
    },
    /// The user wants a configuration tried.
    Requested {
        /// Its number.
        config: ConfigId,
        /// Its values.
        values: Values,
        /// The racer's response to the request.
        requested: Requested,
    },
    /// A challenger was dropped from its race.
    RaceDropped {
        /// The challenger.
        config: ConfigId,
        /// Number of pairs on which the challenger's cost was known.
        pairs: usize,
        /// The reason.
        why: Drop,
    },
    /// captune has chosen this learner, which it now judges to be the best.
    Chosen(Choice),
    /// A challenger has won its race.
    NewIncumbent(Box<NewIncumbent>),
    /// Something the user should know.
    Warning(Warning),
    /// The current state of the campaign, several times a second.
    Progress(Box<Progress>),
    /// A validation trial has ended.
    Validating {
        /// Number of trials that have ended.
        done: usize,
        /// Total number of trials.
        of: usize,
    },
    /// A trial of an ablation has ended.
    Ablating {
        /// Number of trials of this session that have ended.
        trials: u64,
        /// Number of steps that are decided.
        steps: usize,
        /// Number of values that still differ from the best configuration.
        open: usize,
    },
    /// A worker on another machine has joined.
    WorkerJoined(RemoteWorker),
    /// A worker on another machine has left.
    WorkerLeft {
        /// Its name.
        name: String,
        /// The machine that it ran on.
        host: String,
        /// The reason.
        why: String,
    },
    /// The search is over.
    Stopped(Stop),
}

/// Details of a configuration that has won its race.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NewIncumbent {
    /// The configuration's number.
    pub config: ConfigId,
    /// Values of its parameters.
    pub values: Values,
    /// Number of pairs on which it won.
    pub pairs: usize,
    /// Mean compared cost of the configuration on these pairs.
    #[serde(with = "math::json_number")]
    pub cost: f64,
    /// The mean compared cost of the previous incumbent on the same pairs; NaN if it gave a wrong answer.
    #[serde(with = "math::json_number")]
    pub before: f64,
    /// The configuration's result for each constraint.
    pub holdings: Vec<Holding>,
    /// The previous incumbent's result for each constraint.
    pub holdings_before: Vec<Holding>,
}

/// Something that the user should know in time to act on it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// The incumbent times out on more than half of its pairs.
    MostlyTimeouts {
        /// Number of pairs on which it times out.
        timeouts: usize,
        /// Total number of pairs.
        pairs: usize,
    },
    /// The budget covers few passes over the instances.
    SmallBudget {
        /// Number of passes.
        passes: f64,
    },
    /// The target used almost no CPU time, so the work probably happens in another process.
    AlmostNoCpu {
        /// CPU time as a share of the trials' wall time.
        share: f64,
    },
    /// The limit on wall time stopped a trial that had used less CPU time than the cutoff. This warning is
    /// given once.
    WallLimit {
        /// The trial.
        id: TrialId,
        /// Its CPU time in seconds.
        cpu: f64,
        /// Its wall time in seconds.
        wall: f64,
    },
    /// The incumbent gave a wrong answer and was replaced.
    Dethroned {
        /// The previous incumbent.
        config: ConfigId,
        /// The new incumbent.
        by: ConfigId,
    },
    /// The teardown of a trial failed in a new way.
    Teardown {
        /// The trial.
        id: TrialId,
        /// What went wrong.
        reason: String,
    },
    /// The private folder of a trial could not be removed. This warning is given once.
    LeftBehind {
        /// The trial.
        id: TrialId,
        /// The folder.
        path: PathBuf,
    },
    /// A server that keeps running between trials failed outside any trial, in a new way.
    Server {
        /// The trial that noticed the failure.
        id: TrialId,
        /// What went wrong.
        reason: String,
    },
    /// A finished trial reported a non-finite value for a constrained output. This warning is given once per
    /// constraint.
    Unmeasured {
        /// The trial.
        id: TrialId,
        /// The index of the constraint.
        constraint: usize,
    },
    /// A request by the user is not a valid configuration of the space.
    RequestRefused {
        /// The path of the request's file.
        file: String,
        /// The reason why the request is not valid.
        why: String,
    },
    /// A trial was lost in a new way.
    Lost {
        /// The trial.
        id: TrialId,
        /// What happened.
        reason: String,
    },
    /// No worker is connected, so no trial can run.
    NoWorkers,
    /// The machines that run trials differ in speed.
    UnequalMachines {
        /// Name and speed of the slowest machine.
        slowest: (String, f64),
        /// Name and speed of the fastest machine.
        fastest: (String, f64),
    },
    /// A trial failed in a new way.
    Failure {
        /// The trial.
        id: TrialId,
        /// The reason for the failure. The same cause always has the same wording.
        reason: String,
    },
}

/// Reason why a search stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A budget limit was reached.
    Budget(Limit),
    /// Every configuration has been tried.
    Exhausted,
    /// The user stopped the campaign.
    Interrupted,
    /// No further trial can end before the deadline.
    Deadline,
    /// Every trial so far has failed, including those of the default.
    NeverSucceeded {
        /// The last failure of the default if there is one, otherwise the first failure of this session. If
        /// this session has no failures, this is the last stored failure.
        trial: Box<Record>,
    },
    /// The default gives wrong answers, so nothing can be compared with it.
    DefaultWrong {
        /// The trial with the wrong answer.
        trial: Box<Record>,
    },
    /// Too many trials are lost.
    Lost {
        /// The last lost trial.
        trial: Box<Record>,
        /// Number of trials lost.
        lost: u64,
        /// Total number of trials.
        of: u64,
    },
    /// No trial can run, for this reason.
    Aborted(String),
}

#[cfg(test)]
mod tests {
    use engine::Reading;
    use space::format::{Format, read};

    use super::*;

    fn kept(what: What) -> (StoredEvent, Event) {
        let event = Event { at: 2.5, what };
        let stored = event.stored().unwrap();
        (stored, event)
    }

    /// Later versions must be able to read stored events. Fields may be added to these texts, but existing
    /// text must not change.
    #[test]
    fn stored_events_are_read_back() {
        let space =
            read("x = { float = [0.0, 1.0] }\ny = { boolean = true }\n", "space", Format::Toml).unwrap();
        let holding = Holding {
            value: Some(Reading::Exact(0.5)),
            pairs: 2,
            standard_error: 0.25,
            violation: f64::INFINITY,
        };
        let new = NewIncumbent {
            config: ConfigId(3),
            values: (&space.default_configuration()).into(),
            pairs: 2,
            cost: 1.5,
            before: f64::NAN,
            holdings: vec![holding],
            holdings_before: Vec::new(),
        };
        let all = [
            (
                What::NewIncumbent(Box::new(new)),
                "new_incumbent",
                r#"{"before":"NaN","config":3,"cost":1.5,"holdings":[{"pairs":2,"standard_error":0.25,"value":{"exact":0.5},"violation":"inf"}],"holdings_before":[],"pairs":2,"values":{"x":0.5,"y":true}}"#,
            ),
            (
                What::RaceDropped { config: ConfigId(4), pairs: 1, why: Drop::Lost },
                "race_dropped",
                r#"{"config":4,"pairs":1,"why":"lost"}"#,
            ),
            (
                What::CapLowered { id: TrialId(9), cap: Cap::at(0.25) },
                "cap_lowered",
                r#"{"cap":0.25,"id":9}"#,
            ),
            (
                What::Warning(Warning::Lost { id: TrialId(9), reason: "gone".to_owned() }),
                "warning",
                r#"{"lost":{"id":9,"reason":"gone"}}"#,
            ),
            (What::Stopped(Stop::Budget(Limit::Trials)), "stopped", r#"{"budget":"trials"}"#),
        ];
        for (what, kind, text) in all {
            let (stored, event) = kept(what);
            assert_eq!((stored.kind.as_str(), stored.text.as_str()), (kind, text));
            let again = Event::of_stored(&stored).unwrap();
            // The events are compared as text, because NaN is not equal to itself.
            assert_eq!(format!("{again:?}"), format!("{event:?}"));
        }
    }

    #[test]
    fn an_incumbent_stored_before_standard_errors_were_is_read() {
        let text = r#"{"before":2.0,"config":3,"cost":1.5,"holdings":[{"pairs":2,"value":{"exact":0.5},"violation":0.0}],"holdings_before":[],"pairs":2,"values":{"x":0.5}}"#;
        let stored = StoredEvent { at: 1.0, kind: "new_incumbent".to_owned(), text: text.to_owned() };
        let Some(Event { what: What::NewIncumbent(best), .. }) = Event::of_stored(&stored) else {
            panic!("{stored:?}");
        };
        assert_eq!(best.holdings[0].standard_error, 0.0);
    }

    #[test]
    fn kinds_of_other_versions_are_skipped() {
        for (kind, text) in [("budget", "{}"), ("moon", "{\"phase\":1}"), ("warning", "nonsense")] {
            let stored = StoredEvent { at: 0.0, kind: kind.to_owned(), text: text.to_owned() };
            assert_eq!(Event::of_stored(&stored), None, "{kind}");
        }
        assert!(Event { at: 0.0, what: What::Validating { done: 1, of: 2 } }.stored().is_none());
    }
}
