//! Expected improvement in the cost itself, for models that predict the logarithm of the cost.
//!
//! ```text
//! EI = f Φ(v) - exp(m + s²/2) Φ(v - s),   v = (ln f - m) / s
//!    = f φ(v) (r(v) - r(v - s)),          r = Φ/φ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | f | the best cost |
//! | m, s | mean and standard deviation of the natural logarithm of the cost |
//!
//! The second form does not lose precision in the tail. For small s, the difference between the two values of
//! r is computed from its Taylor series around the midpoint. For large v, where r overflows, the first form
//! is used. (Hutter, Hoos, Leyton-Brown, Murphy, An Experimental Investigation of Model-Based Parameter
//! Optimisation, 2009.)

use math::normal::{cdf_over_density, log_cdf, log_density, log_one_minus_exp};
use surrogate::Prediction;

use super::improvement::derivative_of_ratio;
use super::{Acquisition, log_feasibility};

/// Expected improvement over the best cost, for models that predict the decimal logarithm of the cost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ExpectedSaving;

impl Acquisition for ExpectedSaving {
    fn log_utility(&self, cost: Prediction, constraints: &[Prediction], best: Option<f64>) -> f64 {
        const LN_10: f64 = std::f64::consts::LN_10;
        let own = best
            .map_or(-cost.mean, |best| log_saving(best * LN_10, cost.mean * LN_10, cost.deviation() * LN_10));
        own + log_feasibility(constraints)
    }
}

fn log_saving(best: f64, mean: f64, deviation: f64) -> f64 {
    let v = (best - mean) / deviation;
    if deviation <= 0.0 || !v.is_finite() {
        return if mean < best { best + log_one_minus_exp(best - mean) } else { f64::NEG_INFINITY };
    }
    if v > 5.0 {
        // Φ(v) is nearly 1, so the two terms are compared by their logarithms.
        let over = best - mean - deviation * deviation / 2.0 + log_cdf(v) - log_cdf(v - deviation);
        if over > 0.0 {
            return best + log_cdf(v) + log_one_minus_exp(over);
        }
    }
    let difference = if deviation < 1e-3 * v.abs().max(1.0) {
        let u = v - deviation / 2.0;
        let first = derivative_of_ratio(u);
        // The third derivative of r is 2 r' + u (r + u r'), which is negligible compared with r' in the tail.
        let third = if u > -1.0 { 2.0 * first + u * (cdf_over_density(u) + u * first) } else { 0.0 };
        deviation * (first + deviation * deviation / 24.0 * third)
    } else {
        cdf_over_density(v) - cdf_over_density(v - deviation)
    };
    best + log_density(v) + libm::log(difference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_match_those_of_high_precision() {
        for (best, mean, deviation, known) in KNOWN {
            let found = log_saving(best, mean, deviation);
            assert!((found - known).abs() <= 1e-6, "{best} {mean} {deviation}: {found} {known}");
        }
    }

    /// Values of ln f, m, s and ln EI.
    const KNOWN: [(f64, f64, f64, f64); 13] = [
        (0.0, 0.0, 1.0, -1.433_714_290_323_697_7),
        (1.0, 2.0, 0.5, -4.620_448_399_626_38),
        (0.0, 10.0, 0.3, -564.703_210_111_313_3),
        (0.0, -3.0, 0.2, -0.052_128_204_791_313_74),
        (0.0, -3.0, 1.0e-06, -0.051_069_180_942_727_78),
        (0.0, 0.001, 0.0001, -64.763_472_127_203_83),
        (0.0, 0.0, 1.0e-05, -12.431_870_264_731_89),
        (2.0, 1.0, 3.0, 1.314_253_121_828_988),
        (0.0, 40.0, 1.0, -808.323_215_803_048_9),
        (0.0, -0.02, 0.01, -3.920_180_592_911_936),
        (0.0, 0.05, 0.002, -326.076_151_296_992_86),
        (-5.0, -5.5, 0.05, -5.934_682_063_088_781),
        (0.0, -30.0, 2.0, -6.914_400_106_942_593e-13),
    ];
}
