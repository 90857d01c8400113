//! A random forest that learns from stopped trials.
//!
//! ```text
//! start:  grow B trees on their exact points
//! repeat: (μ_j, σ_j²) = prediction of the forest for each censored point j
//!         s_jk = k/(N_j + 1) quantile of N(μ_j, σ_j²) above b_j,   k = 1..N_j
//!         s_jk -= max(0, mean of s_j - log10 κ_max)
//!         grow the trees on exact values and slots
//! until:  the slots move by less than 1 % of the spread of y, or 10 rounds are over
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | B | [`ForestSettings::trees`] |
//! | b_j | the bound of a censored point |
//! | N_j | how often the trees have drawn it, all together: its slots |
//! | s_jk | what is filled into slot k; trees of low number get low ones, so that luck is joint |
//! | κ_max | the cutoff |
//!
//! The bootstrap is drawn once and kept through all rounds. Censoring acts on single trials, so filling
//! in uses the total variance, between trees and within leaves; the prediction for acquisitions is the
//! uncertainty of the function alone, the variance between trees.
//!
//! Over instances, inside each tree: g(θ) = log10 of the mean over instances of the leaves' means of
//! 10^y, since races compare arithmetic means; [`Marginal::Geometric`] averages the logarithms instead.
//!
//! F. Hutter, H. Hoos, K. Leyton-Brown, Bayesian Optimization With Censored Response Data, 2011.
//!
//! | file | subject |
//! |---|---|
//! | `coded` | training rows as small whole numbers |
//! | `bootstrap` | which points each tree has drawn |
//! | `packed` | the values of a node's points as whole numbers |
//! | `split`, `subtree` | the best split of a node by one column; small nodes |
//! | `grow`, `tree` | growing a tree; walking it |
//! | `impute` | slots of censored points |
//! | `trainer` | rounds, and what stays between the fits of a campaign |
//! | `fitted`, `marginal` | predictions; those over all instances |

mod bootstrap;
mod coded;
mod fitted;
mod grow;
mod impute;
mod marginal;
mod packed;
mod split;
mod subtree;
#[cfg(test)]
mod tests;
mod trainer;
mod tree;

pub use fitted::Forest;
pub use trainer::{Effort, ForestTrainer};

use math::Rng;

use super::{FitError, Predictor, Surrogate, TrainingSet};

/// How a forest is grown.
#[derive(Clone, PartialEq, Debug)]
pub struct ForestSettings {
    /// How many trees.
    pub trees: usize,
    /// Share of the columns tried at each split.
    pub features: f64,
    /// Fewest points of a leaf, counted by how often the tree has drawn them.
    pub min_leaf: u32,
    /// What becomes of censored points.
    pub treatment: Treatment,
    /// Which variance censored points are filled in with.
    pub filling: Filling,
    /// Least deviation to fill in with, as a share of the spread of all readings.
    pub floor: f64,
    /// Most rounds of filling in.
    pub rounds: usize,
    /// Rounds end when slots move by less than this share of the spread of all readings.
    pub tolerance: f64,
    /// How costs are averaged over instances.
    pub marginal: Marginal,
    /// What a leaf says.
    pub leaves: Leaves,
    /// Threads to grow trees on; the forest does not depend on it.
    pub threads: usize,
}

/// What becomes of censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Their bounds are taken for costs.
    Ignore,
    /// They are left out; a tree that has drawn no other takes their bounds for costs.
    Drop,
    /// All slots get the mean of the prediction above the bound (Schmee and Hahn).
    Mean,
    /// Slots get quantiles of the prediction above the bound.
    Sample,
}

/// Which variance censored points are filled in with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filling {
    /// Between trees and within leaves.
    Total,
    /// Between trees.
    BetweenTrees,
}

/// How costs are averaged over instances, where they are modelled by their logarithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marginal {
    /// The mean of the costs.
    Arithmetic,
    /// The mean of their logarithms.
    Geometric,
}

/// What a leaf says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaves {
    /// The mean of its points.
    Mean,
    /// Of points that are 0 or 1: (s + 1) / (n + 2) for s ones among n, never quite 0 or 1.
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
    /// As in the paper: one variance for both uses, logarithms averaged over instances.
    pub fn paper() -> Self {
        Self { filling: Filling::BetweenTrees, marginal: Marginal::Geometric, ..Self::default() }
    }

    /// For learning what succeeds from points that are 0 or 1, see `engine::learning::outcomes`: the mean
    /// of its predictions is the probability of success.
    pub fn of_success() -> Self {
        Self { leaves: Leaves::Share, ..Self::default() }
    }
}

impl Surrogate for ForestSettings {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        let (forest, _) = ForestTrainer::new(self.clone(), rng.bits()).fit(data)?;
        Ok(Box::new(forest))
    }
}
