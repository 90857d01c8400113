//! Proposing configurations to race against the incumbent.
//!
//! A proposer is a pure function of the seed, the history and the incumbent: its random streams are
//! keyed by the number of configurations seen so far, so that a campaign goes on after an
//! interruption as if there had been none.

mod initial;
mod local;
mod random;

pub use initial::Initial;
pub use local::LocalSearch;
pub use random::RandomSearch;

use crate::history::History;
use crate::space::{Configuration, Space};
use crate::trial::ConfigId;

/// Attempts at a configuration that has not appeared before, in a large space.
const ATTEMPTS: usize = 100;
/// Spaces up to this size are tried to the last configuration.
const SMALL: f64 = 10_000.0;

/// Finds configurations worth a race.
pub trait Proposer: Send {
    /// A configuration that is not in the history; `None` if none was found.
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration>;

    /// The word for where the configuration of this number comes from.
    fn origin(&self, number: usize) -> &'static str;
}

/// How often to draw before giving up on a new configuration.
fn attempts(space: &Space) -> usize {
    let size = space.size();
    let finite = size.continuous == 0 && size.dependent == 0;
    match libm::pow(10.0, size.log10) {
        // The last of n configurations is missed with probability (1 - 1/n)^(20 n) = 2e-9.
        n if finite && n <= SMALL => ATTEMPTS.max((20.0 * n) as usize),
        _ => ATTEMPTS,
    }
}

/// The first of some draws that is new.
fn new_one(
    attempts: usize,
    history: &History,
    mut draw: impl FnMut() -> Option<Configuration>,
) -> Option<Configuration> {
    (0..attempts).find_map(|_| draw().filter(|configuration| history.find(configuration).is_none()))
}
