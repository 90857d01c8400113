//! Which pair a configuration meets next: an instance it has met least often, with a fresh seed.
//!
//! The k-th seed of an instance is the same for every configuration, so that two configurations
//! that have met an instance k times have met the same pairs. Among instances met equally often the
//! order is drawn anew in every round.

use crate::rng::Rng;
use crate::trial::{InstanceId, Pair, Seed};

/// The source of pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    pub(super) instances: u32,
    /// Whether the target has no use for a second seed.
    pub(super) deterministic: bool,
    pub(super) seed: u64,
}

impl Pairs {
    /// How many there are.
    pub(super) fn count(self) -> usize {
        if self.deterministic { self.instances as usize } else { usize::MAX }
    }

    /// The k-th pair of an instance.
    fn pair(self, instance: u32, k: u32) -> Pair {
        let bits = Rng::new(self.seed, "seed", u64::from(instance) << 32 | u64::from(k)).bits();
        Pair { instance: InstanceId(instance), seed: Seed((bits >> 33) as u32) }
    }

    /// The next pair after those met; `None` if there is none left.
    pub(super) fn next(self, met: impl Iterator<Item = Pair>) -> Option<Pair> {
        let mut counts = vec![0u32; self.instances as usize];
        let mut seen = std::collections::HashSet::new();
        for pair in met {
            // Instances are never removed, but a history may come from a larger set.
            if let Some(count) = counts.get_mut(pair.instance.index()) {
                *count += 1;
            }
            seen.insert(pair);
        }
        let least = *counts.iter().min()?;
        if self.deterministic && least > 0 {
            return None;
        }
        let mut order: Vec<u32> = (0..self.instances).collect();
        Rng::new(self.seed, "instances", u64::from(least)).shuffle(&mut order);
        let instance = order.into_iter().find(|&instance| counts[instance as usize] == least)?;
        (least..).map(|k| self.pair(instance, k)).find(|pair| !seen.contains(pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_is_met_equally_often_in_changing_order() {
        let pairs = Pairs { instances: 5, deterministic: false, seed: 7 };
        let mut met: Vec<Pair> = Vec::new();
        for _ in 0..20 {
            met.push(pairs.next(met.iter().copied()).unwrap());
        }
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
        let pairs = Pairs { instances: 3, deterministic: true, seed: 7 };
        let mut met: Vec<Pair> = Vec::new();
        while let Some(pair) = pairs.next(met.iter().copied()) {
            met.push(pair);
        }
        assert_eq!(met.len(), 3);
    }
}
