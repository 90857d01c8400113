//! Random search without races or caps: every configuration runs on the same pairs, each trial up to the
//! cutoff.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::{Budget, Spent};
use engine::{InstanceId, Pair, Rng, Seed};

use super::arena::{Arena, Sums};
use super::configurator::Configurator;
use super::trajectory::Trajectory;

/// Random search on all training instances.
pub(crate) struct Plain {
    pub(crate) name: &'static str,
    /// Minimum number of pairs. If there are fewer instances and trials are not deterministic, each instance
    /// is run with several seeds.
    pub(crate) min_pairs: usize,
    /// Maximum number of pairs.
    pub(crate) max_pairs: usize,
}

impl Plain {
    fn pairs(&self, arena: &Arena, rng: &mut Rng) -> Vec<Pair> {
        let (training, deterministic) = (arena.benchmark.training, arena.benchmark.deterministic);
        let seeds = if deterministic { 1 } else { self.min_pairs.div_ceil(training as usize).max(1) };
        let mut pair =
            |instance| Pair { instance: InstanceId(instance), seed: Seed((rng.bits() >> 33) as u32) };
        let mut pairs: Vec<Pair> =
            (0..seeds).flat_map(|_| (0..training).map(&mut pair).collect::<Vec<_>>()).collect();
        rng.shuffle(&mut pairs);
        pairs.truncate(self.max_pairs);
        pairs
    }
}

impl Configurator for Plain {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Trajectory> {
        let (space, cutoff) = (&arena.benchmark.space, arena.cutoff());
        let mut rng = Rng::new(seed, "plain", 0);
        let pairs = self.pairs(arena, &mut rng);
        let mut configuration = space.default_configuration();
        let mut trajectory = Trajectory::new(configuration.clone());
        let mut best = f64::INFINITY;
        let mut spent = Spent::default();
        'search: loop {
            let mut sums = Sums::new(arena);
            for &pair in &pairs {
                if budget.reached(&spent).is_some() {
                    break 'search;
                }
                let answer = arena.answer(&configuration, pair, cutoff);
                spent.cpu += answer.cost.min(cutoff);
                spent.trials += 1;
                sums.add(&answer);
            }
            trajectory.configurations += 1;
            let cost = sums.tested().cost;
            if cost < best {
                best = cost;
                trajectory.push(configuration, spent.trials, spent.cpu);
            }
            configuration = space.sample(&mut rng)?;
        }
        trajectory.trials = spent.trials;
        trajectory.pairs = Some(pairs.len() as u64);
        Ok(trajectory)
    }
}
