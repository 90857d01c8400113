//! The posterior density of the hyperparameters, and its gradient.
//!
//! ```text
//! ∂ ln Z/∂θ = 1/2 Σ_ij (α αᵀ - (K + V)⁻¹)_ij ∂K_ij/∂θ           sites are constant to first order
//! ∂ ln Z/∂ ln σ² = 1/2 Σ_exact (α_i² - (K + V)⁻¹_ii) σ²/k_i - Σ_stopped h_i z_i σ²/(2 (σ² + v₋_i)) + …
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | Z | the evidence, approximated by [`sites`](super::sites) for stopped trials |
//! | θ | ln ℓ of each column, ln s² |
//! | … | the contribution of repeated readings of one point |

use super::coordinates::{Compared, Coordinate, Coordinates, Table};
use super::kernel::Kernel;
use super::prior::Prior;
use super::readings::{PointReading, Readings};
use super::sites::{Posterior, Site, condition, first_sites};
use crate::Interrupt;
use crate::arithmetic::Arithmetic;
use crate::dispatch::{Instructions, Work};

/// Number of partial sums that are computed side by side.
const LANES: usize = 8;

/// The posterior density of the hyperparameters.
pub(super) struct Likelihood<'a> {
    readings: &'a Readings,
    coordinates: &'a [Coordinate],
    prior: Prior,
    /// Sites found by the last evaluation.
    sites: Option<Vec<Site>>,
    covariances: Vec<f64>,
    decays: Vec<f64>,
    interrupt: Interrupt,
}

impl<'a> Likelihood<'a> {
    pub(super) fn new(readings: &'a Readings, coordinates: &'a Coordinates) -> Self {
        let entries = readings.point_readings.len() * readings.point_readings.len();
        Self {
            readings,
            coordinates: coordinates.all(),
            prior: coordinates.prior(),
            sites: None,
            covariances: vec![0.0; entries],
            decays: vec![0.0; entries],
            interrupt: Interrupt::default(),
        }
    }

    /// Makes evaluations stop once the flag is raised; they then return as if the covariances could not be
    /// factored.
    pub(super) fn until(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// Decodes a vector of ln ℓ of each column, ln h² if there are several instances, ln s² and ln σ².
    fn decoded(&self, logs: &[f64]) -> Hyperparameters {
        let columns = self.prior.columns();
        let (lengths, others) = logs.split_at(columns);
        let (effect, variance, noise) = match *others {
            [effect, variance, noise] => (libm::exp(effect), variance, noise),
            [variance, noise] => (0.0, variance, noise),
            _ => unreachable!("there are as many entries as in the prior"),
        };
        let kernel = Kernel::new(self.coordinates, lengths, libm::exp(variance));
        Hyperparameters { kernel, effect, noise: libm::exp(noise) }
    }

    /// Returns the negative log posterior density at a vector of log hyperparameters, and writes its
    /// gradient. The value is infinite if the covariances cannot be factored.
    pub(super) fn negative_log_posterior(&mut self, logs: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let hyperparameters = self.decoded(logs);
        self.fill(&hyperparameters);
        let point_readings = &self.readings.point_readings;
        let sites = self.sites.take().unwrap_or_else(|| first_sites(point_readings, hyperparameters.noise));
        let Some(posterior) =
            condition(&self.covariances, point_readings, hyperparameters.noise, sites, true, &self.interrupt)
        else {
            return f64::INFINITY;
        };
        self.add_gradient(&hyperparameters, &posterior, gradient);
        let of_mean = -posterior.mean * posterior.mean / (2.0 * Prior::MEAN_VARIANCE);
        let value = posterior.log_evidence + of_mean + self.prior.log_density(logs, gradient);
        gradient.iter_mut().for_each(|derivative| *derivative = -*derivative);
        self.sites = Some(posterior.sites);
        -value
    }

    /// Returns the posterior given all readings, at a vector of log hyperparameters.
    pub(super) fn posterior(&mut self, logs: &[f64]) -> (Hyperparameters, Option<Posterior>) {
        let hyperparameters = self.decoded(logs);
        self.fill(&hyperparameters);
        let point_readings = &self.readings.point_readings;
        let sites = self.sites.take().unwrap_or_else(|| first_sites(point_readings, hyperparameters.noise));
        let posterior = condition(
            &self.covariances,
            point_readings,
            hyperparameters.noise,
            sites,
            false,
            &self.interrupt,
        );
        (hyperparameters, posterior)
    }

    /// Fills the lower triangles of the covariances and of their decays.
    fn fill(&mut self, hyperparameters: &Hyperparameters) {
        let n = self.readings.point_readings.len();
        let table = &self.readings.table;
        for column in 0..n {
            let point = table.point(column);
            let covariances = &mut self.covariances[column * n + column..(column + 1) * n];
            let decays = &mut self.decays[column * n + column..(column + 1) * n];
            hyperparameters.kernel.covariances_and_decays(table, column, &point, covariances, decays);
            hyperparameters.add_effect(
                &table.instances()[column..],
                Some(table.instances()[column]),
                covariances,
            );
        }
    }

    /// Adds the gradient of the log evidence.
    fn add_gradient(
        &mut self,
        hyperparameters: &Hyperparameters,
        posterior: &Posterior,
        gradient: &mut [f64],
    ) {
        let Hyperparameters { kernel, effect, noise } = hyperparameters;
        let n = self.readings.point_readings.len();
        let (of_variance, of_noise) = (gradient.len() - 2, gradient.len() - 1);
        let Posterior { alpha, inverse, sites, mean, .. } = posterior;
        let mut trace = n as f64;
        let mut fit = 0.0;
        for (at, site) in sites.iter().enumerate() {
            trace -= site.variance * inverse[at * n + at];
            fit += alpha[at] * (site.target - mean - site.variance * alpha[at]);
            if let PointReading::Mean { count, .. } = self.readings.point_readings[at] {
                let share = alpha[at] * alpha[at] - inverse[at * n + at];
                gradient[of_noise] += share * noise / count / 2.0;
            }
        }
        // The derivative with respect to all covariances, minus the part that belongs to the instance
        // effects.
        gradient[of_variance] += (fit - trace) / 2.0;
        if *effect > 0.0 {
            let of_effect = effect * self.effect_derivative(posterior);
            gradient[of_variance - 1] += of_effect;
            gradient[of_variance] -= of_effect;
        }
        gradient[of_noise] += posterior.noise_derivative * noise;
        for column in 0..n {
            let range = column * n + column + 1..(column + 1) * n;
            let shares = &mut self.decays[range.clone()];
            for ((share, inverse), alpha_i) in
                shares.iter_mut().zip(&inverse[range]).zip(&alpha[column + 1..])
            {
                *share *= alpha_i * alpha[column] - inverse;
            }
            // ∂K/∂ ln ℓ = 2 w D decay, doubled because there are two triangles, and halved by the formula.
            for (index, (coordinate, weight)) in kernel.weighted().enumerate() {
                let values = &self.readings.table.coordinate(index)[column..];
                let sum =
                    Instructions::best().run(Weighted { compared: coordinate.compared, values, shares });
                gradient[coordinate.column] += 2.0 * weight * sum;
            }
        }
    }
}

impl Likelihood<'_> {
    /// Returns 1/2 Σ (α αᵀ - (K + V)⁻¹)_ij over all pairs of points i, j on the same instance.
    fn effect_derivative(&self, posterior: &Posterior) -> f64 {
        let (instances, Posterior { alpha, inverse, .. }) = (self.readings.table.instances(), posterior);
        let n = instances.len();
        let mut sum = 0.0;
        for column in 0..n {
            let own = instances[column];
            let share = |row: usize| alpha[row] * alpha[column] - inverse[column * n + row];
            sum += share(column) / 2.0;
            sum += (column + 1..n).filter(|&row| instances[row] == own).map(share).sum::<f64>();
        }
        sum
    }
}

