//! A Gaussian process that learns from stopped trials.
//!
//! ```text
//! y_i = f(x_i) + h_π(i) + ε_i,   ε_i ~ N(0, σ²),   h_π ~ N(0, h²)          a trial that ended by itself
//! f(x_i) + h_π(i) + ε_i >= b_i                                             a trial that was stopped
//! f ~ GP(m, k),   k(x, x') = s² (1 + q + q²/3) exp(-q),   q² = 5 Σ_c D_c(x, x') / ℓ_c²
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | x | the columns of a configuration and its instance |
//! | D_c | distance between values of column c: squared difference of numbers, 1 for different categories |
//! | ℓ_c | length scale of column c |
//! | s² | signal variance |
//! | h_π | effect of an instance on all configurations, with variance h²; 0 if there is only one instance |
//! | σ² | noise variance of single trials, not below [`GaussianSettings::least_noise`] |
//! | m | the mean, also chosen to maximise the posterior density |
//! | b_i | the bound at which a trial was stopped |
//!
//! Readings are standardised, bounds included. The hyperparameters (length scales, variances and noise)
//! maximise the posterior density: likelihood times weak priors. A stopped trial enters as a Gaussian site,
//! found by expectation propagation (`sites`). Several exact readings of one configuration and instance
//! become one point: their mean, with less noise.
//!
//! J. Gardner, M. Kusner, Z. Xu, K. Weinberger, J. Cunningham, Bayesian Optimization with Inequality
//! Constraints, 2014; C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 to
//! 5.
//!
//! | file | subject |
//! |---|---|
//! | `coordinates` | rows of a training set as points with distances |
//! | `kernel` | k and its derivative |
//! | `prior` | the prior on the hyperparameters |
//! | `readings` | standardised readings, merged where they share a point |
//! | `sites` | stopped trials as Gaussian sites |
//! | `likelihood` | the posterior density of the hyperparameters, and its gradient |
//! | `trainer` | the search for hyperparameters |
//! | `fitted` | predictions; adding a reading |
//! | `marginal` | predictions over all instances |
//! | `residuals` | leave-one-out residuals |
//! | `gradient` | the gradient of predictions with respect to the numeric columns |

mod coordinates;
mod fitted;
mod gradient;
mod kernel;
mod likelihood;
mod marginal;
mod prior;
mod readings;
mod residuals;
mod sites;
#[cfg(test)]
mod tests;
mod trainer;
#[cfg(test)]
mod truth_tests;

pub use fitted::Gaussian;
pub use trainer::GaussianTrainer;

use math::Rng;

use super::{FitError, OutOfRange, Predictor, Surrogate, TrainingSet};

/// Settings for a Gaussian process.
#[derive(Clone, PartialEq, Debug)]
pub struct GaussianSettings {
    /// Treatment of censored points.
    pub treatment: Treatment,
    /// Minimum noise variance, as a share of the variance of all readings.
    pub least_noise: f64,
    /// Number of starting points for the hyperparameter search while there are at most
    /// [`few_points`](Self::few_points) points. There are always at least two, one of which assumes more
    /// noise.
    pub starts: usize,
    /// Number of points up to which the search uses all [`starts`](Self::starts).
    pub few_points: usize,
    /// Maximum number of likelihood evaluations in one search.
    pub evaluations: usize,
    /// Maximum number of points that hyperparameters are learned from.
    pub max_training_points: usize,
    /// Maximum number of points that predictions are based on. More points would need gigabytes of memory.
    pub max_points: usize,
}

/// Treatment of censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Bounds are used as if they were costs.
    Ignore,
    /// Censored points are left out. If there are no others, bounds are used as costs.
    Drop,
    /// A bound enters through the probability of a cost above it.
    Likelihood,
}

impl Default for GaussianSettings {
    fn default() -> Self {
        Self {
            treatment: Treatment::Likelihood,
            least_noise: 1e-6,
            starts: 3,
            few_points: 100,
            evaluations: 60,
            max_training_points: 1000,
            max_points: 3000,
        }
    }
}

impl GaussianSettings {
    /// Checks that every setting is in its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless(
            |x| x > 0.0 && x <= 1.0,
            "least_noise",
            self.least_noise,
            "above 0 and at most 1",
        )?;
        OutOfRange::if_zero("evaluations", self.evaluations)?;
        OutOfRange::if_zero("max_training_points", self.max_training_points)?;
        OutOfRange::if_zero("max_points", self.max_points)
    }
}

impl Surrogate for GaussianSettings {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        self.check()?;
        Ok(Box::new(GaussianTrainer::new(self.clone(), rng.bits()).fit(data)?))
    }
}
