//! How constrained outputs depend on each other.
//!
//! ```text
//! R_ij = corr(z_i, z_j)          over the trials that told all outputs exactly
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | z_i | how far an output lay from what its model foretells by all other trials, in deviations |
//!
//! Where a configuration surprises in one output it may well do so in another: peak memory and mean memory, or a
//! size and an error that is paid for with it. Multiplying probabilities then rules out too much, or
//! too little.

use std::collections::HashSet;

/// Fewer trials say nothing of a correlation.
const LEAST_TRIALS: usize = 10;

/// Whether what is expected of several constrained outputs is uncertain together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dependence {
    /// Each on its own: the probabilities of keeping the constraints are multiplied.
    #[default]
    Independent,
    /// As the residuals of their models are correlated. Gaussian processes alone tell these without learning
    /// anew: with forests, and so with networks, this is the same as `Independent`.
    Residuals,
}

/// What a trial told of an output, beyond what was foretold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Surprise {
    /// The number of its reading, which it may share with other trials.
    pub(super) reading: usize,
    /// z.
    pub(super) residual: f64,
}

/// R, row after row, of outputs given trial by trial, `None` where a trial did not tell one exactly; nothing if too
/// few told all.
pub(super) fn correlations(outputs: &[Vec<Option<Surprise>>]) -> Option<Vec<f64>> {
    let trials = outputs.first().map_or(0, Vec::len);
    // Trials that share all readings are one.
    let mut seen: HashSet<Vec<usize>> = HashSet::new();
    let mut residuals: Vec<Vec<f64>> = vec![Vec::new(); outputs.len()];
    for trial in 0..trials {
        let told: Option<Vec<Surprise>> = outputs.iter().map(|output| output[trial]).collect();
        let Some(told) = told else { continue };
        if seen.insert(told.iter().map(|one| one.reading).collect()) {
            residuals.iter_mut().zip(told).for_each(|(all, one)| all.push(one.residual));
        }
    }
    if seen.len() < LEAST_TRIALS {
        return None;
    }
    for all in &mut residuals {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        all.iter_mut().for_each(|one| *one -= mean);
    }
    let pairs = residuals.iter().flat_map(|one| residuals.iter().map(move |other| (one, other)));
    Some(pairs.map(|(one, other)| correlation(one, other)).collect())
}

/// Of numbers whose means are 0; 0 if some do not vary.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = dot(one, one).sqrt() * dot(other, other).sqrt();
    if scale > 0.0 { (dot(one, other) / scale).clamp(-1.0, 1.0) } else { 0.0 }
}
