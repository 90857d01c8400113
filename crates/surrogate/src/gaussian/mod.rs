//! A Gaussian process that learns from stopped trials.
//!
//! ```text
//! y_i = f(x_i) + h_π(i) + ε_i,   ε_i ~ N(0, σ²),   h_π ~ N(0, h²)          a trial that ended
//! f(x_i) + h_π(i) + ε_i >= b_i                                             one that was stopped
//! f ~ GP(m, k),   k(x, x') = s² (1 + q + q²/3) exp(-q),   q² = 5 Σ_c D_c(x, x') / ℓ_c²
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | x | the columns of a configuration and its instance |
//! | D_c | how far apart two values of a column are: the squared difference of numbers, 1 of different names |
//! | ℓ_c | the length over which f changes along a column |
//! | s² | how much f varies |
//! | h_π | the effect of an instance, whatever the configuration, and h² how much it varies; nothing where there is one |
//! | σ² | the noise of single trials, not below [`GaussianSettings::least_noise`] |
//! | m | the mean, of largest posterior density as well |
//! | b_i | what a stopped trial had reached |
//!
//! Readings are standardised, bounds included. Lengths, variation and noise are those of largest posterior
//! density: likelihood times weak priors. A stopped trial enters as a Gaussian site, found by
//! expectation propagation (`sites`). Several exact readings of one configuration and instance are one
//! point: their mean, with less noise.
//!
//! J. Gardner, M. Kusner, Z. Xu, K. Weinberger, J. Cunningham, Bayesian Optimization with Inequality
//! Constraints, 2014; C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 to 5.
//!
//! | file | subject |
//! |---|---|
//! | `coordinates` | rows of a training set as points with distances |
//! | `kernel` | k and its slopes |
//! | `prior` | what is likely before any reading |
//! | `readings` | what was read, standardised, equal points together |
//! | `sites` | stopped trials as Gaussian sites |
//! | `likelihood` | how likely the readings are, and which way that grows |
//! | `trainer` | the search for lengths, variation and noise |
//! | `fitted` | predictions; one more reading |
//! | `marginal` | predictions over all instances |
//! | `residuals` | how far readings lie from what all others foretell |
//! | `slopes` | how predictions change with the numbers of a configuration |

mod coordinates;
mod fitted;
mod kernel;
mod likelihood;
mod marginal;
mod prior;
mod readings;
mod residuals;
mod sites;
mod slopes;
#[cfg(test)]
mod tests;
mod trainer;
#[cfg(test)]
mod truth_tests;

pub use fitted::Gaussian;
pub use trainer::GaussianTrainer;

use math::Rng;

use super::{FitError, Predictor, Surrogate, TrainingSet};

/// How a Gaussian process is trained.
#[derive(Clone, PartialEq, Debug)]
pub struct GaussianSettings {
    /// What becomes of censored points.
    pub treatment: Treatment,
    /// Least variance of the noise, as a share of the variance of all readings.
    pub least_noise: f64,
    /// Searches for lengths, variation and noise, while there are few points; two at least, of which one begins
    /// with noise.
    pub starts: usize,
    /// Up to so many points.
    pub few: usize,
    /// Most evaluations of the likelihood in one search.
    pub evaluations: usize,
    /// Most points that lengths, variation and noise are learned from.
    pub most: usize,
    /// Most points that it predicts from. More of them would take gigabytes.
    pub points: usize,
}

/// What becomes of censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Their bounds are taken for costs.
    Ignore,
    /// They are left out, unless there is nothing else.
    Drop,
    /// Their likelihood is that of being above the bound.
    Likelihood,
}

impl Default for GaussianSettings {
    fn default() -> Self {
        Self {
            treatment: Treatment::Likelihood,
            least_noise: 1e-6,
            starts: 3,
            few: 100,
            evaluations: 60,
            most: 1000,
            points: 3000,
        }
    }
}

impl Surrogate for GaussianSettings {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        Ok(Box::new(GaussianTrainer::new(self.clone(), rng.bits()).fit(data)?))
    }
}
