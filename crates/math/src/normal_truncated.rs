//! The normal distribution truncated from below: the prediction for a cost that is known to be at least b.
//!
//! ```text
//! S(x) = 1 - Φ((x - μ)/σ)
//! q-quantile: S(x) = (1 - q) S(b)         mean: μ + σ hazard((b - μ)/σ)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ, σ | mean and standard deviation before the truncation |
//! | b | the bound |
//! | q | the probability of a value below x, given that it is at least b |
//!
//! Both are computed from log S, so they stay accurate even for a bound 40 standard deviations above the
//! mean. If σ = 0, all probability lies at the mean, or at the bound if that is higher.

use super::normal::{hazard, log_survival, quantile_of_log};

/// N(mean, deviation²), conditioned on a value of at least the bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TruncatedNormal {
    mean: f64,
    deviation: f64,
    bound: f64,
    /// log S(bound).
    log_mass: f64,
}

impl TruncatedNormal {
    /// Truncates a normal distribution below a bound.
    pub fn new(mean: f64, deviation: f64, bound: f64) -> Self {
        let log_mass = if deviation > 0.0 { log_survival((bound - mean) / deviation) } else { 0.0 };
        Self { mean, deviation, bound, log_mass }
    }

    /// Returns the quantile for the probability `q`, 0 <= q < 1; never below the bound.
    pub fn quantile(&self, q: f64) -> f64 {
        let Self { mean, deviation, bound, log_mass } = *self;
        if deviation <= 0.0 {
            return mean.max(bound);
        }
        (mean - deviation * quantile_of_log(log_mass + libm::log1p(-q))).max(bound)
    }

    /// Returns the mean; never below the bound.
    pub fn mean(&self) -> f64 {
        let Self { mean, deviation, bound, .. } = *self;
        if deviation <= 0.0 {
            return mean.max(bound);
        }
        (mean + deviation * hazard((bound - mean) / deviation)).max(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_means_match_values_of_high_precision() {
        // μ, σ, b, k, the k/11 quantile and the mean, computed with 60 digits.
        let known = [
            (0.0, 1.0, 0.0, 1.0, 0.114_185_294_321_428_34, 0.797_884_560_802_865_4),
            (0.0, 1.0, 0.0, 6.0, 0.747_858_594_763_302_2, 0.797_884_560_802_865_4),
            (0.0, 1.0, 0.0, 10.0, 1.690_621_629_584_898_1, 0.797_884_560_802_865_4),
            (0.0, 1.0, -40.0, 1.0, -1.335_177_736_118_936_8, 0.0),
            (0.0, 1.0, -40.0, 6.0, 0.114_185_294_321_428_34, 0.0),
            (0.0, 1.0, -40.0, 10.0, 1.335_177_736_118_936_8, 0.0),
            (0.0, 1.0, 40.0, 1.0, 40.002_381_197_269_216, 40.024_968_847_207_26),
            (0.0, 1.0, 40.0, 6.0, 40.019_694_295_115_12, 40.024_968_847_207_26),
            (0.0, 1.0, 40.0, 10.0, 40.059_865_242_443_664, 40.024_968_847_207_26),
            (2.0, 0.5, 3.0, 1.0, 3.019_931_984_772_165_7, 3.186_607_766_411_420_5),
            (2.0, 0.5, 3.0, 6.0, 3.156_870_457_355_718, 3.186_607_766_411_420_5),
            (2.0, 0.5, 3.0, 10.0, 3.433_784_436_706_672_3, 3.186_607_766_411_420_5),
            (1.0, 0.125, 4.5, 1.0, 4.500_424_925_489_363, 4.504_452_969_183_635),
            (1.0, 0.125, 4.5, 6.0, 4.503_513_667_109_964, 4.504_452_969_183_635),
            (1.0, 0.125, 4.5, 10.0, 4.510_675_049_033_721, 4.504_452_969_183_635),
            (-3.0, 2.0, -10.0, 1.0, -5.667_772_467_728_751, -2.998_254_228_492_690_7),
            (-3.0, 2.0, -10.0, 6.0, -2.771_095_831_904_246, -2.998_254_228_492_690_7),
            (-3.0, 2.0, -10.0, 10.0, -0.329_385_982_238_142, -2.998_254_228_492_690_7),
            (0.5, 0.000_976_562_5, 0.625, 1.0, 0.625_000_727_112_475_9, 0.625_007_628_463_492_8),
            (0.5, 0.000_976_562_5, 0.625, 6.0, 0.625_006_014_940_486, 0.625_007_628_463_492_8),
            (0.5, 0.000_976_562_5, 0.625, 10.0, 0.625_018_292_034_447_4, 0.625_007_628_463_492_8),
            (0.0, 1.0, 8.5, 1.0, 8.511_056_797_462_69, 8.614_595_320_165_172),
            (0.0, 1.0, 8.5, 6.0, 8.591_050_705_926_21, 8.614_595_320_165_172),
            (0.0, 1.0, 8.5, 10.0, 8.774_048_344_854_82, 8.614_595_320_165_172),
        ];
        for (mean, deviation, bound, k, quantile, above) in known {
            let truncated = TruncatedNormal::new(mean, deviation, bound);
            let near = |found: f64, known: f64| (found - known).abs() <= 1e-12 * known.abs().max(1e-3);
            let found = truncated.quantile(k / 11.0);
            assert!(near(found, quantile), "{truncated:?} {k}: {found} {quantile}");
            assert!(near(truncated.mean(), above), "{truncated:?}: {} {above}", truncated.mean());
        }
    }

    #[test]
    fn extremes_are_defined() {
        for bound in [-1e9, -40.0, 0.0, 40.0, 1e5, 1e9] {
            for deviation in [0.0, 1e-12, 1.0, 1e6] {
                let truncated = TruncatedNormal::new(0.0, deviation, bound);
                let quantiles = [0.0, 0.5, 0.999].map(|q| truncated.quantile(q));
                for value in quantiles.into_iter().chain([truncated.mean()]) {
                    assert!(value.is_finite() && value >= bound, "{truncated:?}: {value}");
                }
            }
        }
        assert_eq!(TruncatedNormal::new(3.0, 0.0, 1.0).mean(), 3.0);
        assert_eq!(TruncatedNormal::new(3.0, 0.0, 5.0).quantile(0.5), 5.0);
    }
}