/// The hyperparameters: kernel (length scales and s²), h² and σ².
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Hyperparameters {
    pub(super) kernel: Kernel,
    /// The variance of instance effects, h²; 0 if there is only one instance.
    pub(super) effect: f64,
    /// The noise variance, σ².
    pub(super) noise: f64,
}

impl Hyperparameters {
    /// Adds h² to the covariances between a point and the points on the same instance.
    pub(super) fn add_effect(&self, instances: &[u32], own: Option<u32>, covariances: &mut [f64]) {
        let Some(own) = own.filter(|_| self.effect > 0.0) else { return };
        for (covariance, &instance) in covariances.iter_mut().zip(instances) {
            *covariance += if instance == own { self.effect } else { 0.0 };
        }
    }

    /// Computes the covariances of a point with all points of a table.
    pub(super) fn covariances(&self, table: &Table, point: &[f64], out: &mut [f64]) {
        self.kernel.covariances(table, 0, point, out);
        self.add_effect(table.instances(), table.instance(&point[table.configuration_width()..]), out);
    }

    /// Returns the prior variance of f + h at one point.
    pub(super) fn variance(&self) -> f64 {
        self.kernel.variance + self.effect
    }
}

/// The computation of Σ_i share_i D(x_i, x_0) over all values after the first.
struct Weighted<'a> {
    compared: Compared,
    values: &'a [f64],
    shares: &'a [f64],
}

impl Work for Weighted<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> f64 {
        let (own, others) = (self.values[0], &self.values[1..]);
        match self.compared {
            Compared::Numbers => sum(self.shares, others, |other| (other - own) * (other - own)),
            Compared::Names => sum(self.shares, others, |other| f64::from(u8::from(other != own))),
        }
    }
}

#[inline(always)]
fn sum(shares: &[f64], others: &[f64], distance: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (blocks, rest) = shares.as_chunks::<LANES>();
    let (other_blocks, other_rest) = others.as_chunks::<LANES>();
    for (shares, others) in blocks.iter().zip(other_blocks) {
        for lane in 0..LANES {
            lanes[lane] += shares[lane] * distance(others[lane]);
        }
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(share, other)| share * distance(*other)).sum();
    lanes.iter().sum::<f64>() + rest
}
