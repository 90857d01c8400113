//! Predictions, and adding single readings.
//!
//! ```text
//! μ(x) = m + Σ_i α_i k(x, x_i),   σ²(x) = k(x, x) - |L⁻¹ k(x)|²          K + V = L Lᵀ
//! ```
//!
//! For predictions over all instances see `marginal`.

use super::coordinates::{Coordinates, Table};
use super::likelihood::Hyperparameters;
use super::marginal::{Buffers, Instances};
use super::readings::{Readings, Standard};
use super::sites::{Cavity, Posterior, Site};
use crate::Reading;
use crate::{Gradient, Points, Prediction, Predictor, Scale, TrainingSet};
use linalg::Factor;

/// Number of points predicted together.
const BLOCK: usize = 128;
/// Maximum number of instances on which [`Gaussian::believing`] adds a reading.
const MAX_BELIEVED: usize = 10;

/// A trained Gaussian process.
#[derive(Clone, Debug)]
pub struct Gaussian {
    pub(super) coordinates: Coordinates,
    pub(super) hyperparameters: Hyperparameters,
    pub(super) standard: Standard,
    pub(super) scale: Scale,
    /// The mean, m.
    pub(super) mean: f64,
    pub(super) table: Table,
    pub(super) sites: Vec<Site>,
    pub(super) factor: Factor,
    pub(super) alpha: Vec<f64>,
    /// Index of the point for each reading in the training set; `None` for bounds and for readings left out.
    pub(super) exact_places: Vec<Option<usize>>,
    pub(super) instances: Instances,
    /// Number of configuration columns.
    configuration_width: usize,
    log_evidence: f64,
}

impl Gaussian {
    pub(super) fn new(
        data: &TrainingSet<'_>,
        coordinates: Coordinates,
        readings: Readings,
        hyperparameters: Hyperparameters,
        posterior: Posterior,
    ) -> Self {
        let Readings { standard, table, exact_places, .. } = readings;
        let configuration_width = data.configuration_width();
        let instances = Instances::of(data, &coordinates, &table, &hyperparameters);
        let Posterior { sites, factor, mean, alpha, log_evidence, .. } = posterior;
        let scale = data.scale();
        Self {
            coordinates,
            hyperparameters,
            standard,
            scale,
            mean,
            table,
            sites,
            factor,
            alpha,
            exact_places,
            instances,
            configuration_width,
            log_evidence,
        }
    }

    /// Returns the noise variance of single trials.
    pub fn noise(&self) -> f64 {
        self.hyperparameters.noise * self.standard.spread * self.standard.spread
    }

    /// Returns the log evidence of the training set: log densities of exact readings and log probabilities of
    /// bounds.
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// Adds one reading; `row` has all columns. The hyperparameters and the sites of other stopped trials do
    /// not change.
    ///
    /// # Panics
    /// If the row does not have the columns of the training set.
    pub fn learn(&mut self, row: &[f64], reading: Reading) {
        assert_eq!(
            row.len(),
            self.coordinates.columns(),
            "the row must have all columns of the training set"
        );
        let point = self.point(0, row);
        let site = match self.standard.standardised(reading) {
            Reading::Exact(target) => Site { target, variance: self.hyperparameters.noise },
            Reading::AtLeast(bound) => {
                let Prediction { mean, variance } = self.predict_standardised(&point);
                Cavity { mean, variance: variance.max(1e-12) }.site(bound, self.hyperparameters.noise).0
            }
        };
        if self.add(&point, site) {
            self.alpha = self.sites.iter().map(|site| site.target - self.mean).collect();
            self.factor.solve(&mut self.alpha);
        }
    }

    /// Returns a clone that assumes that these configurations cost what the model expects. The predicted
    /// means of these configurations stay the same but become more certain.
    ///
    /// # Panics
    /// If the rows do not have the configuration columns of the training set.
    #[must_use]
    pub fn believing(&self, configurations: Points<'_>) -> Self {
        assert_eq!(
            configurations.width(),
            self.configuration_width,
            "the rows must have the configuration columns"
        );
        let mut believing = self.clone();
        let step = self.instances.coordinates.len().div_ceil(MAX_BELIEVED);
        for row in configurations.iter() {
            let own = self.point(0, row);
            for instance in self.instances.coordinates.iter().step_by(step) {
                let point = [own.as_slice(), instance].concat();
                let expected = believing.predict_standardised(&point).mean;
                if believing.add(&point, Site { target: expected, variance: self.hyperparameters.noise }) {
                    // A reading equal to the expected value does not change any expected value.
                    believing.alpha.push(0.0);
                }
            }
        }
        believing
    }

