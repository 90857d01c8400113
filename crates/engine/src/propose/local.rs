//! Local search: small changes to the incumbent, alternating with random search.
//!
//! A step changes one parameter. A proposal takes one step with probability 1/2, two steps with probability
//! 1/4, and so on. So most proposals stay near the incumbent, and some can leave a local optimum.

use math::Rng;
use space::{Configuration, Neighbourhood, ParameterId, Space};

use super::{ATTEMPTS, Proposer, RandomSearch, first_new};
use crate::history::History;
use crate::trial::ConfigId;

/// A proposer that makes every second proposal near the incumbent and all others at random.
#[derive(Clone, Debug)]
pub struct LocalSearch {
    space: Space,
    variable: Vec<ParameterId>,
    seed: u64,
    random: RandomSearch,
}

impl LocalSearch {
    /// Creates a search of this space.
    pub fn new(space: Space, seed: u64) -> Self {
        let variable = space.ids().filter(|&id| space.parameter(id).is_variable()).collect();
        Self { random: RandomSearch::new(space.clone(), seed), space, variable, seed }
    }

    /// Changes one active parameter, unless no other valid value is found for it.
    fn step(&self, codes: &mut Vec<f64>, rng: &mut Rng) {
        let active: Vec<ParameterId> =
            self.variable.iter().copied().filter(|id| !codes[id.index()].is_nan()).collect();
        if active.is_empty() {
            return;
        }
        let id = active[rng.below(active.len())];
        let how = Neighbourhood { steps: 1, ..Neighbourhood::default() };
        let mut found: Vec<Vec<f64>> = Vec::new();
        self.space.vary(id, codes, &how, rng, &mut |near| found.push(near.to_vec()));
        if !found.is_empty() {
            let chosen = rng.below(found.len());
            *codes = found.swap_remove(chosen);
        }
    }
}

impl Proposer for LocalSearch {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        let number = history.configurations().len();
        if number % 2 == 1 {
            let mut rng = Rng::new(self.seed, "local search", number as u64);
            let origin = history.configuration(incumbent).codes();
            let near = first_new(ATTEMPTS, history, || {
                let mut codes = origin.to_vec();
                self.step(&mut codes, &mut rng);
                while rng.unit() < 0.5 {
                    self.step(&mut codes, &mut rng);
                }
                Some(self.space.configuration_of_valid_codes(codes))
            });
            if near.is_some() {
                return near;
            }
        }
        self.random.propose(history, incumbent)
    }

    fn origin(&self, config: ConfigId, _history: &History) -> &'static str {
        if config.0 % 2 == 1 { "local" } else { "random" }
    }
}
