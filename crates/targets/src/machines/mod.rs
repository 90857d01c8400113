//! Support vector machines with two classes and a radial kernel, and their compression to a few vectors.
//!
//! ```text
//! k(x, z) = exp(-γ² |x - z|²)
//! f(x)    = sum over i of β_i k(x, z_i) + b            class 1 where f(x) > 0, otherwise class 0
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | γ² | the inverse squared width of the kernel |
//! | z_i, β_i | the vectors of the machine, and their coefficients |
//! | b | the bias |
//! | C | the largest coefficient in training |
//! | m | the number of vectors after compression |
//!
//! | module | contents |
//! |---|---|
//! | `smo` | training |
//! | `reduced` | compression: m vectors that imitate a machine |
//! | `conjugate` | minimisation by conjugate gradients |
//!
//! Classifying a point needs one kernel evaluation per vector, so a machine with m vectors is faster than one
//! with s support vectors by the factor s / m. (C. Burges, B. Schölkopf, Improving the Accuracy and Speed of
//! Support Vector Machines, 1997.)

mod conjugate;
mod reduced;
mod smo;

pub use reduced::compress;
pub use smo::{Trained, train};

use math::elementary::{exp, is_ordinary_exponent};

use crate::points::{Points, squared_distance};

/// A machine: vectors with coefficients, and a bias.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// The inverse squared width of the kernel (γ²).
    pub gamma: f64,
    /// Number of coordinates of each vector.
    pub dimension: usize,
    /// The coordinates of all vectors (z), one vector after the other.
    pub vectors: Vec<f64>,
    /// The coefficients of the vectors (β).
    pub coefficients: Vec<f64>,
    /// The bias (b).
    pub bias: f64,
}

impl Machine {
    /// Returns the value whose sign is the class.
    pub fn decision(&self, x: &[f64]) -> f64 {
        let vector = |i: usize| &self.vectors[i * self.dimension..(i + 1) * self.dimension];
        let term = |(i, beta): (usize, &f64)| beta * kernel(self.gamma * squared_distance(x, vector(i)));
        self.coefficients.iter().enumerate().map(term).sum::<f64>() + self.bias
    }

    /// Returns the number of points that get a wrong class.
    pub fn wrong(&self, points: &Points) -> usize {
        let is_wrong =
            |point: &usize| (self.decision(points.row(*point)) > 0.0) != (points.label(*point) == 1);
        (0..points.count()).filter(is_wrong).count()
    }

    /// Returns the number of kernel evaluations to classify this many points.
    pub fn evaluations(&self, points: usize) -> u64 {
        self.coefficients.len() as u64 * points as u64
    }
}

/// Returns the kernel of two points from their squared distance times γ².
#[inline]
fn kernel(scaled: f64) -> f64 {
    if is_ordinary_exponent(scaled) { exp(-scaled) } else { 0.0 }
}

/// Returns the median squared distance of pairs of points, over at most this many pairs. It is a natural unit
/// of 1 / γ².
pub fn median_squared_distance(points: &Points, pairs: usize) -> f64 {
    let mut rng = math::Rng::new(1, "pairs of points", 0);
    let mut found: Vec<f64> = (0..pairs)
        .map(|_| points.squared_distance(rng.below(points.count()), rng.below(points.count())))
        .filter(|square| *square > 0.0)
        .collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_match_the_formula() {
        let machine = Machine {
            gamma: 0.5,
            dimension: 2,
            vectors: vec![0.0, 0.0, 1.0, 1.0],
            coefficients: vec![2.0, -1.0],
            bias: 0.25,
        };
        let expected = 2.0 * (-0.5f64 * 5.0).exp() - (-0.5f64 * 1.0).exp() + 0.25;
        assert!((machine.decision(&[1.0, 2.0]) - expected).abs() < 1e-12);
        // At (0, 0) the decision is positive, far away it is the bias, at (1, 1) it is negative.
        let points = Points::new(2, vec![0.0, 0.0, 99.0, 9.0, 1.5, 1.5], vec![0, 1, 1]);
        assert_eq!((machine.wrong(&points), machine.evaluations(3)), (2, 6));
    }
}