    /// Adds a site and returns `true`. If the site would be lost to rounding, returns `false` and changes
    /// nothing.
    fn add(&mut self, point: &[f64], site: Site) -> bool {
        let mut row = vec![0.0; self.table.len() + 1];
        let own = self.table.len();
        self.hyperparameters.covariances(&self.table, point, &mut row[..own]);
        row[own] = self.hyperparameters.variance() + site.variance;
        let added = self.factor.extend(&row);
        if added {
            self.table.push(point);
            self.instances.find(&self.table);
            self.sites.push(site);
        }
        added
    }

    /// Returns the coordinates of a row that begins at column `first`.
    pub(super) fn point(&self, first: usize, row: &[f64]) -> Vec<f64> {
        let mut point = Vec::with_capacity(self.coordinates.all().len());
        self.coordinates.of_row(first, row, &mut point);
        point
    }

    /// Returns the standardised prediction at one point.
    fn predict_standardised(&self, point: &[f64]) -> Prediction {
        let mut covariances = vec![0.0; self.table.len()];
        self.hyperparameters.covariances(&self.table, point, &mut covariances);
        let mean = self.expectation(&covariances);
        self.factor.solve_lower(&mut covariances);
        Prediction { mean, variance: self.hyperparameters.variance() - square_sum(&covariances) }
    }

    /// Returns m + Σ α k.
    pub(super) fn expectation(&self, covariances: &[f64]) -> f64 {
        self.mean + covariances.iter().zip(&self.alpha).map(|(k, alpha)| k * alpha).sum::<f64>()
    }

    /// Converts a standardised prediction to the scale of the readings.
    pub(super) fn restored(&self, mean: f64, variance: f64) -> Prediction {
        let Standard { center, spread } = self.standard;
        Prediction { mean: center + spread * mean, variance: spread * spread * variance.max(0.0) }
    }

    /// Returns the unit of standardised readings.
    pub(super) fn spread(&self) -> f64 {
        self.standard.spread
    }

    /// Predicts points block by block. `covariances` writes the covariances of the point with the given index
    /// and returns its mean and prior variance.
    fn predict_blocks(
        &self,
        count: usize,
        out: &mut [Prediction],
        mut covariances: impl FnMut(usize, &mut [f64]) -> (f64, f64),
    ) {
        assert_eq!(out.len(), count, "`out` must have one entry per point");
        let n = self.table.len();
        let mut block = vec![0.0; n * BLOCK.min(count)];
        let mut known = Vec::with_capacity(BLOCK);
        for first in (0..count).step_by(BLOCK) {
            let size = BLOCK.min(count - first);
            known.clear();
            for (at, column) in block.chunks_exact_mut(n).take(size).enumerate() {
                known.push(covariances(first + at, column));
            }
            self.factor.solve_lower(&mut block[..n * size]);
            for ((out, column), (mean, prior)) in
                out[first..].iter_mut().zip(block.chunks_exact(n)).zip(&known)
            {
                *out = self.restored(*mean, prior - square_sum(column));
            }
        }
    }
}

pub(super) fn square_sum(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}

impl Predictor for Gaussian {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        assert_eq!(
            points.width(),
            self.coordinates.columns(),
            "the rows must have all columns of the training set"
        );
        let mut rows = points.iter();
        self.predict_blocks(points.len(), out, |_, column| {
            let point = self.point(0, rows.next().unwrap_or_default());
            self.hyperparameters.covariances(&self.table, &point, column);
            (self.expectation(column), self.hyperparameters.variance())
        });
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict(points, out);
        out.iter_mut().for_each(|prediction| prediction.variance += self.noise());
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        assert_eq!(
            configurations.width(),
            self.configuration_width,
            "the rows must have the configuration columns"
        );
        let mut rows = configurations.iter();
        let mut buffers = Buffers::default();
        self.predict_blocks(configurations.len(), out, |_, column| {
            let own = self.point(0, rows.next().unwrap_or_default());
            self.marginal(&own, &mut buffers, column, None)
        });
    }

    fn expect_marginal(&self, configurations: Points<'_>, out: &mut [f64]) {
        assert_eq!(
            configurations.width(),
            self.configuration_width,
            "the rows must have the configuration columns"
        );
        assert_eq!(out.len(), configurations.len(), "`out` must have one entry per configuration");
        let mut buffers = Buffers::default();
        let mut column = vec![0.0; self.table.len()];
        for (out, row) in out.iter_mut().zip(configurations.iter()) {
            let (mean, _) = self.marginal(&self.point(0, row), &mut buffers, &mut column, None);
            *out = self.restored(mean, 0.0).mean;
        }
    }

    fn predict_with_gradient(&self, configurations: Points<'_>) -> Option<Vec<(Prediction, Gradient)>> {
        assert_eq!(
            configurations.width(),
            self.configuration_width,
            "the rows must have the configuration columns"
        );
        Some(self.predict_marginal_with_gradient(configurations))
    }
}
