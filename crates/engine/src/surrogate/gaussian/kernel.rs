//! The covariance of two points, and how it changes.
//!
//! ```text
//! k = s² (1 + q + q²/3) exp(-q),   q² = 5 ρ,   ρ = Σ_c w_c D_c
//! -∂k/∂ρ = 5/6 s² (1 + q) exp(-q)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | w_c | 1/ℓ_c² |
//! | ρ | the squared distance |

use super::coordinates::{Compared, Coordinate, Table};
use crate::elementary::exp;

/// Beyond this q all covariances are nothing; [`exp`] holds up to it.
const FARTHEST: f64 = 600.0;

/// Matérn's kernel of order 5/2, with a length for each column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Kernel {
    coordinates: Vec<Coordinate>,
    /// Of each coordinate.
    weights: Vec<f64>,
    /// s².
    pub(super) variance: f64,
}

impl Kernel {
    /// With the logarithms of the columns' lengths.
    pub(super) fn new(coordinates: &[Coordinate], log_lengths: &[f64], variance: f64) -> Self {
        let weights = coordinates.iter().map(|one| libm::exp(-2.0 * log_lengths[one.column])).collect();
        Self { coordinates: coordinates.to_vec(), weights, variance }
    }

    /// The coordinates, and the weight of each.
    pub(super) fn weighted(&self) -> impl Iterator<Item = (&Coordinate, f64)> {
        self.coordinates.iter().zip(self.weights.iter().copied())
    }

    /// ρ between a point and those of a table from `first` on. The point, and the table, may have fewer
    /// coordinates: those from `skipped` on.
    pub(super) fn squares(&self, table: &Table, first: usize, point: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (index, (coordinate, weight)) in self.weighted().enumerate() {
            let (own, others) = (point[index], &table.coordinate(index)[first..]);
            match coordinate.compared {
                Compared::Numbers => {
                    for (sum, other) in out.iter_mut().zip(others) {
                        let difference = other - own;
                        *sum += weight * (difference * difference);
                    }
                }
                Compared::Names => {
                    for (sum, other) in out.iter_mut().zip(others) {
                        *sum += if *other == own { 0.0 } else { weight };
                    }
                }
            }
        }
    }

    /// ρ of two points in the coordinates from `first` on.
    pub(super) fn square(&self, first: usize, one: &[f64], other: &[f64]) -> f64 {
        let parts = self.weighted().skip(first).zip(one.iter().zip(other));
        parts
            .map(|((coordinate, weight), (a, b))| match coordinate.compared {
                Compared::Numbers => weight * (a - b) * (a - b),
                Compared::Names if a == b => 0.0,
                Compared::Names => weight,
            })
            .sum()
    }

    /// Squared distances become covariances, in their place.
    pub(super) fn covariances(&self, squares: &mut [f64]) {
        for square in squares {
            *square = self.covariance(*square);
        }
    }

    /// k at a squared distance.
    #[inline]
    pub(super) fn covariance(&self, square: f64) -> f64 {
        self.covariance_and_decay(square).0
    }

    /// -∂k/∂ρ at a squared distance.
    #[inline]
    pub(super) fn decay(&self, square: f64) -> f64 {
        self.covariance_and_decay(square).1
    }

    /// Both.
    #[inline]
    pub(super) fn covariance_and_decay(&self, square: f64) -> (f64, f64) {
        let q = (5.0 * square).sqrt().min(FARTHEST);
        let scaled = self.variance * exp(-q);
        (scaled * (1.0 + q + q * q / 3.0), 5.0 / 6.0 * scaled * (1.0 + q))
    }
}
