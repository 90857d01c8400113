//! Proposers, which find configurations to race against the incumbent.
//!
//! A proposer is a pure function of the seed, the history and the incumbent. Its random streams are keyed by
//! the number of configurations seen so far. So an interrupted campaign continues as if it had never stopped.

mod initial;
mod local;
mod model;
mod random;

pub use initial::Initial;
pub use local::LocalSearch;
pub use model::{Choice, Dependence, Keys, Learner, ModelSearch, ModelSettings, OwnSurrogate, Utility};
pub use random::RandomSearch;

use serde::{Deserialize, Serialize};
use space::{Configuration, Space};
use surrogate::Interrupt;

use crate::history::History;
use crate::trial::ConfigId;

/// Number of attempts to draw a new configuration from an infinite space.
const ATTEMPTS: usize = 100;
/// Largest number of attempts for a finite space. At the end of a campaign, this many attempts take a few
/// tenths of a second.
const MOST_ATTEMPTS: usize = 200_000;

/// A method that finds configurations worth a race.
pub trait Proposer: Send {
    /// Returns a configuration that is not in the history; `None` if none was found.
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration>;

    /// Returns the name of the source of a configuration in the history.
    fn origin(&self, config: ConfigId, history: &History) -> &'static str;

    /// Returns the expected costs of the configurations in the history, indexed by number, on an arbitrary
    /// scale. An unknown cost is NaN; unknown costs at the end may be left out.
    fn expected(&mut self, _history: &History) -> &[f64] {
        &[]
    }

    /// Returns what a model predicted for a configuration when it was proposed; `None` if no model proposed
    /// it.
    fn forecast(&self, _config: ConfigId) -> Option<Forecast> {
        None
    }

    /// Returns the learner that was judged best of several, with all scores; `None` if no learners were
    /// compared.
    fn choice(&self) -> Option<Choice> {
        None
    }

    /// Sets how much time may be spent on proposals from now on. Proposers that take little time ignore it.
    fn set_tempo(&mut self, _tempo: Tempo) {}

    /// Interrupts computations when the flag is raised. From then on, proposals and expected costs are
    /// invalid. Proposers that take little time ignore it.
    fn watch_interrupt(&mut self, _interrupt: &Interrupt) {}
}

/// A model's prediction of a configuration's cost over all instances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Forecast {
    /// The predicted median.
    pub cost: f64,
    /// The value one standard deviation below the median, on the model's scale.
    pub low: f64,
    /// The value one standard deviation above the median, on the same scale.
    pub high: f64,
}

/// The amount of time that may be spent on a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tempo {
    /// Enough time for every model.
    #[default]
    Calm,
    /// Enough time only for a cheaper model.
    Brisk,
    /// Not enough time for any model.
    Hurried,
}

/// Returns the number of draws after which the search for a new configuration gives up.
fn attempts(space: &Space) -> usize {
    let size = space.size();
    if size.continuous > 0 {
        return ATTEMPTS;
    }
    // With 20 n draws, the last of n configurations is missed with probability (1 - 1/n)^(20 n) = 2e-9. If 20
    // n exceeds the largest number of attempts, the last n/10000 or so configurations may be missed.
    let n = if size.dependent == 0 { libm::pow(10.0, size.log10) } else { f64::INFINITY };
    ((20.0 * n) as usize).clamp(ATTEMPTS, MOST_ATTEMPTS)
}

/// Returns the first configuration drawn that is not in the history.
fn first_new(
    attempts: usize,
    history: &History,
    mut draw: impl FnMut() -> Option<Configuration>,
) -> Option<Configuration> {
    (0..attempts).find_map(|_| draw().filter(|configuration| history.find(configuration).is_none()))
}
