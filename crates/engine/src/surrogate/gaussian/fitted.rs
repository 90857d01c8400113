//! Predictions, and one more reading.
//!
//! ```text
//! μ(x) = m + Σ_i α_i k(x, x_i),   σ²(x) = k(x, x) - |L⁻¹ k(x)|²          K + V = L Lᵀ
//! over instances π:   μ = log10 mean_π 10^μ_π,   σ² = Σ_ππ' p_π p_π' cov_ππ',   p_π ∝ 10^μ_π
//! ```
//!
//! The second line is exact to first order; where costs are not modelled by their logarithm p is equal for
//! all and it is exact.

use super::coordinates::{Coordinates, Table};
use super::kernel::Kernel;
use super::readings::{Readings, Standard};
use super::sites::{Cavity, Posterior, Site};
use crate::reading::Reading;
use crate::surrogate::{Points, Prediction, Predictor, Scale, Slopes, TrainingSet};
use linalg::Factor;

/// Points predicted together.
const BLOCK: usize = 128;
/// Most instances on which a configuration without a reading is believed.
const MOST_BELIEVED: usize = 10;

/// A trained Gaussian process.
#[derive(Clone, Debug)]
pub struct Gaussian {
    pub(super) coordinates: Coordinates,
    pub(super) kernel: Kernel,
    standard: Standard,
    scale: Scale,
    /// σ².
    noise: f64,
    /// m.
    pub(super) mean: f64,
    pub(super) table: Table,
    pub(super) sites: Vec<Site>,
    pub(super) factor: Factor,
    pub(super) alpha: Vec<f64>,
    /// The point of each reading that it was fitted to; `None` of bounds.
    pub(super) exact_places: Vec<Option<usize>>,
    /// The coordinates of all instances.
    pub(super) instances: Vec<Vec<f64>>,
    /// Prior covariances of f between instances, for one configuration, row after row.
    between: Vec<f64>,
    /// How many columns belong to configurations.
    configuration_width: usize,
    log_evidence: f64,
}

impl Gaussian {
    pub(super) fn new(
        data: &TrainingSet<'_>,
        coordinates: Coordinates,
        readings: Readings,
        kernel: Kernel,
        noise: f64,
        posterior: Posterior,
    ) -> Self {
        let Readings { standard, table, exact_places, .. } = readings;
        let configuration_width = data.configuration_width();
        let instances: Vec<Vec<f64>> = (0..data.instances().count())
            .map(|instance| {
                let mut own = Vec::new();
                coordinates.of_row(configuration_width, data.instances().row(instance), &mut own);
                own
            })
            .collect();
        let first = coordinates.width_of(configuration_width);
        let pairs = instances.iter().flat_map(|one| instances.iter().map(move |other| (one, other)));
        let between = pairs.map(|(one, other)| kernel.covariance(kernel.square(first, one, other))).collect();
        let Posterior { sites, factor, mean, alpha, log_evidence, .. } = posterior;
        let scale = data.scale();
        Self {
            coordinates,
            kernel,
            standard,
            scale,
            noise,
            mean,
            table,
            sites,
            factor,
            alpha,
            exact_places,
            instances,
            between,
            configuration_width,
            log_evidence,
        }
    }

    /// The variance of the noise of single trials.
    pub fn noise(&self) -> f64 {
        self.noise * self.standard.spread * self.standard.spread
    }

    /// How likely it makes the readings of its training set: the logarithm of their density, and of the
    /// probability of those that are bounds.
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// One reading more, at a row of all columns. Lengths, variation, noise and other stopped trials stay as
    /// they are.
    ///
    /// # Panics
    /// If the row has not the columns of the training set.
    pub fn learn(&mut self, row: &[f64], reading: Reading) {
        assert_eq!(row.len(), self.coordinates.columns(), "a row of all columns");
        let point = self.point(0, row);
        let site = match self.standard.standardised(reading) {
            Reading::Exact(target) => Site { target, variance: self.noise },
            Reading::AtLeast(bound) => {
                let Prediction { mean, variance } = self.at(&point);
                Cavity { mean, variance: variance.max(1e-12) }.site(bound, self.noise).0
            }
        };
        if self.add(&point, site) {
            self.alpha = self.sites.iter().map(|site| site.target - self.mean).collect();
            self.factor.solve(&mut self.alpha);
        }
    }

