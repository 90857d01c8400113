//! Proposing configurations to race against the incumbent.
//!
//! A proposer is a pure function of the seed, the history and the incumbent: its random streams are
//! keyed by the number of configurations seen so far, so that a campaign goes on after an
//! interruption as if there had been none.

mod initial;
mod local;
mod model;
mod random;

pub use initial::Initial;
pub use local::LocalSearch;
pub use model::{Choice, Dependence, Learner, ModelSearch, ModelSettings, OwnSurrogate, Utility};
pub use random::RandomSearch;

use serde::{Deserialize, Serialize};
use space::{Configuration, Space};
use surrogate::Interrupt;

use crate::history::History;
use crate::trial::ConfigId;

/// Attempts at a configuration that has not appeared before, where there is no end of them.
const ATTEMPTS: usize = 100;
/// Attempts where there is an end: a few tenths of a second at the end of a campaign.
const MOST_ATTEMPTS: usize = 200_000;

/// Finds configurations worth a race.
pub trait Proposer: Send {
    /// A configuration that is not in the history; `None` if none was found.
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration>;

    /// The word for where a configuration of the history comes from.
    fn origin(&self, config: ConfigId, history: &History) -> &'static str;

    /// What the configurations of the history are expected to cost, by number and on any scale; NaN, or
    /// nothing at all, where there is no expectation.
    fn expected(&mut self, _history: &History) -> &[f64] {
        &[]
    }

    /// What was expected of a configuration when it was proposed; `None` where nobody expected anything.
    fn foretold(&self, _config: ConfigId) -> Option<Foretold> {
        None
    }

    /// Which of several learners was judged to be the best, and why; `None` where there is no choice.
    fn choice(&self) -> Option<Choice> {
        None
    }

    /// How much time there is to think about the proposals from now on. Those that take none need not
    /// listen.
    fn keep_tempo(&mut self, _tempo: Tempo) {}

    /// Breaks off when the flag is raised; proposals and expectations count for nothing from then on. Those
    /// that take no time need not look.
    fn heed(&mut self, _interrupt: &Interrupt) {}
}

/// What a model expected of a configuration over all instances, as a cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Foretold {
    /// The cost that is as likely too low as too high.
    pub cost: f64,
    /// A standard deviation below it, on the model's scale.
    pub low: f64,
    /// A standard deviation above it.
    pub high: f64,
}

/// How much time there is to think about a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tempo {
    /// Enough.
    #[default]
    Calm,
    /// Enough for what is cheaper.
    Brisk,
    /// None.
    Hurried,
}

/// How often to draw before giving up on a new configuration.
fn attempts(space: &Space) -> usize {
    let size = space.size();
    if size.continuous > 0 {
        return ATTEMPTS;
    }
    // The last of n configurations is missed with probability (1 - 1/n)^(20 n) = 2e-9; where that is
    // too many attempts, the last n/10000.
    let n = if size.dependent == 0 { libm::pow(10.0, size.log10) } else { f64::INFINITY };
    ((20.0 * n) as usize).clamp(ATTEMPTS, MOST_ATTEMPTS)
}

/// The first of some draws that is new.
fn new_one(
    attempts: usize,
    history: &History,
    mut draw: impl FnMut() -> Option<Configuration>,
) -> Option<Configuration> {
    (0..attempts).find_map(|_| draw().filter(|configuration| history.find(configuration).is_none()))
}
