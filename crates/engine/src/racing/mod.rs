//! Racing: determines which of two configurations is better, with as little trial time as possible.
//!
//! The more challengers the incumbent has met, the more pairs it gains (`schedule`). A challenger
//! is run on these pairs in batches of 1, 2, 4, … and is dropped as soon as it cannot win. Each
//! trial of a challenger is capped at the cost that would make its sum exceed the incumbent's:
//!
//! ```text
//! cap = min(cutoff, slack * incumbent's sum + n * grain - challenger's sum)
//! ```
//!
//! Both are sums of compared costs (see [`Objective::compared`](crate::Objective::compared)) over
//! the n pairs of this and earlier batches. The incumbent's sum uses its mean cost on each instance
//! (`reference`). With a slack of 1 or more, capping never changes which configuration wins: a
//! challenger that is stopped has already lost. (Hutter, Hoos and Leyton-Brown, 2011; ParamILS uses
//! this rule with slack 1.)
//!
//! Configurations that have lost may race again when there are more pairs; see the table in
//! `rematches.rs`.
//!
//! A wrong answer bars a configuration: it leaves its race at once and never races again. If the incumbent
//! gives a wrong answer, the best configuration that was never wrong replaces it, and open races start again.

mod capped;
mod exhausted;
mod incumbent;
mod losses;
mod pairs;
mod race;
mod reference;
mod rematches;
mod schedule;
mod snapshot;
#[cfg(test)]
mod tests;

pub use capped::CappedRacer;
pub use schedule::Schedule;
pub use snapshot::{PendingTrial, Snapshot, SnapshotOfVersion6};

use crate::history::History;
use crate::propose::Proposer;
use crate::trial::{Cap, ConfigId, TrialId, TrialRequest};
use serde::{Deserialize, Serialize};

/// A request from the racer to its caller.
#[derive(Clone, PartialEq, Debug)]
pub enum Ask {
    /// Run this trial.
    Run(TrialRequest),
    /// Lower the cap of a running trial.
    Tighten(TrialId, Cap),
    /// Stop a running trial and report the cost it has reached. If costs do not grow while a trial runs,
    /// withdraw the trial instead.
    Cancel(TrialId),
    /// Do nothing until a result has been reported.
    Wait,
    /// Nothing is left to try.
    Done(StopReason),
}

/// The reason why nothing is left to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Every configuration in the space has been tried.
    Exhausted,
}

/// An event in the races.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// A challenger begins to race against the incumbent.
    Opened(ConfigId),
    /// A challenger was dropped after meeting the incumbent on this many pairs.
    Dropped(ConfigId, usize, Drop),
    /// The incumbent (second configuration) gave a wrong answer. The first configuration, whose cost is known
    /// on this many pairs, replaces it.
    Dethroned(ConfigId, usize, ConfigId),
    /// The first configuration has won on this many pairs and replaces the second as the incumbent.
    NewIncumbent(ConfigId, usize, ConfigId),
}

/// The reason why a challenger was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// Its sum of costs exceeded the bound.
    Sum,
    /// Its sum of costs was larger than the incumbent's at the end of a batch.
    Batch,
    /// It failed on a pair where the incumbent did not.
    Failure,
    /// It gave a wrong answer and never races again.
    Wrong,
    /// The incumbent gave a wrong answer, so the race starts again against the new incumbent.
    Restart,
    /// It provably violates a constraint, or it violates constraints more than the incumbent does.
    Constraint,
    /// Its trials were lost several times in a row: the configuration itself may be killing the workers.
    Lost,
}

impl Drop {
    /// Returns the name of the reason used in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Batch => "batch",
            Self::Failure => "failure",
            Self::Wrong => "wrong",
            Self::Restart => "restart",
            Self::Constraint => "constraint",
            Self::Lost => "lost",
        }
    }
}

/// The racer's response to a requested configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requested {
    /// It races next, after any configurations requested before it.
    Next,
    /// It is already racing or waiting to race.
    Underway,
    /// It is the incumbent.
    Incumbent,
}

/// Settings for races.
#[derive(Clone, PartialEq, Debug)]
pub struct Racing {
    /// Factor on the incumbent's sum of costs; if infinite, trials are capped only at the cutoff.
    pub slack: f64,
    /// Number of pairs that the incumbent needs before the first challenger is judged.
    pub min_pairs: usize,
    /// Largest number of pairs that the incumbent may gain.
    pub max_pairs: usize,
    /// Rule for when the incumbent gains a pair.
    pub schedule: Schedule,
    /// Whether seeds act as common random numbers. Two configurations with the same seed are then
    /// equally lucky, so their costs are compared seed by seed.
    pub common_seeds: bool,
    /// Whether the target is deterministic, so that one seed per instance is enough.
    pub deterministic: bool,
}

impl Default for Racing {
    fn default() -> Self {
        Self {
            slack: 1.3,
            min_pairs: 1,
            max_pairs: 2000,
            schedule: Schedule::default(),
            common_seeds: false,
            deterministic: false,
        }
    }
}

/// A racer, which decides which trials to run.
pub trait Racer: Send {
    /// Returns what to do next with this many free slots. With no free slot, it returns only orders about
    /// running trials, or [`Ask::Wait`]. Call it again until it returns [`Ask::Wait`] or [`Ask::Done`]. With
    /// a free slot, it returns one of these two only if the proposer has nothing new.
    fn next(&mut self, slots: usize, history: &mut History, proposer: &mut dyn Proposer) -> Ask;

    /// Sets whether the end of the campaign is near. If it is, the best configurations among those that lost
    /// are raced once more before any new configuration.
    fn near_end(&mut self, near: bool, history: &History, proposer: &mut dyn Proposer);

    /// Lets a configuration from the history race before any new one.
    fn request(&mut self, config: ConfigId) -> Requested;

    /// Reacts to a trial that has ended. This trial must be the last one in the history.
    fn told(&mut self, id: TrialId, history: &History);

    /// Reports the costs that running trials have reached, all at the same moment. A running trial that is
    /// not listed counts as having cost nothing so far. Decisions depend only on the latest report, never on
    /// earlier ones.
    fn elapsed(&mut self, reached: &[(TrialId, f64)], history: &History);

    /// Withdraws a running trial, which then ends without a result.
    fn withdrawn(&mut self, id: TrialId);

    /// Returns the best configuration so far.
    fn incumbent(&self) -> ConfigId;

    /// Returns the number of pairs on which the incumbent's cost is known.
    fn incumbent_pairs(&self) -> usize;

    /// Returns the events since the last call.
    fn news(&mut self) -> Vec<News>;

    /// Returns how much more each running trial may cost before some trials should be cancelled. Once they
    /// have cost that much, the caller should report the costs reached with [`Racer::elapsed`], unless a
    /// trial has ended in the meantime.
    fn patience(&self, history: &History) -> Option<f64>;

    /// Returns the state of the racer. A campaign continues from it after an interruption.
    fn snapshot(&self) -> Snapshot;
}
