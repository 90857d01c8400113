//! The trials in a history that a model learns from.
//!
//! A model learns from the first n trials. If there are too many for a fit, only a share of them is used,
//! selected by a hash of the configuration and the pair. While the share stays the same, each training set
//! begins with the previous one. All outputs are learned from the same trials.

use math::mix;

use crate::history::{History, Trial};
use crate::trial::{ConfigId, TrialKey};

/// A part of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Number of trials, counted from the start of the history.
    pub(super) trials: usize,
    /// Largest hash that a key in the part can have.
    highest: u64,
}

impl From<usize> for Part {
    /// Returns the part with the first `trials` trials, without thinning.
    fn from(trials: usize) -> Self {
        Self { trials, highest: u64::MAX }
    }
}

impl Part {
    /// Returns the first `trials` trials, thinned to the share that would leave about `most` of the first
    /// `of` trials.
    pub fn thinned(trials: usize, of: usize, most: usize) -> Self {
        let share = most as f64 / of.max(1) as f64;
        // The share is below 1, so the product is below 2^64.
        let highest = if share < 1.0 { (share * u64::MAX as f64) as u64 } else { u64::MAX };
        Self { trials, highest }
    }

    /// Returns the trials in the part, with their rows in the history.
    pub(super) fn of(self, history: &History) -> impl Iterator<Item = (usize, &Trial)> {
        let rows = history.trials()[..self.trials].iter().enumerate();
        rows.filter(move |(_, trial)| self.has(&trial.key))
    }

    /// Returns whether readings for this configuration and pair belong to the part.
    pub(super) fn has(&self, key: &TrialKey) -> bool {
        let TrialKey { config, pair } = key;
        let pair = u64::from(pair.instance.0) << 32 | u64::from(pair.seed.0);
        self.highest == u64::MAX || mix(mix(pair) ^ u64::from(config.0)) <= self.highest
    }

    /// Returns whether a reading that represents all pairs of this configuration belongs to the
    /// part.
    pub(super) fn has_configuration(&self, config: ConfigId) -> bool {
        self.highest == u64::MAX || mix(u64::from(config.0)) <= self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{InstanceId, Pair, Seed};

    fn keys() -> impl Iterator<Item = TrialKey> {
        (0..20_000).map(|number| TrialKey {
            config: ConfigId(number / 4),
            pair: Pair { instance: InstanceId(number % 2), seed: Seed(number % 4 / 2) },
        })
    }

    #[test]
    fn parts_have_the_wanted_share_and_a_larger_part_contains_a_smaller_one() {
        let count = |part: Part| keys().filter(|key| part.has(key)).count();
        assert_eq!(count(Part::from(20_000)), 20_000);
        assert_eq!(count(Part::thinned(20_000, 900, 1000)), 20_000);
        let (quarter, half) = (Part::thinned(20_000, 4000, 1000), Part::thinned(20_000, 2000, 1000));
        // The standard deviations of the two counts are 61 and 71.
        assert!((4700..5300).contains(&count(quarter)), "{}", count(quarter));
        assert!((9650..10_350).contains(&count(half)), "{}", count(half));
        assert!(keys().all(|key| half.has(&key) || !quarter.has(&key)));
        let configurations = (0..5000).filter(|&config| half.has_configuration(ConfigId(config))).count();
        assert!((2300..2700).contains(&configurations), "{configurations}");
    }
}
