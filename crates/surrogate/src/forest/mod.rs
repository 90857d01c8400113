//! A random forest that learns from stopped trials.
//!
//! ```text
//! start:  grow B trees on their exact points
//! repeat: (μ_j, σ_j²) = the forest's prediction for each censored point j
//!         s_jk = k/(N_j + 1) quantile of N(μ_j, σ_j²) above b_j,   k = 1..N_j
//!         s_jk -= max(0, mean of s_j - log10 κ_max)
//!         grow the trees on exact values and slots
//! until:  the slots change by less than 1 % of the spread of y, or 10 rounds have passed
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | B | [`ForestSettings::trees`] |
//! | b_j | the bound of a censored point |
//! | N_j | number of times that all trees together have drawn the point: its slots |
//! | s_jk | the value imputed in slot k; low values go to trees with low indices |
//! | κ_max | the cutoff |
//!
//! Low values go to the same trees for all points. So within one tree, all censored points get low values
//! together or high values together. The bootstrap sample is drawn once and kept through all rounds.
//! Censoring acts on single trials, so imputation uses the total variance, between trees and within leaves.
//! Predictions for acquisition functions include only the uncertainty about the function itself: the variance
//! between trees.
//!
//! Each tree averages over instances before trees are combined: g(θ) is log10 of the mean, over instances, of
//! the leaves' means of 10^y. Costs are averaged rather than their logarithms, because races compare
//! arithmetic means. [`Marginal::Geometric`] averages the logarithms instead.
//!
//! F. Hutter, H. Hoos, K. Leyton-Brown, Bayesian Optimization With Censored Response Data, 2011.
//!
//! | file | subject |
//! |---|---|
//! | `coded` | training rows as small integers |
//! | `bootstrap` | the points that each tree has drawn |
//! | `packed` | the values of a node's points as integers |
//! | `split`, `subtree` | the best split of a node on one column; small nodes |
//! | `grow`, `tree` | growing a tree; walking down a tree |
//! | `impute` | slots of censored points |
//! | `trainer` | rounds of imputation, and the state kept between the fits of a campaign |
//! | `fitted`, `marginal` | predictions; predictions over all instances |
//! | `regions` | leaves as boxes, for integrals over the space |

mod bootstrap;
mod coded;
mod fitted;
mod grow;
mod impute;
mod marginal;
mod packed;
mod regions;
mod split;
mod subtree;
#[cfg(test)]
mod tests;
mod trainer;
mod tree;

pub use fitted::Forest;
pub use regions::{Region, Side};
pub use trainer::{Effort, ForestTrainer};

use math::Rng;

use super::{FitError, OutOfRange, Predictor, Surrogate, TrainingSet};

/// Settings for a forest.
#[derive(Clone, PartialEq, Debug)]
pub struct ForestSettings {
    /// Number of trees.
    pub trees: usize,
    /// Share of the columns tried at each split.
    pub features: f64,
    /// Minimum number of points in a leaf, counting each point as often as the tree has drawn it.
    pub min_leaf: u32,
    /// Treatment of censored points.
    pub treatment: Treatment,
    /// The variance used to impute censored points.
    pub filling: Filling,
    /// Minimum standard deviation for imputation, as a share of the spread of all readings.
    pub floor: f64,
    /// Maximum number of imputation rounds.
    pub rounds: usize,
    /// Change of the slots below which the rounds stop, as a share of the spread of all readings.
    pub tolerance: f64,
    /// The mean used to average costs over instances.
    pub marginal: Marginal,
    /// The value that a leaf predicts.
    pub leaves: Leaves,
    /// Number of threads that grow trees; the forest does not depend on it.
    pub threads: usize,
}

/// Treatment of censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Bounds are used as if they were costs.
    Ignore,
    /// Censored points are left out. A tree that has drawn no exact point uses bounds as costs.
    Drop,
    /// All slots get the mean of the prediction above the bound (Schmee and Hahn).
    Mean,
    /// Slots get quantiles of the prediction above the bound.
    Sample,
}

/// The variance used to impute censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filling {
    /// The variance between trees and within leaves.
    Total,
    /// The variance between trees.
    BetweenTrees,
}

/// The mean used to average costs over instances when the model learns logarithms of costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marginal {
    /// The mean of the costs.
    Arithmetic,
    /// The mean of the costs' logarithms.
    Geometric,
}

/// The value that a leaf predicts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaves {
    /// The mean of its points.
    Mean,
    /// For points that are 0 or 1: (s + 1) / (n + 2) if s of n points are 1. The value is never exactly 0 or
    /// 1.
    Share,
}

impl Default for ForestSettings {
    fn default() -> Self {
        Self {
            trees: 10,
            features: 5.0 / 6.0,
            min_leaf: 3,
            treatment: Treatment::Sample,
            filling: Filling::Total,
            floor: 0.1,
            rounds: 10,
            tolerance: 0.01,
            marginal: Marginal::Arithmetic,
            leaves: Leaves::Mean,
            threads: 1,
        }
    }
}

impl ForestSettings {
    /// Returns the settings used in the paper: the same variance for imputation and for acquisition, and
    /// logarithms averaged over instances.
    pub fn paper() -> Self {
        Self { filling: Filling::BetweenTrees, marginal: Marginal::Geometric, ..Self::default() }
    }

    /// Returns settings for learning success from points that are 0 or 1 (see `engine::learning::outcomes`).
    /// The predicted mean is the probability of success.
    pub fn of_success() -> Self {
        Self { leaves: Leaves::Share, ..Self::default() }
    }

    /// Checks that every setting is in its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::if_zero("trees", self.trees)?;
        OutOfRange::unless(|x| x > 0.0 && x <= 1.0, "features", self.features, "above 0 and at most 1")?;
        OutOfRange::if_zero("min_leaf", self.min_leaf as usize)?;
        let shares = [("floor", self.floor), ("tolerance", self.tolerance)];
        shares.into_iter().try_for_each(|(name, value)| {
            OutOfRange::unless(|x| x >= 0.0 && x.is_finite(), name, value, "finite and not negative")
        })?;
        OutOfRange::if_zero("rounds", self.rounds)
    }
}

impl Surrogate for ForestSettings {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        self.check()?;
        let (forest, _) = ForestTrainer::new(self.clone(), rng.bits()).fit(data)?;
        Ok(Box::new(forest))
    }
}
