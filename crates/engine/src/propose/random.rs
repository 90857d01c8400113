//! Random search: every configuration equally likely by its parameters' laws.

use math::Rng;
use space::{Configuration, Space};

use super::{Proposer, attempts, new_one};
use crate::history::History;
use crate::trial::ConfigId;

/// Draws from the whole space.
#[derive(Clone, Debug)]
pub struct RandomSearch {
    space: Space,
    seed: u64,
    attempts: usize,
}

impl RandomSearch {
    /// Draws from this space.
    pub fn new(space: Space, seed: u64) -> Self {
        Self { attempts: attempts(&space), space, seed }
    }
}

impl Proposer for RandomSearch {
    fn propose(&mut self, history: &History, _incumbent: ConfigId) -> Option<Configuration> {
        let mut rng = Rng::new(self.seed, "random search", history.configurations().len() as u64);
        new_one(self.attempts, history, || self.space.sample(&mut rng).ok())
    }

    fn origin(&self, _config: ConfigId, _history: &History) -> &'static str {
        "random"
    }
}
