//! Surrogates: what a configuration would cost, learned from trials, the stopped ones included.
//!
//! A [`Surrogate`] holds settings, a [`Predictor`] is fitted, so that a model which was never trained
//! cannot be asked. Costs enter on the model's [`Scale`]; what is censored stays a
//! [`Reading`] and each surrogate says how it treats it.
//!
//! | chapter | learns by |
//! |---|---|
//! | [`forest`] | trees grown on bootstrap samples, censored costs filled in round by round |
//! | [`neural`] | networks trained by gradient descent, censored costs by their likelihood |
//! | [`gaussian`] | a Gaussian process of largest likelihood, censored costs by Gaussian sites |

mod arithmetic;
mod dispatch;
pub mod forest;
pub mod gaussian;
mod held_out;
mod interrupt;
mod lanes;
mod layout;
pub mod neural;
mod reading;
mod scale;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
mod training;

pub use held_out::held_out;
pub use interrupt::Interrupt;
pub use layout::{Column, InstanceTable, configuration_columns};
pub use reading::Reading;
pub use scale::Scale;
pub use training::{Point, TrainingSet};

use math::Rng;

/// What a predictor expects, on the model's scale.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Prediction {
    /// The expected value.
    pub mean: f64,
    /// The uncertainty of that expectation, not the noise of single trials.
    pub variance: f64,
}

impl Prediction {
    /// The square root of the variance.
    pub fn deviation(self) -> f64 {
        self.variance.max(0.0).sqrt()
    }
}

/// Rows of one width, one after the other, as [`Space::encode_many`](space::Space::encode_many) writes them.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    rows: &'a [f64],
    width: usize,
}

impl<'a> Points<'a> {
    /// Rows of so many columns.
    ///
    /// # Panics
    /// If the last row is not whole, or rows have no columns.
    pub fn new(rows: &'a [f64], width: usize) -> Self {
        assert!(width > 0 && rows.len().is_multiple_of(width), "whole rows of at least one column");
        Self { rows, width }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Columns of each.
    pub fn width(&self) -> usize {
        self.width
    }

    /// One after the other.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, f64> {
        self.rows.chunks_exact(self.width)
    }
}

/// Why nothing could be learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FitError {
    /// There is no point at all.
    #[error("there is no reading to learn from yet; hint: propose without a model until a trial has ended")]
    Empty,
    /// The covariances of the points cannot be factored, whatever the noise.
    #[error("the covariances of the points cannot be factored, however large the noise")]
    Singular,
    /// The fit is no longer wanted.
    #[error("the fit was interrupted")]
    Interrupted,
}

/// Settings of a model that can be trained.
pub trait Surrogate: Send + Sync {
    /// Learns from the readings of a training set. One that takes long asks the set now and then whether it is
    /// [still wanted](TrainingSet::wanted).
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError>;
}

/// A trained model.
pub trait Predictor: Send + Sync {
    /// The cost of configurations on single instances: rows of all columns of the training set.
    ///
    /// # Panics
    /// If the width is not that of the training set, or `out` has another length.
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]);

    /// The same, with the noise of single trials in the variance: what a trial would show.
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]);

    /// The cost of configurations over all instances of the training set: rows of the configuration's
    /// columns alone.
    ///
    /// # Panics
    /// If the width is not that of the configurations, or `out` has another length.
    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]);

    /// The means of [`predict_marginal`](Self::predict_marginal), which some models can tell sooner.
    ///
    /// # Panics
    /// As it does.
    fn expect_marginal(&self, configurations: Points<'_>, out: &mut [f64]) {
        let mut found = vec![Prediction::default(); out.len()];
        self.predict_marginal(configurations, &mut found);
        out.iter_mut().zip(found).for_each(|(out, found)| *out = found.mean);
    }

    /// The cost of configurations over all instances, and how it changes with the columns of numbers; `None`
    /// where the model has no slopes.
    ///
    /// # Panics
    /// If the width is not that of the configurations.
    fn predict_with_slopes(&self, _configurations: Points<'_>) -> Option<Vec<(Prediction, Slopes)>> {
        None
    }
}

/// How a prediction changes with each column of a configuration; 0 in columns of names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Slopes {
    /// The mean.
    pub mean: Vec<f64>,
    /// The variance.
    pub variance: Vec<f64>,
}

impl Slopes {
    /// So many zeros.
    pub fn none(columns: usize) -> Self {
        Self { mean: vec![0.0; columns], variance: vec![0.0; columns] }
    }
}