    /// Believes that configurations cost what is expected of them: their means stay, and become more
    /// certain.
    ///
    /// # Panics
    /// If the width is not that of the configurations.
    #[must_use]
    pub fn believing(&self, configurations: Points<'_>) -> Self {
        assert_eq!(configurations.width(), self.configuration_width, "rows of a configuration");
        let mut believing = self.clone();
        let step = self.instances.len().div_ceil(MOST_BELIEVED);
        for row in configurations.iter() {
            let own = self.point(0, row);
            for instance in self.instances.iter().step_by(step) {
                let point = [own.as_slice(), instance].concat();
                let expected = believing.at(&point).mean;
                if believing.add(&point, Site { target: expected, variance: self.noise }) {
                    // What was expected changes no expectation.
                    believing.alpha.push(0.0);
                }
            }
        }
        believing
    }

    /// A site more; `false`, and nothing changes, if rounding leaves nothing of what it says.
    fn add(&mut self, point: &[f64], site: Site) -> bool {
        let mut row = vec![0.0; self.table.len() + 1];
        let own = self.table.len();
        self.kernel.covariances(&self.table, 0, point, &mut row[..own]);
        row[own] = self.kernel.variance + site.variance;
        let added = self.factor.extend(&row);
        if added {
            self.table.push(point);
            self.sites.push(site);
        }
        added
    }

    /// The coordinates of a row that begins at a column.
    pub(super) fn point(&self, first: usize, row: &[f64]) -> Vec<f64> {
        let mut point = Vec::with_capacity(self.coordinates.all().len());
        self.coordinates.of_row(first, row, &mut point);
        point
    }

    /// The standardised prediction at one point.
    fn at(&self, point: &[f64]) -> Prediction {
        let mut covariances = vec![0.0; self.table.len()];
        self.kernel.covariances(&self.table, 0, point, &mut covariances);
        let mean = self.expectation(&covariances);
        self.factor.solve_lower(&mut covariances);
        Prediction { mean, variance: self.kernel.variance - square_sum(&covariances) }
    }

    /// m + Σ α k.
    pub(super) fn expectation(&self, covariances: &[f64]) -> f64 {
        self.mean + covariances.iter().zip(&self.alpha).map(|(k, alpha)| k * alpha).sum::<f64>()
    }

    /// A standardised prediction as it is told.
    pub(super) fn told(&self, mean: f64, variance: f64) -> Prediction {
        let Standard { center, spread } = self.standard;
        Prediction { mean: center + spread * mean, variance: spread * spread * variance.max(0.0) }
    }

    /// How much one unit is.
    pub(super) fn spread(&self) -> f64 {
        self.standard.spread
    }

    /// The shares p of instances, given what is expected on each; and μ over all of them.
    pub(super) fn shares(&self, expected: &mut [f64]) -> f64 {
        let count = expected.len() as f64;
        match self.scale {
            // Without a spread all are expected to cost the same.
            scale if scale == Scale::Linear || self.standard.spread == 0.0 => {
                let mean = expected.iter().sum::<f64>() / count;
                expected.fill(1.0 / count);
                mean
            }
            _ => {
                // Standardised: 10^y is exp(unit y).
                let unit = self.standard.spread * std::f64::consts::LN_10;
                let most = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                expected.iter_mut().for_each(|y| *y = libm::exp(unit * (*y - most)));
                let sum: f64 = expected.iter().sum();
                expected.iter_mut().for_each(|share| *share /= sum);
                most + libm::log(sum / count) / unit
            }
        }
    }

