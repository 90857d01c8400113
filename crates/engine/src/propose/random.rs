//! Random search: draws every parameter from its distribution.

use math::Rng;
use space::{Configuration, Space};

use super::{Proposer, attempts, first_new};
use crate::history::History;
use crate::trial::ConfigId;

/// A proposer that draws configurations from the whole space.
#[derive(Clone, Debug)]
pub struct RandomSearch {
    space: Space,
    seed: u64,
    attempts: usize,
}

impl RandomSearch {
    /// Creates a search of this space.
    pub fn new(space: Space, seed: u64) -> Self {
        Self { attempts: attempts(&space), space, seed }
    }
}

impl Proposer for RandomSearch {
    fn propose(&mut self, history: &History, _incumbent: ConfigId) -> Option<Configuration> {
        let mut rng = Rng::new(self.seed, "random search", history.configurations().len() as u64);
        first_new(self.attempts, history, || self.space.sample(&mut rng).ok())
    }

    fn origin(&self, _config: ConfigId, _history: &History) -> &'static str {
        "random"
    }
}
