//! How likely readings are, and which way that grows.
//!
//! ```text
//! ∂ ln Z/∂θ = 1/2 Σ_ij (α αᵀ - (K + V)⁻¹)_ij ∂K_ij/∂θ           sites do not move to first order
//! ∂ ln Z/∂ ln σ² = 1/2 Σ_exact (α_i² - (K + V)⁻¹_ii) σ²/k_i - Σ_stopped h_i z_i σ²/(2 (σ² + v₋_i)) + …
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | Z | the evidence; of stopped trials its approximation by [`sites`](super::sites) |
//! | θ | ln ℓ of each column, ln s² |
//! | … | what several readings of one point say of their noise |

use super::coordinates::{Compared, Coordinate};
use super::kernel::Kernel;
use super::prior::Prior;
use super::readings::{Read, Readings};
use super::sites::{Posterior, Site, condition, first_sites};
use crate::interrupt::Interrupt;
use crate::surrogate::arithmetic::Arithmetic;
use crate::surrogate::dispatch::{Instructions, Work};

/// Sums are taken in so many lanes, side by side.
const LANES: usize = 8;

/// The posterior density of lengths, variation and noise.
pub(super) struct Likelihood<'a> {
    readings: &'a Readings,
    coordinates: &'a [Coordinate],
    prior: Prior,
    /// Where the last evaluation found them.
    sites: Option<Vec<Site>>,
    covariances: Vec<f64>,
    decays: Vec<f64>,
    interrupt: Interrupt,
}

impl<'a> Likelihood<'a> {
    pub(super) fn new(readings: &'a Readings, coordinates: &'a [Coordinate], columns: usize) -> Self {
        let entries = readings.reads.len() * readings.reads.len();
        Self {
            readings,
            coordinates,
            prior: Prior::new(columns),
            sites: None,
            covariances: vec![0.0; entries],
            decays: vec![0.0; entries],
            interrupt: Interrupt::default(),
        }
    }

    /// The same; evaluations break off when the flag is raised, as if nothing could be factored.
    pub(super) fn until(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    fn kernel(&self, numbers: &[f64]) -> (Kernel, f64) {
        let columns = numbers.len() - 2;
        let kernel = Kernel::new(self.coordinates, &numbers[..columns], libm::exp(numbers[columns]));
        (kernel, libm::exp(numbers[columns + 1]))
    }

    /// The negative log posterior density at ln ℓ, ln s² and ln σ², and its slopes; infinite where the
    /// covariances cannot be factored.
    pub(super) fn negative(&mut self, numbers: &[f64], slopes: &mut [f64]) -> f64 {
        slopes.fill(0.0);
        let (kernel, noise) = self.kernel(numbers);
        self.fill(&kernel);
        let reads = &self.readings.reads;
        let sites = self.sites.take().unwrap_or_else(|| first_sites(reads, noise));
        let Some(posterior) = condition(&self.covariances, reads, noise, sites, true, &self.interrupt) else {
            return f64::INFINITY;
        };
        self.slopes(&kernel, &posterior, noise, slopes);
        let of_mean = -posterior.mean * posterior.mean / (2.0 * Prior::MEAN_VARIANCE);
        let value = posterior.log_evidence + of_mean + self.prior.log_density(numbers, slopes);
        slopes.iter_mut().for_each(|slope| *slope = -*slope);
        self.sites = Some(posterior.sites);
        -value
    }

    /// What follows from all readings at such numbers.
    pub(super) fn posterior(&mut self, numbers: &[f64]) -> (Kernel, f64, Option<Posterior>) {
        let (kernel, noise) = self.kernel(numbers);
        self.fill(&kernel);
        let reads = &self.readings.reads;
        let sites = self.sites.take().unwrap_or_else(|| first_sites(reads, noise));
        let posterior = condition(&self.covariances, reads, noise, sites, false, &self.interrupt);
        (kernel, noise, posterior)
    }

    /// The lower triangles of covariances and of their decays.
    fn fill(&mut self, kernel: &Kernel) {
        let n = self.readings.reads.len();
        for column in 0..n {
            let point = self.readings.table.point(column);
            let covariances = &mut self.covariances[column * n + column..(column + 1) * n];
            let decays = &mut self.decays[column * n + column..(column + 1) * n];
            kernel.covariances_and_decays(&self.readings.table, column, &point, covariances, decays);
        }
    }

    fn slopes(&mut self, kernel: &Kernel, posterior: &Posterior, noise: f64, slopes: &mut [f64]) {
        let n = self.readings.reads.len();
        let columns = slopes.len() - 2;
        let Posterior { alpha, inverse, sites, mean, .. } = posterior;
        let mut trace = n as f64;
        let mut fit = 0.0;
        for (at, site) in sites.iter().enumerate() {
            trace -= site.variance * inverse[at * n + at];
            fit += alpha[at] * (site.target - mean - site.variance * alpha[at]);
            if let Read::Mean { count, .. } = self.readings.reads[at] {
                let share = alpha[at] * alpha[at] - inverse[at * n + at];
                slopes[columns + 1] += share * noise / count / 2.0;
            }
        }
        slopes[columns] += (fit - trace) / 2.0;
        slopes[columns + 1] += posterior.noise_slope * noise;
        for column in 0..n {
            let range = column * n + column + 1..(column + 1) * n;
            let shares = &mut self.decays[range.clone()];
            for ((share, inverse), alpha_i) in
                shares.iter_mut().zip(&inverse[range]).zip(&alpha[column + 1..])
            {
                *share *= alpha_i * alpha[column] - inverse;
            }
            // ∂K/∂ ln ℓ = 2 w D decay, twice for both triangles, halved by the formula.
            for (index, (coordinate, weight)) in kernel.weighted().enumerate() {
                let values = &self.readings.table.coordinate(index)[column..];
                let sum =
                    Instructions::best().run(Weighted { compared: coordinate.compared, values, shares });
                slopes[coordinate.column] += 2.0 * weight * sum;
            }
        }
    }
}

/// Σ_i share_i D(x_i, x_0) over all values after the first.
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
