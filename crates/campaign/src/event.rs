//! What happens in a campaign. Everything a person sees is a reader of events.

use std::path::PathBuf;

use engine::propose::Choice;
use engine::racing::{Drop, Holding, Requested};
use engine::{Cap, ConfigId, Configuration, Pair, Reading, Status, TrialId, Why};
use execution::Detail;

use crate::budget::Limit;
use crate::progress::Progress;

/// Something that happened, with the campaign time in seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Campaign time.
    pub at: f64,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A trial is on disk and has been told.
    TrialEnded(Box<TrialEnded>),
    /// A new configuration meets the incumbent.
    RaceOpened(ConfigId),
    /// Someone wants a configuration tried.
    Requested {
        /// Its number.
        config: ConfigId,
        /// Its values.
        configuration: Box<Configuration>,
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

/// A trial that has been told.
#[derive(Clone, PartialEq, Debug)]
pub struct TrialEnded {
    /// Its number.
    pub id: TrialId,
    /// The settings.
    pub config: ConfigId,
    /// The input.
    pub pair: Pair,
    /// Where it would have been stopped.
    pub cap: Cap,
    /// Why it was run.
    pub why: Why,
    /// How it ended.
    pub status: Status,
    /// What is known of its cost.
    pub cost: Option<Reading>,
    /// What it told of the outputs that constraints bound, one for each.
    pub constraints: Box<[Option<Reading>]>,
    /// What it used.
    pub detail: Detail,
}

impl TrialEnded {
    /// Whether it vanished, with a reason. A trial that was cancelled on purpose and whose cost says nothing
    /// then has the same status and no reason.
    pub fn is_lost(&self) -> bool {
        self.status == Status::Lost && self.detail.reason.is_some()
    }

    /// Whether it was cancelled on purpose before it told anything.
    pub fn is_cancelled(&self) -> bool {
        self.status == Status::Lost && self.detail.reason.is_none()
    }
}

/// A configuration that has won.
#[derive(Clone, PartialEq, Debug)]
pub struct NewIncumbent {
    /// Its number.
    pub config: ConfigId,
    /// Its values.
    pub configuration: Configuration,
    /// On how many pairs it won.
    pub pairs: usize,
    /// Its mean compared cost there.
    pub cost: f64,
    /// The mean compared cost of the one before, on the same pairs; not a number if it gave a wrong
    /// answer.
    pub before: f64,
    /// What it has shown of each constraint.
    pub holdings: Vec<Holding>,
    /// What the one before has.
    pub holdings_before: Vec<Holding>,
}

/// Something a person should know while there is time to act.
#[derive(Clone, PartialEq, Debug)]
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
#[derive(Clone, PartialEq, Debug)]
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
        trial: Box<TrialEnded>,
    },
    /// The default gives wrong answers: nothing can be compared with it.
    DefaultWrong {
        /// Where.
        trial: Box<TrialEnded>,
    },
    /// Trials are lost again and again.
    Lost {
        /// The last one.
        trial: Box<TrialEnded>,
        /// How many were lost.
        lost: u64,
        /// Of how many.
        of: u64,
    },
    /// A trial could not be run at all.
    Aborted(String),
}
