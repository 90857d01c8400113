//! Stopped trials as Gaussian sites, by expectation propagation.
//!
//! ```text
//! p(f(x_i) + ε >= b_i) = Φ((f - b)/σ) ≈ Z N(f | t, v)
//! cavity: m₋ = t - α/A,   v₋ = 1/A - v                 A = (K + V)⁻¹_ii, α = ((K + V)⁻¹ (t - m))_i
//! z = (m₋ - b)/√(σ² + v₋),   h = φ(z)/Φ(z),   r = h (z + h)/(σ² + v₋)
//! 1/v ← r/(1 - v₋ r),   t ← m₋ + h/(r √(σ² + v₋))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | K | covariances of all points |
//! | V | variances of all sites: σ²/k for exact points, v for stopped ones |
//! | t | targets of all sites: means of exact readings; for stopped trials the value that matches the moments |
//! | m₋, v₋ | cavity distribution: the prediction for this point from all other points |
//!
//! All sites of a sweep are computed from one Cholesky factor. They take damped steps, in 1/v and t/v, until
//! they no longer change. (T. Minka, Expectation Propagation for Approximate Bayesian Inference, 2001.)

use linalg::Factor;
use math::normal::{hazard, log_cdf, log_density};

use super::prior::Prior;
use super::readings::PointReading;
use crate::Interrupt;

/// Step size towards a new site.
const DAMPING: f64 = 0.8;
/// Largest movement of a site at which the sweeps end, in units of the cavity's uncertainty.
const TOLERANCE: f64 = 1e-5;
const MAX_SWEEPS: usize = 40;
/// The precision of a site without information.
const MIN_PRECISION: f64 = 1e-6;

/// A normal distribution that represents the readings of a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Site {
    pub(super) target: f64,
    pub(super) variance: f64,
}

/// The prediction for a stopped trial from all other points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cavity {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Cavity {
    /// Returns the site that matches the moments of f given a cost above `bound`, and z.
    pub(super) fn site(self, bound: f64, noise: f64) -> (Site, f64) {
        let total = noise + self.variance;
        let z = (self.mean - bound) / total.sqrt();
        let h = hazard(-z);
        let r = h * (z + h) / total;
        let precision = (r / (1.0 - self.variance * r)).clamp(MIN_PRECISION, 1.0 / MIN_PRECISION);
        let target = self.mean + if r > 0.0 { h / (r * total.sqrt()) } else { 0.0 };
        (Site { target: if target.is_finite() { target } else { self.mean }, variance: 1.0 / precision }, z)
    }
}

/// The posterior given all readings, at given hyperparameters.
pub(super) struct Posterior {
    pub(super) sites: Vec<Site>,
    pub(super) factor: Factor,
    /// The mean, m.
    pub(super) mean: f64,
    /// (K + V)⁻¹ (t - m).
    pub(super) alpha: Vec<f64>,
    /// The lower triangle of (K + V)⁻¹; empty unless it was requested or needed.
    pub(super) inverse: Vec<f64>,
    /// Log evidence of the readings.
    pub(super) log_evidence: f64,
    /// The part of ∂/∂σ² of the log evidence that comes from stopped trials and repeated readings of one
    /// point.
    pub(super) noise_derivative: f64,
}

/// Returns an initial guess for all sites.
pub(super) fn first_sites(point_readings: &[PointReading], noise: f64) -> Vec<Site> {
    let first = |reading: &PointReading| match *reading {
        PointReading::Mean { value, count, .. } => Site { target: value, variance: noise / count },
        PointReading::AtLeast(bound) => Site { target: bound, variance: 1e3 },
    };
    point_readings.iter().map(first).collect()
}

