//! Uniform sampling, as in the paper: every evaluation is a new random configuration, with a new seed. The
//! fastest configuration that was feasible when it was evaluated is the result.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;
use engine::{InstanceId, Pair, Rng, Seed};

use crate::contest::arena::Arena;
use crate::contest::configurator::Configurator;
use crate::contest::trajectory::Trajectory;

pub(super) struct Uniform;

impl Configurator for Uniform {
    fn name(&self) -> &'static str {
        "uniform"
    }

    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Trajectory> {
        let space = &arena.benchmark.space;
        let mut rng = Rng::new(seed, "uniform", 0);
        let mut trajectory = Trajectory::new(space.default_configuration());
        let mut best = f64::INFINITY;
        for number in 1..=budget.trials.unwrap_or(0) {
            let configuration = space.sample(&mut rng)?;
            let pair = Pair { instance: InstanceId(0), seed: Seed((rng.bits() >> 33) as u32) };
            let answer = arena.answer(&configuration, pair, f64::INFINITY);
            let kept = answer.constraints.iter().zip(&arena.objective.constraints);
            if kept.clone().all(|(output, constraint)| *output <= constraint.bound) && answer.cost < best {
                best = answer.cost;
                trajectory.push(configuration, number, 0.0);
            }
            trajectory.trials = number;
        }
        Ok(trajectory)
    }
}
