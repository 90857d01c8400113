//! Racing: finds out which of two configurations is better with as little trial time as possible.
//!
//! The incumbent gains pairs with the number of challengers it has met (`schedule`). A challenger meets it on
//! these pairs in batches of 1, 2, 4, … and is dropped as soon as it cannot win. A challenger's trial is
//! capped where its sum of costs would exceed the incumbent's:
//!
//! ```text
//! cap = min(cutoff, slack * sum of incumbent + n * grain - sum of challenger)
//! ```
//!
//! Both sums are of compared costs (see [`Objective::compared`](crate::Objective::compared)) over the n pairs
//! of this and earlier batches; the incumbent's uses its mean on each instance (`reference`). Capping with a
//! slack of 1 or more never changes which configuration wins, since a challenger stopped there has already
//! lost. (Hutter, Hoos and Leyton-Brown, 2011; the sum rule with slack 1 is that of ParamILS.)
//!
//! Configurations that have lost may race again when there are more pairs: see the table in `rematches.rs`.
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

/// What a racer wants done.
#[derive(Clone, PartialEq, Debug)]
pub enum Ask {
    /// Run this trial.
    Run(TrialRequest),
    /// Lower the cap of a running trial.
    Tighten(TrialId, Cap),
    /// Stop a running trial and tell the cost it has reached. Where costs do not grow while a trial runs,
    /// withdraw it instead.
    Cancel(TrialId),
    /// Do nothing until a result is told.
    Wait,
    /// Nothing is left to try.
    Done(StopReason),
}

/// Why nothing is left to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Every configuration of the space has been tried.
    Exhausted,
}

/// What happened in the races.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// A challenger begins to race against the incumbent.
    Opened(ConfigId),
    /// A challenger was dropped after meeting the incumbent on this many pairs.
    Dropped(ConfigId, usize, Drop),
    /// The incumbent (second configuration) gave a wrong answer; the first configuration, known on this many
    /// pairs, replaces it.
    Dethroned(ConfigId, usize, ConfigId),
    /// A challenger has won on this many pairs and replaces the second configuration as the incumbent.
    NewIncumbent(ConfigId, usize, ConfigId),
}

/// Why a challenger was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// Its sum exceeded the bound.
    Sum,
    /// Its sum was larger at the end of a batch.
    Batch,
    /// It failed where the incumbent did not.
    Failure,
    /// It gave a wrong answer and never races again.
    Wrong,
    /// The incumbent gave a wrong answer: the race starts again against its successor.
    Restart,
    /// It provably violates a constraint, or violates constraints more than the incumbent.
    Constraint,
    /// Its trials were lost several times in a row: the configuration may be what kills the workers.
    Lost,
}

impl Drop {
    /// The name of the reason in the store.
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

/// What becomes of a requested configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requested {
    /// It races next, after those requested before it.
    Next,
    /// It is already racing or waiting to race.
    Underway,
    /// It is the incumbent.
    Incumbent,
}

/// How to race.
#[derive(Clone, PartialEq, Debug)]
pub struct Racing {
    /// Factor on the incumbent's sum; infinite to cap only at the cutoff.
    pub slack: f64,
    /// Number of pairs the incumbent has before the first challenger is judged.
    pub min_pairs: usize,
    /// Number of pairs after which the incumbent gains no more.
    pub max_pairs: usize,
    /// When the incumbent gains a pair.
    pub schedule: Schedule,
    /// Whether seeds act as common random numbers: with the same seed, two configurations share their luck,
    /// so their costs are compared seed by seed.
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

/// Decides which trials to run.
pub trait Racer: Send {
    /// Returns what to do next with this many free slots; with no free slot, only orders about running
    /// trials. Call it again until it returns [`Ask::Wait`] or [`Ask::Done`]. With a free slot it returns
    /// these only if the proposer has nothing new.
    fn next(&mut self, slots: usize, history: &mut History, proposer: &mut dyn Proposer) -> Ask;

    /// Sets whether the end of the campaign is near. If so, the best configurations that lost race once more
    /// before new ones do.
    fn near_end(&mut self, near: bool, history: &History, proposer: &mut dyn Proposer);

    /// Races a configuration of the history before any new one.
    fn request(&mut self, config: ConfigId) -> Requested;

    /// Takes in a trial that has ended and is now the last of the history.
    fn told(&mut self, id: TrialId, history: &History);

    /// Reports the costs that running trials have reached at one moment. A trial that is not listed counts as
    /// zero until its result is told: decisions depend on this moment, never on what was reported before.
    fn elapsed(&mut self, reached: &[(TrialId, f64)], history: &History);

    /// Withdraws a trial that will not be run to its end, without a result.
    fn withdrawn(&mut self, id: TrialId);

    /// The best configuration so far.
    fn incumbent(&self) -> ConfigId;

    /// Number of pairs the incumbent has.
    fn incumbent_pairs(&self) -> usize;

    /// Returns what happened since the last call.
    fn news(&mut self) -> Vec<News>;

    /// The additional cost of every running trial after which some should be cancelled, unless one ends
    /// before. This is when to report what they have reached.
    fn patience(&self, history: &History) -> Option<f64>;

    /// The racer's state, from which a campaign continues after an interruption.
    fn snapshot(&self) -> Snapshot;
}
