//! Expected improvement on the model's scale.
//!
//! ```text
//! EI = σ h(u),   h(u) = u Φ(u) + φ(u),   u = (best - μ) / σ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ, σ | predicted mean and standard deviation |
//! | φ, Φ | standard normal density and distribution function |
//!
//! For u below zero, h(u) = φ(u) (1 - t r(-t)) with t = -u and r = Φ/φ. For large t, the subtraction would
//! lose precision, so the factor in parentheses is replaced by its expansion 1/t² - 3/t⁴ + 15/t⁶.

use math::normal::{cdf, cdf_over_density, log_density};
use surrogate::Prediction;

use super::{Acquisition, log_feasibility};

/// Expected improvement over the best value, on the model's scale.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ExpectedImprovement;

impl Acquisition for ExpectedImprovement {
    fn log_utility(&self, cost: Prediction, constraints: &[Prediction], best: Option<f64>) -> f64 {
        let own = best.map_or(-cost.mean, |best| {
            let deviation = cost.deviation();
            let u = (best - cost.mean) / deviation;
            if deviation > 0.0 && u.is_finite() {
                libm::log(deviation) + log_h(u)
            } else {
                // The prediction is certain. If it is not an improvement, the logarithm is -∞.
                libm::log((best - cost.mean).max(0.0))
            }
        });
        own + log_feasibility(constraints)
    }
}

/// Returns ln(u Φ(u) + φ(u)).
pub(super) fn log_h(u: f64) -> f64 {
    if u > -1.0 {
        return libm::log(u * cdf(u) + libm::exp(log_density(u)));
    }
    log_density(u) + libm::log(derivative_of_ratio(u))
}

/// Returns 1 + u Φ(u)/φ(u), the derivative of Φ/φ, for u up to about 5.
pub(super) fn derivative_of_ratio(u: f64) -> f64 {
    if u > -100.0 {
        return 1.0 + u * cdf_over_density(u);
    }
    let inverse = 1.0 / (u * u);
    inverse * (1.0 - inverse * (3.0 - 15.0 * inverse))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_match_those_of_high_precision() {
        for (u, known) in KNOWN {
            let found = log_h(u);
            assert!((found - known).abs() <= 1e-10 * known.abs().max(0.1), "{u}: {found} {known}");
        }
    }

    /// Values of u and ln h(u).
    const KNOWN: [(f64, f64); 13] = [
        (-1000.0, -500_014.734_452_091_16),
        (-101.0, -5_110.649_473_554_864),
        (-99.0, -4_910.609_484_215_455),
        (-40.0, -808.298_568_356_62),
        (-10.0, -55.553_122_036_122_35),
        (-3.0, -7.869_686_059_603_029),
        (-1.5, -3.529_935_920_805_71),
        (-1.0, -2.485_121_025_712_641_3),
        (-0.5, -1.620_516_264_387_319_9),
        (0.0, -0.918_938_533_204_672_8),
        (0.5, -0.359_827_683_745_063_8),
        (3.0, 1.098_739_665_327_707_7),
        (40.0, 3.688_879_454_113_936_3),
    ];
}
