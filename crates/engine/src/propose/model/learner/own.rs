//! A learner that uses a custom surrogate, supplied by the user of this crate.
//!
//! The surrogate is fitted after the same numbers of trials as the other learners, each time from scratch. If
//! a fit fails, proposals are random until the next fit. The surrogate also learns the constrained outputs,
//! unless [another learner](super::ModelSettings::constraints) is set for them. A forest learns which trials
//! fail.
//!
//! A surrogate does not report how one more reading would change its predictions, and a new fit for each
//! proposal would take too long. Pending configurations, which have no trial in the training set, are
//! therefore handled by a rule that suits any model: means stay the same, and variances shrink to zero near
//! these configurations.
//!
//! ```text
//! σ'²(θ) = σ²(θ) (1 - exp(-d² / (r² n)))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | σ² | the variance over all instances |
//! | d | the distance to the nearest pending configuration: d² is a sum over all columns, to which numbers contribute their squared difference, and different names or a parameter that is active in only one of the two configurations contribute 1 |
//! | n | number of columns |
//! | r | length scale along each column |

use std::fmt;
use std::sync::Arc;

use math::Rng;
use space::INACTIVE;
use surrogate::{Column, Gradient, Points, Prediction, Predictor, Surrogate, TrainingSet};

use super::super::learned::{Learned, Trainer};
use super::super::{ModelSettings, Task};
use super::{Kind, Learner};

/// The length scale r, chosen in experiments with six workers. The experiments compared this rule with one
/// that only excludes the pending configurations. With this rule, a surrogate that takes the mean of nearby
/// points found clearly better configurations on three functions. So did a Gaussian process on the only
/// function on which it was tried. A forest, whose predictions are equal for neighbours, was neither better
/// nor worse. Length scales two and four times as large were worse or no better.
const LENGTH_SCALE: f64 = 0.03;

/// A surrogate supplied by the user, with a name for its proposals. Clones share the surrogate. Two values
/// are equal only if one is a clone of the other.
#[derive(Clone)]
pub struct OwnSurrogate {
    name: &'static str,
    surrogate: Arc<dyn Surrogate>,
}

impl OwnSurrogate {
    /// Wraps a surrogate and gives it this name.
    pub fn new(name: &'static str, surrogate: impl Surrogate + 'static) -> Self {
        Self { name, surrogate: Arc::new(surrogate) }
    }

    /// Returns the surrogate's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Debug for OwnSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnSurrogate").field(&self.name).finish()
    }
}

impl PartialEq for OwnSurrogate {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.surrogate, &other.surrogate)
    }
}

pub(super) struct OwnLearner;

impl Kind for OwnLearner {
    fn trainer(&self, task: &Task, seed: u64, trials: usize) -> Box<dyn Trainer> {
        match &task.settings.own {
            Some(own) => Box::new(OwnTrainer { own: own.clone(), seed }),
            // Settings without a surrogate do not pass their check.
            None => Learner::Forest.trainer(task, seed, trials),
        }
    }

    fn origin(&self, settings: &ModelSettings) -> Option<&'static str> {
        settings.own.as_ref().map(OwnSurrogate::name)
    }
}

/// A trainer that fits the surrogate. Its random numbers depend on the size of the training set, not on
/// earlier fits.
#[derive(Clone)]
pub(super) struct OwnTrainer {
    pub(super) own: OwnSurrogate,
    pub(super) seed: u64,
}

impl Trainer for OwnTrainer {
    fn fit(&mut self, data: &TrainingSet<'_>) -> Option<Box<dyn Learned>> {
        if data.is_empty() {
            return None;
        }
        let mut rng = Rng::new(self.seed, "own", data.len() as u64);
        let fitted = self.own.surrogate.fit(data, &mut rng).ok()?;
        let columns = &data.columns()[..data.configuration_width()];
        Some(Box::new(Own { fitted: fitted.into(), columns: columns.into(), pending: Vec::new() }))
    }

    fn copy(&self) -> Box<dyn Trainer> {
        Box::new(self.clone())
    }
}

/// The fitted surrogate, with pending configurations.
#[derive(Clone)]
struct Own {
    fitted: Arc<dyn Predictor>,
    /// The columns of configurations.
    columns: Arc<[Column]>,
    /// The rows of the pending configurations.
    pending: Vec<f64>,
}

impl Learned for Own {
    fn believing(&self, configurations: Points<'_>) -> Box<dyn Learned> {
        let mut believing = self.clone();
        configurations.iter().for_each(|row| believing.pending.extend_from_slice(row));
        Box::new(believing)
    }

    fn predictor(&self) -> &dyn Predictor {
        self
    }
}

impl Own {
    /// Returns the nearest pending configuration and the share of the variance that remains; `None` if no
    /// configuration is pending.
    fn remaining_variance(&self, row: &[f64]) -> Option<(&[f64], f64)> {
        let square = |other: &[f64]| {
            let both = row.iter().zip(other).zip(&*self.columns);
            both.map(|((&here, &there), column)| match column {
                Column::Number if here != INACTIVE && there != INACTIVE => (here - there) * (here - there),
                _ => f64::from(u8::from(here != there)),
            })
            .sum::<f64>()
        };
        let all = self.pending.chunks_exact(self.columns.len()).map(|other| (square(other), other));
        let (square, nearest) = all.min_by(|one, other| one.0.total_cmp(&other.0))?;
        Some((nearest, -libm::expm1(-square / self.squared_scale())))
    }

    /// Returns r² n.
    fn squared_scale(&self) -> f64 {
        LENGTH_SCALE * LENGTH_SCALE * self.columns.len() as f64
    }
}

/// Pending configurations affect only marginal predictions, which are used to judge configurations.
impl Predictor for Own {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.fitted.predict(points, out);
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.fitted.predict_total(points, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        self.fitted.predict_marginal(configurations, out);
        for (row, out) in configurations.iter().zip(out) {
            if let Some((_, share)) = self.remaining_variance(row) {
                out.variance *= share;
            }
        }
    }

    fn expect_marginal(&self, configurations: Points<'_>, out: &mut [f64]) {
        self.fitted.expect_marginal(configurations, out);
    }

    fn predict_with_gradient(&self, configurations: Points<'_>) -> Option<Vec<(Prediction, Gradient)>> {
        let mut found = self.fitted.predict_with_gradient(configurations)?;
        for (row, (cost, gradient)) in configurations.iter().zip(&mut found) {
            let Some((nearest, share)) = self.remaining_variance(row) else { continue };
            for (at, derivative) in gradient.variance.iter_mut().enumerate() {
                let (here, there) = (row[at], nearest[at]);
                let moves = self.columns[at] == Column::Number && here != INACTIVE && there != INACTIVE;
                let of_share = 2.0 * (here - there) / self.squared_scale() * (1.0 - share);
                *derivative = *derivative * share + if moves { cost.variance * of_share } else { 0.0 };
            }
            cost.variance *= share;
        }
        Some(found)
    }
}
