//! Acquisition functions: how useful a trial of a configuration is, given a model's prediction.
//!
//! Acquisition functions use predictions, never models, so each works with every surrogate. All return the
//! logarithm of a utility; larger is better. Far from the best cost, the utility itself would underflow to 0,
//! and all such points would look alike.
//!
//! | acquisition | utility |
//! |---|---|
//! | [`ExpectedImprovement`] | E max(0, best - y), on the model's scale |
//! | [`ExpectedSaving`] | E max(0, 10^best - 10^y): improvement of the cost itself, for models of its logarithm |
//! | [`LowerBound`] | exp(-(μ - k σ)), the lower confidence bound |
//! | [`ProbabilityOfImprovement`] | P(y < best) |
//!
//! Each constraint multiplies the utility by the probability that it is satisfied. [`with_success`]
//! multiplies it by the probability that a trial ends without a failure.

mod improvement;
mod multivariate_normal;
mod saving;

pub use improvement::ExpectedImprovement;
pub use saving::ExpectedSaving;

use math::normal::log_cdf;
pub use multivariate_normal::MultivariateNormal;
use surrogate::Prediction;

/// An acquisition function.
pub trait Acquisition: Send + Sync {
    /// Returns the logarithm of the utility of a predicted cost, relative to the best known cost. If no best
    /// cost is known, a smaller mean is more useful. Each of `constraints` is the predicted excess of an
    /// output over its bound.
    fn log_utility(&self, cost: Prediction, constraints: &[Prediction], best: Option<f64>) -> f64;
}

/// The lower confidence bound: the mean minus a multiple of the standard deviation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LowerBound {
    /// Number of standard deviations.
    pub deviations: f64,
}

impl Acquisition for LowerBound {
    fn log_utility(&self, cost: Prediction, constraints: &[Prediction], _best: Option<f64>) -> f64 {
        self.deviations * cost.deviation() - cost.mean + log_feasibility(constraints)
    }
}

/// The probability that the cost is lower than the best cost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProbabilityOfImprovement;

impl Acquisition for ProbabilityOfImprovement {
    fn log_utility(&self, cost: Prediction, constraints: &[Prediction], best: Option<f64>) -> f64 {
        let own = best.map_or(-cost.mean, |best| log_probability_below(cost, best));
        own + log_feasibility(constraints)
    }
}

/// Returns the logarithm of the probability that all constraints are satisfied, assuming that they are
/// independent.
pub fn log_feasibility(constraints: &[Prediction]) -> f64 {
    constraints.iter().map(|&excess| log_probability_below(excess, 0.0)).sum()
}

/// Returns the logarithm of the probability that all constraints are satisfied, for constraints that depend
/// on each other. `joint` is the joint distribution of their standardised outputs.
///
/// # Panics
/// If the number of constraints differs from the number of values in the distribution.
pub fn log_joint_feasibility(constraints: &[Prediction], joint: &MultivariateNormal) -> f64 {
    let bounds: Vec<f64> = constraints.iter().map(|&excess| standardised(excess, 0.0)).collect();
    joint.log_cdf(&bounds)
}

/// Multiplies a utility by the probability that a trial ends without a failure.
pub fn with_success(log_utility: f64, success: f64) -> f64 {
    log_utility + libm::log(success)
}

/// Returns log P(y <= at); 0 or -∞ if the value is certain.
pub fn log_probability_below(value: Prediction, at: f64) -> f64 {
    match standardised(value, at) {
        z if z.is_finite() => log_cdf(z),
        z if z > 0.0 => 0.0,
        _ => f64::NEG_INFINITY,
    }
}

/// Returns how far `at` is above the mean, in standard deviations; ±∞ if the value is certain.
fn standardised(value: Prediction, at: f64) -> f64 {
    let deviation = value.deviation();
    if deviation > 0.0 {
        let z = (at - value.mean) / deviation;
        if z.is_finite() {
            return z;
        }
    }
    if value.mean <= at { f64::INFINITY } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mean: f64, deviation: f64) -> Prediction {
        Prediction { mean, variance: deviation * deviation }
    }

    #[test]
    fn utilities_decrease_with_the_mean_and_are_defined_everywhere() {
        let all: [&dyn Acquisition; 4] = [
            &ExpectedImprovement,
            &ExpectedSaving,
            &LowerBound { deviations: 1.0 },
            &ProbabilityOfImprovement,
        ];
        for (number, acquisition) in all.into_iter().enumerate() {
            for deviation in [1e-9, 1e-3, 0.3, 5.0] {
                let utility = |mean| acquisition.log_utility(of(mean, deviation), &[], Some(1.0));
                let mut last = f64::INFINITY;
                for i in -300..=300 {
                    // Means from 30 standard deviations below the best to 30 above.
                    let now = utility(1.0 + f64::from(i) / 10.0 * deviation);
                    assert!(now.is_finite() && now <= last + 1e-9, "{number} {deviation} {i}: {now} {last}");
                    last = now;
                }
            }
            let certain = |mean| acquisition.log_utility(of(mean, 0.0), &[], Some(1.0));
            assert!(!certain(2.0).is_nan() && certain(0.5) > certain(2.0));
            assert!(acquisition.log_utility(of(0.5, 0.1), &[], None).is_finite());
        }
    }

    #[test]
    fn adding_constraints_outside_gives_identical_bits() {
        let all: [&dyn Acquisition; 4] = [
            &ExpectedImprovement,
            &ExpectedSaving,
            &LowerBound { deviations: 1.0 },
            &ProbabilityOfImprovement,
        ];
        let constraints = [of(0.3, 0.7), of(-2.0, 0.1), of(0.01, 3.0)];
        for acquisition in all {
            for (best, i) in [None, Some(0.4)].into_iter().flat_map(|best| (1..20).map(move |i| (best, i))) {
                let cost = of(0.07 * f64::from(i), 0.3);
                let whole = acquisition.log_utility(cost, &constraints, best);
                let own = acquisition.log_utility(cost, &[], best);
                assert_eq!((own + log_feasibility(&constraints)).to_bits(), whole.to_bits());
            }
        }
    }

    #[test]
    fn a_certain_output_decides_alone_or_not_at_all() {
        let normal = MultivariateNormal::new(&[1.0, 0.6, 0.6, 1.0], 2);
        let joint = |one: Prediction, other: Prediction| log_joint_feasibility(&[one, other], &normal);
        assert_eq!(joint(of(1.0, 0.0), of(-1.0, 1.0)), f64::NEG_INFINITY);
        assert!((joint(of(-1.0, 0.0), of(0.5, 1.0)) - log_cdf(-0.5)).abs() < 1e-9);
        let both = joint(of(0.5, 1.0), of(0.5, 1.0));
        assert!(both > 2.0 * log_cdf(-0.5) && both < log_cdf(-0.5), "{both}");
    }

    #[test]
    fn constraints_and_failures_lower_the_utility() {
        let lower = LowerBound { deviations: 0.0 };
        let free = lower.log_utility(of(1.0, 1.0), &[], None);
        let even = lower.log_utility(of(1.0, 1.0), &[of(0.0, 2.0)], None);
        assert!((even - free - libm::log(0.5)).abs() < 1e-12);
        assert_eq!(lower.log_utility(of(1.0, 1.0), &[of(1.0, 0.0)], None), f64::NEG_INFINITY);
        assert_eq!(with_success(free, 1.0), free);
        assert!((with_success(free, 0.25) - free - libm::log(0.25)).abs() < 1e-12);
    }
}
