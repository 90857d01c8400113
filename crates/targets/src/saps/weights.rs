//! The weights of the clauses, smoothed in constant time.
//!
//! Smoothing replaces each weight w by rho w + (1 - rho) mean. Only the order of scores matters, so all
//! weights may be divided by rho. What remains is the addition of one number to all weights, and this number
//! is stored only once:
//!
//! ```text
//! w(c) = part(c) + floor
//! growing:    part(c) += (alpha - 1) w(c)                                  (c unsatisfied)
//! smoothing:  floor += (1 / rho - 1) mean     total /= rho     unit *= rho
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | part(c) | the individual part of a clause's weight; initially 0 |
//! | floor | the part that all clauses share; initially 1 |
//! | total, mean | sum and mean of all w(c) |
//! | unit | the published weight is `unit w(c)`; initially 1 |
//!
//! When the weights have become too large, all of them are divided by their mean. If rho is so small that the
//! smoothed weights are indistinguishable from their mean, they are set to the mean.

/// A score is an improvement only if it is below minus this value, in units of the published weight.
const THRESHOLD: f64 = 0.1;
/// The same threshold as a share of the mean weight; it is larger than any rounding error.
const ROUNDING: f64 = 1e-9;
/// Weights are normalised when their total exceeds this value.
const LARGE: f64 = 1e100;
/// Parts below this share of the floor are indistinguishable from 0.
const NEGLIGIBLE: f64 = 1e-30;
/// For rho below this value, smoothing erases all differences between weights. The reason is that the largest
/// weight is at most the mean times the number of clauses.
const SMALL_RHO: f64 = 1e-21;

/// What smoothing did to the weights.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Smoothed {
    /// All weights increased by this much.
    Gained(f64),
    /// All weights now have this value.
    Level(f64),
}

#[derive(Debug)]
pub(super) struct Weights {
    pub(super) parts: Vec<f64>,
    pub(super) floor: f64,
    total: f64,
    unit: f64,
    /// A score below this limit is an improvement. The limit rises only when weights are normalised.
    pub(super) limit: f64,
}

impl Weights {
    pub(super) fn ones(clauses: usize) -> Self {
        let parts = vec![0.0; clauses];
        Self { parts, floor: 1.0, total: clauses as f64, unit: 1.0, limit: -THRESHOLD }
    }

    #[inline]
    pub(super) fn of(&self, clause: u32) -> f64 {
        self.parts[clause as usize] + self.floor
    }

    /// Multiplies a weight by `alpha` and returns the increase. [`Self::update_limit`] must follow.
    #[inline]
    pub(super) fn grow(&mut self, clause: u32, alpha: f64) -> f64 {
        let gain = (alpha - 1.0) * self.of(clause);
        self.total += gain;
        self.parts[clause as usize] += gain;
        gain
    }

    /// Returns the published weight that corresponds to a weight of 1 here.
    #[cfg(test)]
    pub(super) fn published_unit(&self) -> f64 {
        self.unit
    }

    fn mean(&self) -> f64 {
        self.total / self.parts.len() as f64
    }

    pub(super) fn update_limit(&mut self) {
        self.limit = -(THRESHOLD / self.unit).max(ROUNDING * self.mean());
    }

    /// Smooths all weights. Afterwards they may be so large that they must be normalised.
    pub(super) fn smooth(&mut self, rho: f64) -> Smoothed {
        let mean = self.mean();
        if rho < SMALL_RHO {
            self.parts.fill(0.0);
            self.floor = mean;
            return Smoothed::Level(mean);
        }
        let gain = (1.0 / rho - 1.0) * mean;
        self.floor += gain;
        self.total /= rho;
        self.unit *= rho;
        self.update_limit();
        Smoothed::Gained(gain)
    }

    pub(super) fn are_large(&self) -> bool {
        self.total > LARGE
    }

    /// Converts the weights to units of their mean.
    pub(super) fn normalise(&mut self) {
        let mean = self.mean();
        let share = 1.0 / mean;
        self.floor *= share;
        let negligible = NEGLIGIBLE * self.floor;
        for part in &mut self.parts {
            *part = if *part * share < negligible { 0.0 } else { *part * share };
        }
        self.total = self.parts.len() as f64;
        self.unit *= mean;
        self.update_limit();
    }
}

#[cfg(test)]
mod tests {
    use math::Rng;

    use super::*;

    /// Smooths the weights one by one, according to the definition.
    fn smooth(weights: &mut [f64], rho: f64) {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        for weight in weights {
            *weight = rho * *weight + (1.0 - rho) * mean;
        }
    }

    #[test]
    fn weights_match_the_published_ones_up_to_their_unit() {
        for rho in [0.0, 1e-30, 1e-19, 1e-5, 0.01, 0.3, 0.8, 1.0] {
            let mut rng = Rng::new(3, "weights", 0);
            let mut weights = Weights::ones(50);
            let mut published = vec![1.0; 50];
            let mut normalisations = 0;
            for _ in 0..4000 {
                for _ in 0..rng.below(5) {
                    let clause = rng.below(50);
                    let before = weights.of(clause as u32);
                    let gain = weights.grow(clause as u32, 1.3);
                    assert!((gain - 0.3 * before).abs() <= 1e-12 * before);
                    published[clause] *= 1.3;
                }
                weights.update_limit();
                if rng.unit() < 0.2 {
                    weights.smooth(rho);
                    smooth(&mut published, rho);
                }
                if weights.are_large() {
                    weights.normalise();
                    normalisations += 1;
                }
                if published.iter().sum::<f64>() > 1e200 {
                    let mean = published.iter().sum::<f64>() / 50.0;
                    published.iter_mut().for_each(|weight| *weight /= mean);
                    weights.unit /= mean;
                }
                for (clause, published) in published.iter().enumerate() {
                    let weight = weights.of(clause as u32) * weights.unit;
                    assert!(
                        (weight / published - 1.0).abs() < 1e-6,
                        "rho {rho}: {weight} is not {published}"
                    );
                }
                let mean = (0..50).map(|clause| weights.of(clause)).sum::<f64>() / 50.0;
                assert!((weights.mean() / mean - 1.0).abs() < 1e-6);
            }
            assert_eq!(normalisations > 0, (SMALL_RHO..1.0).contains(&rho), "rho {rho}");
        }
    }
}