/// Conditions on all readings, starting from an earlier guess for the sites. `covariances` is the lower
/// triangle of K. Returns `None` if K + V is not positive definite, or the flag is raised.
pub(super) fn condition(
    covariances: &[f64],
    point_readings: &[PointReading],
    noise: f64,
    mut sites: Vec<Site>,
    with_inverse: bool,
    interrupt: &Interrupt,
) -> Option<Posterior> {
    let n = point_readings.len();
    let censored: Vec<(usize, f64)> = point_readings
        .iter()
        .enumerate()
        .filter_map(
            |(at, reading)| {
                if let PointReading::AtLeast(bound) = *reading { Some((at, bound)) } else { None }
            },
        )
        .collect();
    for (site, reading) in sites.iter_mut().zip(point_readings) {
        if let PointReading::Mean { value, count, .. } = *reading {
            *site = Site { target: value, variance: noise / count };
        }
    }
    for sweep in 0.. {
        if interrupt.is_raised() {
            return None;
        }
        let variances: Vec<f64> = sites.iter().map(|site| site.variance).collect();
        let factor = Factor::new(covariances, &variances)?;
        let (mean, alpha) = weights(&factor, &sites);
        let inverse = if with_inverse || !censored.is_empty() { factor.inverse() } else { Vec::new() };
        let cavity = |at: usize| Cavity {
            mean: sites[at].target - alpha[at] / inverse[at * n + at],
            variance: (1.0 / inverse[at * n + at] - sites[at].variance).max(1e-12),
        };
        let found: Vec<(usize, Cavity, Site, f64)> = censored
            .iter()
            .map(|&(at, bound)| {
                let (site, z) = cavity(at).site(bound, noise);
                (at, cavity(at), site, z)
            })
            .collect();
        let moved = found.iter().map(|(at, cavity, site, _)| distance(sites[*at], *site, *cavity));
        if moved.fold(0.0, f64::max) < TOLERANCE || sweep == MAX_SWEEPS {
            let mut log_evidence = gaussian_evidence(&factor, &sites, mean, &alpha);
            let mut noise_derivative = 0.0;
            for reading in point_readings {
                let (value, derivative) = repeated(*reading, noise);
                log_evidence += value;
                noise_derivative += derivative;
            }
            for (at, cavity, _, z) in &found {
                let between = cavity.variance + sites[*at].variance;
                let off = (cavity.mean - sites[*at].target) / between.sqrt();
                log_evidence += log_cdf(*z) - log_density(off) + libm::log(between) / 2.0;
                noise_derivative -= hazard(-z) * z / (2.0 * (noise + cavity.variance));
            }
            return Some(Posterior { sites, factor, mean, alpha, inverse, log_evidence, noise_derivative });
        }
        for (at, _, new, _) in found {
            sites[at] = between(sites[at], new);
        }
    }
    None
}

/// Takes a damped step from one site to another.
fn between(old: Site, new: Site) -> Site {
    let mix = |old: f64, new: f64| old + DAMPING * (new - old);
    let precision = mix(1.0 / old.variance, 1.0 / new.variance);
    let shift = mix(old.target / old.variance, new.target / new.variance);
    Site { target: shift / precision, variance: 1.0 / precision }
}

/// Returns how far a site moves, in units of the cavity's uncertainty.
fn distance(old: Site, new: Site, cavity: Cavity) -> f64 {
    let precision = (1.0 / old.variance - 1.0 / new.variance).abs() * cavity.variance;
    let shift = (old.target / old.variance - new.target / new.variance).abs() * cavity.variance.sqrt();
    precision.max(shift)
}

/// Returns the mean m with the maximum posterior density, and (K + V)⁻¹ (t - m). Without a prior, m would
/// grow indefinitely if all readings were lower bounds.
fn weights(factor: &Factor, sites: &[Site]) -> (f64, Vec<f64>) {
    let n = sites.len();
    let mut both: Vec<f64> =
        sites.iter().map(|site| site.target).chain(std::iter::repeat_n(1.0, n)).collect();
    factor.solve(&mut both);
    let (targets, ones) = both.split_at(n);
    let mean = targets.iter().sum::<f64>() / (ones.iter().sum::<f64>() + 1.0 / Prior::MEAN_VARIANCE);
    (mean, targets.iter().zip(ones).map(|(target, one)| target - mean * one).collect())
}

/// Returns ln N(t | m, K + V).
fn gaussian_evidence(factor: &Factor, sites: &[Site], mean: f64, alpha: &[f64]) -> f64 {
    let fit: f64 = sites.iter().zip(alpha).map(|(site, alpha)| (site.target - mean) * alpha).sum();
    sites.len() as f64 * log_density(0.0) - (fit + factor.log_determinant()) / 2.0
}

/// Returns the contribution of repeated readings of one point to the log evidence, and its derivative with
/// respect to σ².
fn repeated(reading: PointReading, noise: f64) -> (f64, f64) {
    let PointReading::Mean { count, squares, .. } = reading else { return (0.0, 0.0) };
    if count < 1.5 {
        return (0.0, 0.0);
    }
    let value = (count - 1.0) * (log_density(0.0) - libm::log(noise) / 2.0)
        - squares / (2.0 * noise)
        - libm::log(count) / 2.0;
    (value, (squares / noise - (count - 1.0)) / (2.0 * noise))
}
