//! How badly a normal law explains a reading, the stopped trials included.
//!
//! ```text
//! z = (y - μ) / σ
//! exact:     ℓ = ln σ + z²/2 + ln √(2π)    ∂ℓ/∂μ = -z/σ       ∂ℓ/∂σ = (1 - z²)/σ
//! censored:  ℓ = -ln(1 - Φ(z))             ∂ℓ/∂μ = -h(z)/σ    ∂ℓ/∂σ = -z h(z)/σ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | y | the cost, or the bound that a stopped trial has reached |
//! | μ, σ | mean and deviation that the model expects |
//! | Φ | distribution function of the standard normal law |
//! | h | its hazard, the density over the share above: about z far up, and nothing far down |
//!
//! J. Tobin, Estimation of Relationships for Limited Dependent Variables, Econometrica 26, 1958.

use math::normal;

use crate::Reading;

/// Derivatives of a loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Slopes {
    /// By the mean.
    pub(super) mean: f64,
    /// By the deviation.
    pub(super) deviation: f64,
}

/// The negative logarithm of the likelihood of a reading.
pub(super) fn loss(reading: Reading, mean: f64, deviation: f64) -> f64 {
    let z = (reading.lower_bound() - mean) / deviation;
    match reading {
        Reading::Exact(_) => libm::log(deviation) - normal::log_density(z),
        Reading::AtLeast(_) => -normal::log_survival(z),
    }
}

/// Its derivatives.
pub(super) fn slopes(reading: Reading, mean: f64, deviation: f64) -> Slopes {
    let z = (reading.lower_bound() - mean) / deviation;
    match reading {
        Reading::Exact(_) => Slopes { mean: -z / deviation, deviation: (1.0 - z * z) / deviation },
        Reading::AtLeast(_) => {
            let hazard = normal::hazard(z);
            Slopes { mean: -hazard / deviation, deviation: -z * hazard / deviation }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reading::{AtLeast, Exact};

    #[test]
    fn values_are_the_known_ones() {
        let near = |found: f64, right: f64| assert!((found / right - 1.0).abs() < 1e-12, "{found} {right}");
        near(loss(Exact(3.0), 1.0, 2.0), std::f64::consts::LN_2 + 0.5 + normal::LN_SQRT_2_PI);
        near(loss(AtLeast(0.0), 0.0, 1.0), std::f64::consts::LN_2);
        // Shares above 1, 5 and 40 deviations, and below 6.
        near(loss(AtLeast(1.0), 0.0, 1.0), 1.841_021_645_009_263_5);
        near(loss(AtLeast(10.0), 0.0, 2.0), 15.064_998_393_988_726);
        near(loss(AtLeast(40.0), 0.0, 1.0), 804.608_442_013_753_8);
        near(loss(AtLeast(-6.0), 0.0, 1.0), 9.865_876_455_243_757e-10);
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        for step in -400..=400 {
            for deviation in [0.01, 0.3, 1.0, 7.0] {
                let y = f64::from(step) / 10.0 * deviation + 0.7;
                for reading in [Exact(y), AtLeast(y)] {
                    let found = slopes(reading, 0.7, deviation);
                    let by = |change: &dyn Fn(f64) -> f64, h: f64| (change(h) - change(-h)) / (2.0 * h);
                    let h = 1e-5 * deviation;
                    let mean = by(&|h| loss(reading, 0.7 + h, deviation), h);
                    let spread = by(&|h| loss(reading, 0.7, deviation + h), h);
                    // What is lost in the difference of two numbers as large as the loss.
                    let blur = 1e-6 * (1.0 + loss(reading, 0.7, deviation).abs()) / deviation;
                    let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * a.abs() + blur;
                    assert!(
                        near(found.mean, mean) && near(found.deviation, spread),
                        "{reading:?} {deviation}: {found:?} {mean} {spread}"
                    );
                }
            }
        }
    }

    #[test]
    fn everything_is_finite_forty_deviations_away_and_beyond() {
        for step in -4000..=4000 {
            for deviation in [1e-4, 1.0, 1e3] {
                for far in [1.0, 1e4] {
                    let y = far * f64::from(step) / 100.0 * deviation;
                    for reading in [Exact(y), AtLeast(y)] {
                        let found = slopes(reading, 0.0, deviation);
                        assert!(loss(reading, 0.0, deviation).is_finite(), "{reading:?} {deviation}");
                        assert!(
                            found.mean.is_finite() && found.deviation.is_finite(),
                            "{reading:?} {deviation}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_bound_only_ever_pushes_up_and_the_less_the_lower_it_is() {
        let mut last = 0.0;
        for step in -4000..=4000 {
            let pull = slopes(AtLeast(f64::from(step) / 100.0), 0.0, 1.0).mean;
            assert!(pull <= last, "{step}: {pull} after {last}");
            last = pull;
        }
        assert!((last + 40.0).abs() < 0.1, "far above it is the distance: {last}");
    }
}
