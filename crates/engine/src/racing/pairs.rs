//! The sequence of pairs, in the order in which an incumbent meets them.
//!
//! The pairs come in rounds. Each round contains every instance once, in a random order, and the
//! k-th round uses the k-th seed of each instance. The first pair that a configuration has not met
//! is therefore on an instance it has met least often, with a new seed. Two configurations that
//! have met the same number of pairs have met the same pairs.

use std::collections::HashSet;

use math::Rng;

use crate::trial::{InstanceId, Pair, Seed};

/// All pairs. A round is drawn only when it is needed.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    instances: u32,
    /// Whether one seed per instance is enough.
    deterministic: bool,
    seed: u64,
    rounds: u32,
    drawn: Vec<Pair>,
    seen: HashSet<Pair>,
}

impl Pairs {
    pub(super) fn new(instances: u32, deterministic: bool, seed: u64) -> Self {
        assert!(instances > 0, "at least one instance is needed, even for a target without input");
        Self { instances, deterministic, seed, rounds: 0, drawn: Vec::new(), seen: HashSet::new() }
    }

    /// Returns the number of pairs; `usize::MAX` if there is no limit.
    pub(super) fn count(&self) -> usize {
        if self.deterministic { self.instances as usize } else { usize::MAX }
    }

    /// Returns the pair at this index in the sequence; `None` after the last one.
    pub(super) fn get(&mut self, place: usize) -> Option<Pair> {
        while self.drawn.len() <= place && self.drawn.len() < self.count() {
            self.draw_round();
        }
        self.drawn.get(place).copied()
    }

    fn draw_round(&mut self) {
        let mut order: Vec<u32> = (0..self.instances).collect();
        Rng::new(self.seed, "instances", u64::from(self.rounds)).shuffle(&mut order);
        for instance in order {
            // If an earlier round drew the same seed, take the next seed that is new.
            let mut round = self.rounds;
            let mut pair = self.pair(instance, round);
            while !self.seen.insert(pair) {
                round += 1;
                pair = self.pair(instance, round);
            }
            self.drawn.push(pair);
        }
        self.rounds += 1;
    }

    fn pair(&self, instance: u32, round: u32) -> Pair {
        let bits = Rng::new(self.seed, "seed", u64::from(instance) << 32 | u64::from(round)).bits();
        Pair { instance: InstanceId(instance), seed: Seed((bits >> 33) as u32) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_is_met_equally_often_in_changing_order() {
        let mut pairs = Pairs::new(5, false, 7);
        let mut met: Vec<Pair> = (0..20).map(|place| pairs.get(place).unwrap()).collect();
        let instances: Vec<u32> = met.iter().map(|pair| pair.instance.0).collect();
        for round in instances.chunks(5) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert_ne!(instances[..5], instances[5..10]);
        met.sort_unstable();
        met.dedup();
        assert_eq!(met.len(), 20);
    }

    #[test]
    fn a_deterministic_target_meets_every_instance_once() {
        let mut pairs = Pairs::new(3, true, 7);
        let met: Vec<Pair> = (0..10).map_while(|place| pairs.get(place)).collect();
        assert_eq!(met.len(), 3);
    }
}