    /// Σ p p' of the prior covariances between instances.
    pub(super) fn prior_variance(&self, shares: &[f64]) -> f64 {
        let count = shares.len();
        let row = |at: usize| -> f64 {
            self.between[at * count..(at + 1) * count].iter().zip(shares).map(|(k, share)| k * share).sum()
        };
        (0..count).map(|at| shares[at] * row(at)).sum()
    }

    /// Predicts points block by block; `covariances` writes those of a number, and tells its mean and prior
    /// variance.
    fn predict_blocks(
        &self,
        count: usize,
        out: &mut [Prediction],
        mut covariances: impl FnMut(usize, &mut [f64]) -> (f64, f64),
    ) {
        assert_eq!(out.len(), count, "a prediction for each point");
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
                *out = self.told(*mean, prior - square_sum(column));
            }
        }
    }
}

/// Σ_π p_π of columns.
pub(super) fn weighted_sum(shares: &[f64], columns: &[f64], sum: &mut [f64]) {
    sum.fill(0.0);
    for (share, column) in shares.iter().zip(columns.chunks_exact(sum.len())) {
        sum.iter_mut().zip(column).for_each(|(sum, x)| *sum += share * x);
    }
}

pub(super) fn square_sum(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}

impl Predictor for Gaussian {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        assert_eq!(points.width(), self.coordinates.columns(), "rows of all columns");
        let mut rows = points.iter();
        self.predict_blocks(points.len(), out, |_, column| {
            let point = self.point(0, rows.next().unwrap_or_default());
            self.kernel.covariances(&self.table, 0, &point, column);
            (self.expectation(column), self.kernel.variance)
        });
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict(points, out);
        out.iter_mut().for_each(|prediction| prediction.variance += self.noise());
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        assert_eq!(configurations.width(), self.configuration_width, "rows of a configuration");
        let mut rows = configurations.iter();
        let mut each = vec![0.0; self.table.len() * self.instances.len()];
        self.predict_blocks(configurations.len(), out, |_, column| {
            let own = self.point(0, rows.next().unwrap_or_default());
            let (mean, shares) = self.over_instances(&own, &mut each, None);
            weighted_sum(&shares, &each, column);
            (mean, self.prior_variance(&shares))
        });
    }

    fn expect_marginal(&self, configurations: Points<'_>, out: &mut [f64]) {
        assert_eq!(configurations.width(), self.configuration_width, "rows of a configuration");
        assert_eq!(out.len(), configurations.len(), "one for each configuration");
        let mut each = vec![0.0; self.table.len() * self.instances.len()];
        for (out, row) in out.iter_mut().zip(configurations.iter()) {
            let (mean, _) = self.over_instances(&self.point(0, row), &mut each, None);
            *out = self.told(mean, 0.0).mean;
        }
    }

    fn predict_with_slopes(&self, configurations: Points<'_>) -> Option<Vec<(Prediction, Slopes)>> {
        assert_eq!(configurations.width(), self.configuration_width, "rows of a configuration");
        Some(self.slopes_at(configurations))
    }
}

impl Gaussian {
    /// The covariances of a configuration with all points, instance by instance, and how they decay if that is
    /// asked for; its mean over all of them, and their shares in it.
    pub(super) fn over_instances(
        &self,
        own: &[f64],
        each: &mut [f64],
        mut decays: Option<&mut [f64]>,
    ) -> (f64, Vec<f64>) {
        let n = self.table.len();
        let mut shares = Vec::with_capacity(self.instances.len());
        let mut point = own.to_vec();
        for (at, (instance, covariances)) in self.instances.iter().zip(each.chunks_exact_mut(n)).enumerate() {
            point.truncate(own.len());
            point.extend_from_slice(instance);
            match &mut decays {
                None => self.kernel.covariances(&self.table, 0, &point, covariances),
                Some(decays) => {
                    let decays = &mut decays[at * n..(at + 1) * n];
                    self.kernel.covariances_and_decays(&self.table, 0, &point, covariances, decays);
                }
            }
            shares.push(self.expectation(covariances));
        }
        let mean = self.shares(&mut shares);
        (mean, shares)
    }
}
