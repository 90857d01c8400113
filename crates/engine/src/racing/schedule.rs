//! The number of pairs the incumbent should have after a given number of challengers.
//!
//! ```text
//! pairs(k) = 1 + floor(k / early)                        while that is at most n
//!            n + floor((k - early (n - 1)) / late)       from then on
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | k | challengers raced so far |
//! | n | instances |
//! | early, late | challengers per pair gained: until every instance has been met once, and afterwards |
//!
//! The schedule ignores what challengers cost. The alternative, spending equal time on the incumbent and on
//! challengers, can go wrong if the default is expensive and one lucky challenger makes all later caps small.
//! New pairs of the incumbent would then cost more than all challengers together, so the incumbent would stay
//! on its first pairs. Counts do not depend on caps, so capping does not change when the incumbent gains a
//! pair.

/// Number of challengers that race for each pair that the incumbent gains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Number of challengers per pair until the incumbent has met every instance once.
    pub early: usize,
    /// Number of challengers per pair afterwards.
    pub late: usize,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { early: 1, late: 3 }
    }
}

impl Schedule {
    /// Returns the number of pairs due after this many challengers, with this many instances.
    pub fn pairs(self, challengers: usize, instances: usize) -> usize {
        let first_round = instances.saturating_sub(1).saturating_mul(self.early);
        match challengers.checked_sub(first_round) {
            None => 1 + challengers / self.early,
            Some(further) => instances.max(1) + further / self.late,
        }
    }

    /// Returns the smallest number of challengers after which this many pairs are due.
    pub(super) fn challengers(self, pairs: usize, instances: usize) -> usize {
        let (instances, gains) = (instances.max(1), pairs.saturating_sub(1));
        let early = gains.min(instances - 1);
        early * self.early + (gains - early) * self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_grow_with_the_number_of_challengers() {
        let pairs = |early, late, instances| {
            (0..9).map(|k| Schedule { early, late }.pairs(k, instances)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(1, 1, 4), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(pairs(1, 3, 4), [1, 2, 3, 4, 4, 4, 5, 5, 5]);
        assert_eq!(pairs(2, 3, 3), [1, 1, 2, 2, 3, 3, 3, 4, 4]);
        assert_eq!(pairs(5, 2, 1), [1, 1, 2, 2, 3, 3, 4, 4, 5]);
    }

    #[test]
    fn challengers_are_the_inverse_of_pairs() {
        for (early, late, instances) in [(1, 1, 5), (1, 4, 3), (3, 2, 4), (2, 7, 1)] {
            let schedule = Schedule { early, late };
            for pairs in 1..40 {
                let challengers = schedule.challengers(pairs, instances);
                assert_eq!(schedule.pairs(challengers, instances), pairs);
                assert!(challengers == 0 || schedule.pairs(challengers - 1, instances) < pairs);
            }
        }
    }
}
