//! The negative log likelihood of a reading under a normal distribution, for exact and censored readings.
//!
//! ```text
//! z = (y - μ) / σ
//! exact:     ℓ = ln σ + z²/2 + ln √(2π)    ∂ℓ/∂μ = -z/σ       ∂ℓ/∂σ = (1 - z²)/σ
//! censored:  ℓ = -ln(1 - Φ(z))             ∂ℓ/∂μ = -h(z)/σ    ∂ℓ/∂σ = -z h(z)/σ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | y | the cost, or the bound at which a trial was stopped |
//! | μ, σ | predicted mean and standard deviation |
//! | Φ | standard normal distribution function |
//! | h | hazard function, the density divided by 1 - Φ: about z for large z, about 0 for very negative z |
//!
//! J. Tobin, Estimation of Relationships for Limited Dependent Variables, Econometrica 26, 1958.

use math::normal;

use crate::Reading;

/// The gradient of a loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Gradient {
    /// Derivative with respect to the mean.
    pub(super) mean: f64,
    /// Derivative with respect to the standard deviation.
    pub(super) deviation: f64,
}

/// Returns the negative log likelihood of a reading.
pub(super) fn loss(reading: Reading, mean: f64, deviation: f64) -> f64 {
    let z = (reading.lower_bound() - mean) / deviation;
    match reading {
        Reading::Exact(_) => libm::log(deviation) - normal::log_density(z),
        Reading::AtLeast(_) => -normal::log_survival(z),
    }
}

/// Returns the gradient of the loss.
pub(super) fn gradient(reading: Reading, mean: f64, deviation: f64) -> Gradient {
    let z = (reading.lower_bound() - mean) / deviation;
    match reading {
        Reading::Exact(_) => Gradient { mean: -z / deviation, deviation: (1.0 - z * z) / deviation },
        Reading::AtLeast(_) => {
            let hazard = normal::hazard(z);
            Gradient { mean: -hazard / deviation, deviation: -z * hazard / deviation }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reading::{AtLeast, Exact};

    #[test]
    fn losses_match_known_values() {
        let near = |found: f64, right: f64| assert!((found / right - 1.0).abs() < 1e-12, "{found} {right}");
        near(loss(Exact(3.0), 1.0, 2.0), std::f64::consts::LN_2 + 0.5 + normal::LN_SQRT_2_PI);
        near(loss(AtLeast(0.0), 0.0, 1.0), std::f64::consts::LN_2);
        // Upper tails beyond 1, 5 and 40 standard deviations, and beyond -6.
        near(loss(AtLeast(1.0), 0.0, 1.0), 1.841_021_645_009_263_5);
        near(loss(AtLeast(10.0), 0.0, 2.0), 15.064_998_393_988_726);
        near(loss(AtLeast(40.0), 0.0, 1.0), 804.608_442_013_753_8);
        near(loss(AtLeast(-6.0), 0.0, 1.0), 9.865_876_455_243_757e-10);
    }

    #[test]
    fn gradients_match_finite_differences() {
        for step in -400..=400 {
            for deviation in [0.01, 0.3, 1.0, 7.0] {
                let y = f64::from(step) / 10.0 * deviation + 0.7;
                for reading in [Exact(y), AtLeast(y)] {
                    let found = gradient(reading, 0.7, deviation);
                    let by = |change: &dyn Fn(f64) -> f64, h: f64| (change(h) - change(-h)) / (2.0 * h);
                    let h = 1e-5 * deviation;
                    let mean = by(&|h| loss(reading, 0.7 + h, deviation), h);
                    let spread = by(&|h| loss(reading, 0.7, deviation + h), h);
                    // Rounding error in the difference between two numbers as large as the loss.
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
    fn loss_and_gradient_are_finite_forty_deviations_away_and_beyond() {
        for step in -4000..=4000 {
            for deviation in [1e-4, 1.0, 1e3] {
                for far in [1.0, 1e4] {
                    let y = far * f64::from(step) / 100.0 * deviation;
                    for reading in [Exact(y), AtLeast(y)] {
                        let found = gradient(reading, 0.0, deviation);
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
    fn a_bound_only_raises_the_mean_and_a_lower_bound_raises_it_less() {
        let mut last = 0.0;
        for step in -4000..=4000 {
            let derivative = gradient(AtLeast(f64::from(step) / 100.0), 0.0, 1.0).mean;
            assert!(derivative <= last, "{step}: {derivative} after {last}");
            last = derivative;
        }
        assert!((last + 40.0).abs() < 0.1, "for a high bound it is minus the distance: {last}");
    }
}
