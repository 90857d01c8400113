//! Racing: which of two configurations is better, with as little trial time as possible.
//!
//! The incumbent gains pairs with the number of challengers it has met (`schedule`); a challenger meets it
//! on its pairs in batches of 1, 2, 4, … and is dropped as soon as it cannot win. A trial of a challenger is
//! capped where its sum of costs would pass the incumbent's:
//!
//! ```text
//! cap = min(cutoff, slack * sum of incumbent + n * grain - sum of challenger)
//! ```
//!
//! both sums by compared cost (see [`Objective::compared`](crate::Objective::compared)) over the n pairs of this and earlier batches, the
//! incumbent's by its mean on each instance (`reference`). Capping with a
//! slack of 1 or more never changes which configuration wins, since a challenger stopped there has lost
//! already. (Hutter, Hoos and Leyton-Brown, 2011; the sum rule with slack 1 is that of ParamILS.)
//!
//! Whoever has lost may race again when there are more pairs: see the table in `again.rs`.
//!
//! A wrong answer bars a configuration: it leaves its race at once and is never raced again. If it
//! is the incumbent's, the best configuration that was never wrong takes its place, and open races
//! begin anew.

mod again;
mod capped;
mod losses;
mod pairs;
mod race;
mod reference;
mod schedule;
mod snapshot;
mod terms;
#[cfg(test)]
mod tests;
mod tried_out;

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
    /// Stop a running trial; what it has reached is to be told. Where costs do not grow while a trial
    /// runs that says nothing: then it is withdrawn.
    Cancel(TrialId),
    /// Nothing until something is told.
    Wait,
    /// There is nothing more to try.
    Done(StopReason),
}

/// Why there is nothing more to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Every configuration of the space has been tried.
    Exhausted,
}

/// What happened in the races.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// A challenger meets the incumbent.
    Opened(ConfigId),
    /// A challenger is out after meeting the incumbent on so many pairs.
    Dropped(ConfigId, usize, Drop),
    /// The second one was the incumbent until it gave a wrong answer; the first one, known on so many
    /// pairs, takes its place.
    Dethroned(ConfigId, usize, ConfigId),
    /// A challenger has won on so many pairs and is the incumbent now, instead of the second one.
    NewIncumbent(ConfigId, usize, ConfigId),
}

/// Why a challenger is out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// Its sum passed the bound.
    Sum,
    /// Its sum was larger at the end of a batch.
    Batch,
    /// It failed where the incumbent did not.
    Failure,
    /// It gave a wrong answer, and races no more.
    Wrong,
    /// The incumbent gave a wrong answer: the race begins anew against its successor.
    Restart,
    /// It violates a constraint beyond doubt, or more than the incumbent.
    Constraint,
    /// Its trials were lost several times in a row: it may be what kills whoever runs them.
    Lost,
}

impl Drop {
    /// The word for it.
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

/// What becomes of a configuration that someone wants raced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requested {
    /// It is the next to race, after others that were asked for before it.
    Next,
    /// It is racing or waiting to race already.
    Underway,
    /// It is the incumbent.
    Incumbent,
}

/// How to race.
#[derive(Clone, PartialEq, Debug)]
pub struct Racing {
    /// Factor on the incumbent's sum; infinite to cap at the cutoff only.
    pub slack: f64,
    /// Pairs the incumbent has before the first challenger is judged.
    pub min_pairs: usize,
    /// Pairs after which the incumbent gains no more.
    pub max_pairs: usize,
    /// When the incumbent gains a pair.
    pub schedule: Schedule,
    /// Whether seeds are common random numbers: with the same seed two configurations are lucky together, so
    /// that their costs are compared seed by seed.
    pub common_seeds: bool,
    /// Whether one seed per instance tells all.
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
    /// What to do next, with so many free slots: with none, only orders about running trials. To be
    /// called again until it answers [`Ask::Wait`] or [`Ask::Done`]; with a free slot it answers so
    /// only if the proposer has nothing new.
    fn next(&mut self, slots: usize, history: &mut History, proposer: &mut dyn Proposer) -> Ask;

    /// Whether the end is near: then the best of those that lost race once more before new ones.
    fn near_end(&mut self, near: bool, history: &History, proposer: &mut dyn Proposer);

    /// Races a configuration of the history before any new one.
    fn request(&mut self, config: ConfigId) -> Requested;

    /// A trial has ended and is now the last of the history.
    fn told(&mut self, id: TrialId, history: &History);

    /// The costs that running trials have reached at one moment. Of a trial that is not among them nothing counts
    /// until it is told: decisions depend on this moment, never on what was reported before.
    fn elapsed(&mut self, reached: &[(TrialId, f64)], history: &History);

    /// A trial will not be run to its end, and says nothing.
    fn withdrawn(&mut self, id: TrialId);

    /// The best so far.
    fn incumbent(&self) -> ConfigId;

    /// How many pairs the incumbent has.
    fn incumbent_pairs(&self) -> usize;

    /// What happened since this was last asked.
    fn news(&mut self) -> Vec<News>;

    /// If no trial ends before each running one has cost this much more, some should be cancelled:
    /// the time to report what they have reached.
    fn patience(&self, history: &History) -> Option<f64>;

    /// The racer's state, to go on from after an interruption.
    fn snapshot(&self) -> Snapshot;
}
