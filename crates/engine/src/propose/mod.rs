//! Proposing configurations to race against the incumbent.
//!
//! A proposer is a pure function of the seed, the history and the incumbent. Its random streams are keyed by
//! the number of configurations seen so far, so a campaign continues after an interruption as if there had
//! been none.

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

/// Attempts to draw a new configuration from an infinite space.
const ATTEMPTS: usize = 100;
/// Largest number of attempts for a finite space: a few tenths of a second at the end of a campaign.
const MOST_ATTEMPTS: usize = 200_000;

/// Finds configurations worth a race.
pub trait Proposer: Send {
    /// Returns a configuration that is not in the history; `None` if none was found.
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration>;

    /// The name of the source that a configuration of the history came from.
    fn origin(&self, config: ConfigId, history: &History) -> &'static str;

    /// Returns the expected costs of the configurations of the history, by number and on any scale. An
    /// unknown one is NaN or, at the end, missing.
    fn expected(&mut self, _history: &History) -> &[f64] {
        &[]
    }

    /// Returns what a model predicted for a configuration when it was proposed; `None` if no model proposed
    /// it.
    fn forecast(&self, _config: ConfigId) -> Option<Forecast> {
        None
    }

    /// Returns which of several learners was judged to be the best, and why; `None` if there is no choice.
    fn choice(&self) -> Option<Choice> {
        None
    }

    /// Sets how much time may be spent on proposals from now on. Proposers that take little time ignore it.
    fn set_tempo(&mut self, _tempo: Tempo) {}

    /// Interrupts computations when the flag is raised; proposals and expectations are invalid from then on.
    /// Proposers that take little time ignore it.
    fn watch_interrupt(&mut self, _interrupt: &Interrupt) {}
}

/// The cost that a model predicted for a configuration, over all instances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Forecast {
    /// The predicted median.
    pub cost: f64,
    /// One standard deviation below, on the model's scale.
    pub low: f64,
    /// One standard deviation above.
    pub high: f64,
}

/// How much time may be spent on a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tempo {
    /// Enough for every model.
    #[default]
    Calm,
    /// Enough only for a cheaper model.
    Brisk,
    /// Not enough for a model.
    Hurried,
}

/// Number of draws before giving up on finding a new configuration.
fn attempts(space: &Space) -> usize {
    let size = space.size();
    if size.continuous > 0 {
        return ATTEMPTS;
    }
    // The last of n configurations is missed with probability (1 - 1/n)^(20 n) = 2e-9. Where 20 n exceeds the
    // largest number of attempts, about the last n/10000 configurations may be missed.
    let n = if size.dependent == 0 { libm::pow(10.0, size.log10) } else { f64::INFINITY };
    ((20.0 * n) as usize).clamp(ATTEMPTS, MOST_ATTEMPTS)
}

/// Returns the first drawn configuration that is not in the history.
fn first_new(
    attempts: usize,
    history: &History,
    mut draw: impl FnMut() -> Option<Configuration>,
) -> Option<Configuration> {
    (0..attempts).find_map(|_| draw().filter(|configuration| history.find(configuration).is_none()))
}
