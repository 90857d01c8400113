//! Surrogates: models that predict the cost of a configuration from trials, including stopped ones.
//!
//! A [`Surrogate`] holds the settings and a [`Predictor`] is the fitted model, so an untrained model cannot
//! make predictions. Costs are converted to the model's [`Scale`]. A censored cost stays a [`Reading`], and
//! each surrogate documents how it treats censored readings.
//!
//! | module | how it learns |
//! |---|---|
//! | [`forest`] | trees grown on bootstrap samples; censored costs are imputed round by round |
//! | [`neural`] | networks trained by gradient descent; censored costs enter through their likelihood |
//! | [`gaussian`] | a Gaussian process fitted by maximum a posteriori; censored costs become Gaussian sites |

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
mod setting;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
mod training;

pub use held_out::held_out;
pub use interrupt::Interrupt;
pub use layout::{Column, InstanceTable, configuration_columns};
pub use reading::Reading;
pub use scale::Scale;
pub use setting::OutOfRange;
pub use training::{Point, TrainingSet};

use math::Rng;

/// A predicted cost, on the model's scale.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Prediction {
    /// The expected value.
    pub mean: f64,
    /// The uncertainty of the expected value. The noise of single trials is not included, except in
    /// [`Predictor::predict_total`].
    pub variance: f64,
}

impl Prediction {
    /// Returns the standard deviation.
    pub fn deviation(self) -> f64 {
        self.variance.max(0.0).sqrt()
    }
}

/// Rows of equal width in one slice, as [`Space::encode_many`](space::Space::encode_many) writes them.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    rows: &'a [f64],
    width: usize,
}

impl<'a> Points<'a> {
    /// Splits the slice into rows of `width` columns.
    ///
    /// # Panics
    /// If the last row is incomplete or `width` is 0.
    pub fn new(rows: &'a [f64], width: usize) -> Self {
        assert!(
            width > 0 && rows.len().is_multiple_of(width),
            "rows must be complete and have at least one column"
        );
        Self { rows, width }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Iterates over the rows.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, f64> {
        self.rows.chunks_exact(self.width)
    }
}

/// The reason why a model could not be fitted.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum FitError {
    /// A setting of the surrogate is out of range.
    #[error(transparent)]
    Setting(#[from] OutOfRange),
    /// The training set has no points.
    #[error("there is no reading to learn from yet; hint: propose without a model until a trial has ended")]
    Empty,
    /// The covariance matrix cannot be factored, however large the noise.
    #[error("the covariance matrix of the points cannot be factored, however large the noise")]
    Singular,
    /// Another thread raised the [`Interrupt`].
    #[error("the fit was interrupted")]
    Interrupted,
}

/// Settings for a model that can be trained.
pub trait Surrogate: Send + Sync {
    /// Fits a model to a training set. A slow fit should call [`TrainingSet::check_interrupt`] regularly.
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError>;
}

/// A trained model.
pub trait Predictor: Send + Sync {
    /// Predicts the cost of configurations on single instances. Each row has all columns of the training set.
    ///
    /// # Panics
    /// If the width differs from that of the training set, or `out` has a different length than `points`.
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]);

    /// Predicts the distribution of a single trial's cost: like [`predict`](Self::predict), but the variance
    /// includes the noise of single trials.
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]);

    /// Predicts the cost of configurations over all instances of the training set. Each row has the
    /// configuration's columns only.
    ///
    /// # Panics
    /// If the rows do not have the configuration columns of the training set, or `out` has a different length
    /// than `configurations`.
    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]);

    /// Predicts only the means of [`predict_marginal`](Self::predict_marginal), which is faster for some
    /// models.
    ///
    /// # Panics
    /// As [`predict_marginal`](Self::predict_marginal).
    fn expect_marginal(&self, configurations: Points<'_>, out: &mut [f64]) {
        let mut found = vec![Prediction::default(); out.len()];
        self.predict_marginal(configurations, &mut found);
        out.iter_mut().zip(found).for_each(|(out, found)| *out = found.mean);
    }

    /// Predicts the cost of configurations over all instances, together with its gradient with respect to the
    /// numeric columns. Returns `None` if the model is not differentiable.
    ///
    /// # Panics
    /// If the rows do not have the configuration columns of the training set.
    fn predict_with_gradient(&self, _configurations: Points<'_>) -> Option<Vec<(Prediction, Gradient)>> {
        None
    }
}

/// The gradient of a prediction with respect to the columns of a configuration; 0 in categorical columns.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Gradient {
    /// Partial derivatives of the mean.
    pub mean: Vec<f64>,
    /// Partial derivatives of the variance.
    pub variance: Vec<f64>,
}

impl Gradient {
    /// Returns a gradient of zeros.
    pub fn zeros(columns: usize) -> Self {
        Self { mean: vec![0.0; columns], variance: vec![0.0; columns] }
    }
}
