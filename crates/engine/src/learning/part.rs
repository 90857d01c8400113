//! Which trials of a history a model learns from.
//!
//! The first so many; where these are too many for a fit, a share of their configurations and pairs, chosen by a
//! hash of each. While the share stays the same later sets still begin with the earlier ones, and all outputs are
//! learned from the same trials.

use math::mix;

use crate::history::{History, Trial};
use crate::trial::{ConfigId, TrialKey};

/// A part of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// How many trials from the start.
    pub(super) trials: usize,
    /// Keys with a hash up to this are in.
    highest: u64,
}

impl From<usize> for Part {
    /// The first so many trials, all of them.
    fn from(trials: usize) -> Self {
        Self { trials, highest: u64::MAX }
    }
}

impl Part {
    /// The first so many trials, thinned by the share that leaves about `most` of the first `of`.
    pub fn thinned(trials: usize, of: usize, most: usize) -> Self {
        let share = most as f64 / of.max(1) as f64;
        // Of a share below 1 the product is below 2^64.
        let highest = if share < 1.0 { (share * u64::MAX as f64) as u64 } else { u64::MAX };
        Self { trials, highest }
    }

    /// Its trials, with their rows.
    pub(super) fn of(self, history: &History) -> impl Iterator<Item = (usize, &Trial)> {
        let rows = history.trials()[..self.trials].iter().enumerate();
        rows.filter(move |(_, trial)| self.has(&trial.key))
    }

    /// Whether readings of a configuration and pair are in.
    pub(super) fn has(&self, key: &TrialKey) -> bool {
        let TrialKey { config, pair } = key;
        let pair = u64::from(pair.instance.0) << 32 | u64::from(pair.seed.0);
        self.highest == u64::MAX || mix(mix(pair) ^ u64::from(config.0)) <= self.highest
    }

    /// Whether a reading of a configuration is in that stands for all its pairs.
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
    fn the_share_is_kept_and_a_larger_one_has_all_of_a_smaller() {
        let count = |part: Part| keys().filter(|key| part.has(key)).count();
        assert_eq!(count(Part::from(20_000)), 20_000);
        assert_eq!(count(Part::thinned(20_000, 900, 1000)), 20_000);
        let (quarter, half) = (Part::thinned(20_000, 4000, 1000), Part::thinned(20_000, 2000, 1000));
        // Deviations of 61 and 71.
        assert!((4700..5300).contains(&count(quarter)), "{}", count(quarter));
        assert!((9650..10_350).contains(&count(half)), "{}", count(half));
        assert!(keys().all(|key| half.has(&key) || !quarter.has(&key)));
        let configurations = (0..5000).filter(|&config| half.has_configuration(ConfigId(config))).count();
        assert!((2300..2700).contains(&configurations), "{configurations}");
    }
}
