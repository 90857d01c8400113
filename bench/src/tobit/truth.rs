//! The expected logarithm of a configuration's cost if some of its runs were capped.
//!
//! ```text
//! y_i ~ N(μ, σ²), some known to be at least b_i:  maximum-likelihood estimate of μ, by rounds of
//!   e_i = y_i or E[Y | Y >= b_i],   v_i = 0 or Var[Y | Y >= b_i]
//!   μ = mean e_i,   σ² = mean (v_i + (e_i - μ)²)
//!   E[Y | Y >= b] = μ + σ h(z),   Var[Y | Y >= b] = σ² (1 + z h(z) - h(z)²),   z = (b - μ)/σ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | h | hazard function of the standard normal distribution |
//!
//! If all runs were capped, the estimate does not exist, because the likelihood grows with μ without a
//! maximum. The paper defines the true cost as this estimate (footnote 2). A cost above the cutoff is set to
//! the cutoff afterwards.

use engine::Reading;
use math::normal::hazard;

const ROUNDS: usize = 1000;

/// Returns the estimated mean, at most the cutoff.
pub(super) fn expected(readings: &[Reading], cutoff: f64) -> f64 {
    if readings.iter().all(|reading| reading.is_censored()) {
        return cutoff;
    }
    let count = readings.len() as f64;
    let average = |of: &dyn Fn(Reading) -> f64| readings.iter().map(|&it| of(it)).sum::<f64>() / count;
    let mut mean = average(&|reading| reading.lower_bound());
    let mut deviation = average(&|reading| (reading.lower_bound() - mean).powi(2)).sqrt().max(1e-3);
    for _ in 0..ROUNDS {
        let filled = |reading| match reading {
            Reading::Exact(value) => (value, 0.0),
            Reading::AtLeast(bound) => {
                let z = (bound - mean) / deviation;
                let hazard = hazard(z);
                (mean + deviation * hazard, deviation * deviation * (1.0 + z * hazard - hazard * hazard))
            }
        };
        let next = average(&|reading| filled(reading).0);
        let square = |reading| {
            let (value, variance) = filled(reading);
            variance.max(0.0) + (value - next).powi(2)
        };
        let spread = average(&square).sqrt().max(1e-6);
        (mean, deviation) = (next, spread);
    }
    mean.min(cutoff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Rng;

    #[test]
    fn the_mean_is_found_although_the_upper_third_is_censored() {
        let mut rng = Rng::new(1, "truth", 0);
        let mut read = |_| match 2.0 + 0.5 * rng.normal() {
            y if y > 2.2 => Reading::AtLeast(2.2),
            y => Reading::Exact(y),
        };
        let readings: Vec<Reading> = (0..2000).map(&mut read).collect();
        let plain = readings.iter().map(|it| it.lower_bound()).sum::<f64>() / 2000.0;
        let found = expected(&readings, 9.0);
        assert!((found - 2.0).abs() < 0.04 && plain < 1.9, "{found} {plain}");
    }

    #[test]
    fn exact_readings_give_their_mean_and_bounds_alone_the_cutoff() {
        assert!((expected(&[Reading::Exact(1.0), Reading::Exact(3.0)], 9.0) - 2.0).abs() < 1e-12);
        assert_eq!(expected(&[Reading::AtLeast(4.0); 3], 4.0), 4.0);
        let most = [Reading::AtLeast(4.0), Reading::AtLeast(4.0), Reading::AtLeast(4.0), Reading::Exact(3.9)];
        assert_eq!(expected(&most, 4.0), 4.0, "above the cutoff");
    }
}
