//! What happens in a campaign. Everything a person sees is a reader of events.

use std::path::PathBuf;

use engine::problem::Holding;
use engine::propose::{Choice, Foretold};
use engine::racing::{Drop, Requested};
use engine::{Cap, ConfigId, TrialId};
use execution::Record;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use space::Values;

use crate::budget::Limit;
use crate::progress::Progress;
use store::StoredEvent;

/// Something that happened, with the campaign time in seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Campaign time.
    pub at: f64,
    /// What.
    pub what: What,
}

impl Event {
    /// The event as a row of the journal; `None` for kinds that are not kept: trials have their own table, and progress is
    /// too frequent.
    pub(crate) fn stored(&self) -> Option<StoredEvent> {
        if matches!(self.what, What::TrialEnded(_) | What::Progress(_) | What::Validating { .. }) {
            return None;
        }
        self.written()
    }

    /// The event as a row, whatever its kind.
    pub(crate) fn written(&self) -> Option<StoredEvent> {
        // Only what JSON cannot say is an error, and none of it is.
        let Ok(Value::Object(tagged)) = serde_json::to_value(&self.what) else { return None };
        let (kind, fields) = tagged.into_iter().next()?;
        Some(StoredEvent { at: self.at, kind, text: fields.to_string() })
    }

    /// Reads a row of the journal; `None` for kinds that this version does not know.
    pub fn of_stored(stored: &StoredEvent) -> Option<Self> {
        let fields = serde_json::from_str(&stored.text).ok()?;
        let tagged = Value::Object([(stored.kind.clone(), fields)].into_iter().collect());
        Some(Self { at: stored.at, what: serde_json::from_value(tagged).ok()? })
    }
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A trial is on disk and has been told.
    TrialEnded(Box<Record>),
    /// A configuration meets the incumbent.
    RaceOpened {
        /// Which one.
        config: ConfigId,
        /// What a model expected of it, if it is new and a model proposed it.
        foretold: Option<Foretold>,
    },
    /// A running trial may cost less than it was allowed before.
    CapLowered {
        /// Which one.
        id: TrialId,
        /// Its cap from now on.
        cap: Cap,
    },
    /// Someone wants a configuration tried.
    Requested {
        /// Its number.
        config: ConfigId,
        /// Its values.
        values: Values,
        /// What becomes of it.
        requested: Requested,
    },
    /// A challenger is out.
    RaceDropped {
        /// Which one.
        config: ConfigId,
        /// On how many pairs it was known.
        pairs: usize,
        /// Why.
        why: Drop,
    },
    /// Of several learners another one is now judged to be the best.
    Chosen(Choice),
    /// A challenger has won its race.
    NewIncumbent(Box<NewIncumbent>),
    /// Something a person should know.
    Warning(Warning),
    /// Where the campaign stands; several times a second.
    Progress(Box<Progress>),
    /// So many of the validation's trials have ended.
    Validating {
        /// Ended.
        done: usize,
        /// Of.
        of: usize,
    },
    /// The search is over.
    Stopped(Stop),
}

/// A configuration that has won.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NewIncumbent {
    /// Its number.
    pub config: ConfigId,
    /// Its values.
    pub values: Values,
    /// On how many pairs it won.
    pub pairs: usize,
    /// Its mean compared cost there.
    #[serde(with = "math::json_number")]
    pub cost: f64,
    /// The mean compared cost of the one before, on the same pairs; not a number if it gave a wrong
    /// answer.
    #[serde(with = "math::json_number")]
    pub before: f64,
    /// What it has shown of each constraint.
    pub holdings: Vec<Holding>,
    /// What the one before has.
    pub holdings_before: Vec<Holding>,
}

/// Something a person should know while there is time to act.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// More than half of the incumbent's pairs time out.
    MostlyTimeouts {
        /// How many do.
        timeouts: usize,
        /// Of how many.
        pairs: usize,
    },
    /// The budget affords few passes over the instances.
    SmallBudget {
        /// How many passes.
        passes: f64,
    },
    /// The target hardly used any CPU time: the work happens elsewhere.
    AlmostNoCpu {
        /// Of the trials' wall time.
        share: f64,
    },
    /// The incumbent gave a wrong answer, and another takes its place.
    Dethroned {
        /// Which one was.
        config: ConfigId,
        /// Which one is.
        by: ConfigId,
    },
    /// A trial was not taken down well, in a way not seen before.
    Teardown {
        /// Which one.
        id: TrialId,
        /// What went wrong.
        reason: String,
    },
    /// The private folder of a trial could not be removed, for the first time.
    LeftBehind {
        /// Which one.
        id: TrialId,
        /// The folder.
        path: PathBuf,
    },
    /// A server that lives on between trials misbehaved outside any trial, in a way not seen before.
    Server {
        /// The trial that found out.
        id: TrialId,
        /// What went wrong.
        reason: String,
    },
    /// A finished trial told a constrained output as no finite number, for the first time.
    Unmeasured {
        /// Which one.
        id: TrialId,
        /// The place of the constraint.
        constraint: usize,
    },
    /// What someone wants tried is no configuration of the space.
    RequestRefused {
        /// Where it is kept.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// A trial was lost in a way not seen before.
    Lost {
        /// Which one.
        id: TrialId,
        /// What happened.
        reason: String,
    },
    /// A trial failed in a way not seen before.
    Failure {
        /// Which one.
        id: TrialId,
        /// Its signature.
        reason: String,
    },
}

/// Why a search stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A budget is spent.
    Budget(Limit),
    /// Every configuration has been tried.
    Exhausted,
    /// Someone asked for it.
    Interrupted,
    /// No trial can end any more before the deadline.
    Deadline,
    /// Every trial so far has failed, those of the default among them.
    NeverSucceeded {
        /// The last of the default, or of all if the default's is of an earlier session.
        trial: Box<Record>,
    },
    /// The default gives wrong answers: nothing can be compared with it.
    DefaultWrong {
        /// Where.
        trial: Box<Record>,
    },
    /// Trials are lost again and again.
    Lost {
        /// The last one.
        trial: Box<Record>,
        /// How many were lost.
        lost: u64,
        /// Of how many.
        of: u64,
    },
    /// A trial could not be run at all.
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

    /// What is stored must be read by later versions: these texts must not change, they may only grow.
    #[test]
    fn what_is_kept_reads_back() {
        let space =
            read("x = { float = [0.0, 1.0] }\ny = { boolean = true }\n", "space", Format::Toml).unwrap();
        let holding = Holding { value: Some(Reading::Exact(0.5)), pairs: 2, violation: f64::INFINITY };
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
                r#"{"before":"NaN","config":3,"cost":1.5,"holdings":[{"pairs":2,"value":{"exact":0.5},"violation":"inf"}],"holdings_before":[],"pairs":2,"values":{"x":0.5,"y":true}}"#,
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
            // What is not a number differs from itself.
            assert_eq!(format!("{again:?}"), format!("{event:?}"));
        }
    }

    #[test]
    fn kinds_of_other_versions_are_passed_over() {
        for (kind, text) in [("budget", "{}"), ("moon", "{\"phase\":1}"), ("warning", "nonsense")] {
            let stored = StoredEvent { at: 0.0, kind: kind.to_owned(), text: text.to_owned() };
            assert_eq!(Event::of_stored(&stored), None, "{kind}");
        }
        assert!(Event { at: 0.0, what: What::Validating { done: 1, of: 2 } }.stored().is_none());
    }
}
