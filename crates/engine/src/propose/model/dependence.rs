//! The dependence between constrained outputs.
//!
//! ```text
//! R_ij = corr(z_i, z_j)          over the trials with exact readings of all outputs
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | z_i | leave-one-out residual: difference between an output and its model's prediction from all other trials, in standard deviations |
//!
//! If one output of a configuration is far from its prediction, another one may be, too. Examples are peak
//! memory and mean memory, or a size and an error that trade off against each other. The product of the
//! individual probabilities is then too small or too large.

use std::collections::HashSet;

/// Smallest number of trials from which a correlation is estimated.
const LEAST_TRIALS: usize = 10;

/// The assumed relation between the prediction errors of several constrained outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dependence {
    /// The errors are independent: the probabilities of satisfying the constraints are multiplied.
    #[default]
    Independent,
    /// The errors are as correlated as the residuals of the models. Only Gaussian processes provide residuals
    /// without new fits. With any other learner, this is therefore the same as `Independent`. If networks
    /// learn the cost, forests learn the constraints.
    Residuals,
}

/// The residual of one output of a trial.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Residual {
    /// Index of the reading, which several trials may share.
    pub(super) reading: usize,
    /// The residual z.
    pub(super) value: f64,
}

/// Computes R, row by row. `outputs` contains one list for each output, with a residual for each trial, or
/// `None` if the trial has no exact reading. Returns `None` if too few trials have exact readings of all
/// outputs.
pub(super) fn correlations(outputs: &[Vec<Option<Residual>>]) -> Option<Vec<f64>> {
    let trials = outputs.first().map_or(0, Vec::len);
    // Trials that share all their readings count once.
    let mut seen: HashSet<Vec<usize>> = HashSet::new();
    let mut residuals: Vec<Vec<f64>> = vec![Vec::new(); outputs.len()];
    for trial in 0..trials {
        let own: Option<Vec<Residual>> = outputs.iter().map(|output| output[trial]).collect();
        let Some(own) = own else { continue };
        if seen.insert(own.iter().map(|one| one.reading).collect()) {
            residuals.iter_mut().zip(own).for_each(|(all, one)| all.push(one.value));
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

/// Returns the correlation of two series whose means are 0; 0 if one of them is constant.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = dot(one, one).sqrt() * dot(other, other).sqrt();
    if scale > 0.0 { (dot(one, other) / scale).clamp(-1.0, 1.0) } else { 0.0 }
}
