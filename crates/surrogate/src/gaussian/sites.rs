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
//! | V | variances of all sites: σ²/k of exact points, v of stopped ones |
//! | t | what all sites say: means of exact readings, and of stopped ones what makes the moments right |
//! | m₋, v₋ | what all other points say of this one |
//!
//! All sites of a sweep are found from one factor, and move by a share of the way, in 1/v and t/v, until
//! they stay. (T. Minka, Expectation Propagation for Approximate Bayesian Inference, 2001.)

use linalg::Factor;
use math::normal::{hazard, log_cdf, log_density};

use super::prior::Prior;
use super::readings::Read;
use crate::Interrupt;

/// Share of the way to a new site.
const DAMPING: f64 = 0.8;
/// Sweeps end when no site moves by more, in units of what is uncertain.
const MOVED: f64 = 1e-5;
const MOST_SWEEPS: usize = 40;
/// The precision of a site that says nothing.
const LEAST_PRECISION: f64 = 1e-6;

/// A Gaussian in the place of what was read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Site {
    pub(super) target: f64,
    pub(super) variance: f64,
}

/// What all other points say of a stopped one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cavity {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Cavity {
    /// The site that gives the moments of being above a bound, and z.
    pub(super) fn site(self, bound: f64, noise: f64) -> (Site, f64) {
        let total = noise + self.variance;
        let z = (self.mean - bound) / total.sqrt();
        let h = hazard(-z);
        let r = h * (z + h) / total;
        let precision = (r / (1.0 - self.variance * r)).clamp(LEAST_PRECISION, 1.0 / LEAST_PRECISION);
        let target = self.mean + if r > 0.0 { h / (r * total.sqrt()) } else { 0.0 };
        (Site { target: if target.is_finite() { target } else { self.mean }, variance: 1.0 / precision }, z)
    }
}

/// Everything that follows from the readings at given lengths, variation and noise.
pub(super) struct Posterior {
    pub(super) sites: Vec<Site>,
    pub(super) factor: Factor,
    /// m.
    pub(super) mean: f64,
    /// (K + V)⁻¹ (t - m).
    pub(super) alpha: Vec<f64>,
    /// The lower triangle of (K + V)⁻¹, where it was asked for or needed.
    pub(super) inverse: Vec<f64>,
    /// Of the readings.
    pub(super) log_evidence: f64,
    /// ∂/∂σ² of that, as far as it is due to stopped trials and to readings of one point.
    pub(super) noise_slope: f64,
}

/// The first guess of sites.
pub(super) fn first_sites(reads: &[Read], noise: f64) -> Vec<Site> {
    let first = |read: &Read| match *read {
        Read::Mean { value, count, .. } => Site { target: value, variance: noise / count },
        Read::AtLeast(bound) => Site { target: bound, variance: 1e3 },
    };
    reads.iter().map(first).collect()
}

/// Conditions on all readings, starting from sites of an earlier guess; `covariances` is the lower triangle of
/// K. `None` if K is not positive definite, or the flag is raised.
pub(super) fn condition(
    covariances: &[f64],
    reads: &[Read],
    noise: f64,
    mut sites: Vec<Site>,
    with_inverse: bool,
    interrupt: &Interrupt,
) -> Option<Posterior> {
    let n = reads.len();
    let censored: Vec<(usize, f64)> = reads
        .iter()
        .enumerate()
        .filter_map(|(at, read)| if let Read::AtLeast(bound) = *read { Some((at, bound)) } else { None })
        .collect();
    for (site, read) in sites.iter_mut().zip(reads) {
        if let Read::Mean { value, count, .. } = *read {
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
        if moved.fold(0.0, f64::max) < MOVED || sweep == MOST_SWEEPS {
            let mut log_evidence = gaussian_evidence(&factor, &sites, mean, &alpha);
            let mut noise_slope = 0.0;
            for read in reads {
                let (value, slope) = repeated(*read, noise);
                log_evidence += value;
                noise_slope += slope;
            }
            for (at, cavity, _, z) in &found {
                let between = cavity.variance + sites[*at].variance;
                let off = (cavity.mean - sites[*at].target) / between.sqrt();
                log_evidence += log_cdf(*z) - log_density(off) + libm::log(between) / 2.0;
                noise_slope -= hazard(-z) * z / (2.0 * (noise + cavity.variance));
            }
            return Some(Posterior { sites, factor, mean, alpha, inverse, log_evidence, noise_slope });
        }
        for (at, _, new, _) in found {
            sites[at] = between(sites[at], new);
        }
    }
    None
}

/// A share of the way from one site to another.
fn between(old: Site, new: Site) -> Site {
    let mix = |old: f64, new: f64| old + DAMPING * (new - old);
    let precision = mix(1.0 / old.variance, 1.0 / new.variance);
    let shift = mix(old.target / old.variance, new.target / new.variance);
    Site { target: shift / precision, variance: 1.0 / precision }
}

/// How far a site moves, in units of what is uncertain.
fn distance(old: Site, new: Site, cavity: Cavity) -> f64 {
    let precision = (1.0 / old.variance - 1.0 / new.variance).abs() * cavity.variance;
    let shift = (old.target / old.variance - new.target / new.variance).abs() * cavity.variance.sqrt();
    precision.max(shift)
}

/// The mean that makes the sites likeliest, and (K + V)⁻¹ (t - m). Without a prior it would climb for ever
/// where all readings are bounds.
fn weights(factor: &Factor, sites: &[Site]) -> (f64, Vec<f64>) {
    let n = sites.len();
    let mut both: Vec<f64> =
        sites.iter().map(|site| site.target).chain(std::iter::repeat_n(1.0, n)).collect();
    factor.solve(&mut both);
    let (targets, ones) = both.split_at(n);
    let mean = targets.iter().sum::<f64>() / (ones.iter().sum::<f64>() + 1.0 / Prior::MEAN_VARIANCE);
    (mean, targets.iter().zip(ones).map(|(target, one)| target - mean * one).collect())
}

/// ln N(t | m, K + V).
fn gaussian_evidence(factor: &Factor, sites: &[Site], mean: f64, alpha: &[f64]) -> f64 {
    let fit: f64 = sites.iter().zip(alpha).map(|(site, alpha)| (site.target - mean) * alpha).sum();
    sites.len() as f64 * log_density(0.0) - (fit + factor.log_determinant()) / 2.0
}

/// What several readings of one point add to the evidence, and its slope in σ².
fn repeated(read: Read, noise: f64) -> (f64, f64) {
    let Read::Mean { count, squares, .. } = read else { return (0.0, 0.0) };
    if count < 1.5 {
        return (0.0, 0.0);
    }
    let value = (count - 1.0) * (log_density(0.0) - libm::log(noise) / 2.0)
        - squares / (2.0 * noise)
        - libm::log(count) / 2.0;
    (value, (squares / noise - (count - 1.0)) / (2.0 * noise))
}
