//! The covariance between two points, and its derivative.
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

use math::elementary::exp;

use super::coordinates::{Compared, Coordinate, Table};
use crate::arithmetic::Arithmetic;
use crate::dispatch::{Instructions, Work};

/// Largest q for which [`exp`] is accurate. Beyond it, all covariances are practically 0.
const FARTHEST: f64 = 600.0;

/// The Matérn 5/2 kernel, with a length scale for each column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Kernel {
    coordinates: Vec<Coordinate>,
    /// The weight w of each coordinate.
    weights: Vec<f64>,
    /// The signal variance, s².
    pub(super) variance: f64,
}

impl Kernel {
    /// Creates a kernel from the logarithms of the columns' length scales.
    pub(super) fn new(coordinates: &[Coordinate], log_lengths: &[f64], variance: f64) -> Self {
        let weights = coordinates.iter().map(|one| libm::exp(-2.0 * log_lengths[one.column])).collect();
        Self { coordinates: coordinates.to_vec(), weights, variance }
    }

    /// Iterates over the coordinates and their weights.
    pub(super) fn weighted(&self) -> impl Iterator<Item = (&Coordinate, f64)> {
        self.coordinates.iter().zip(self.weights.iter().copied())
    }

    /// Computes the covariances between a point and the points of a table, starting at index `first`.
    pub(super) fn covariances(&self, table: &Table, first: usize, point: &[f64], out: &mut [f64]) {
        Instructions::best().run(Covariances { kernel: self, table, first, point, out, decays: None });
    }

    /// Computes [covariances](Self::covariances), and -∂k/∂ρ for each of them.
    pub(super) fn covariances_and_decays(
        &self,
        table: &Table,
        first: usize,
        point: &[f64],
        out: &mut [f64],
        decays: &mut [f64],
    ) {
        Instructions::best().run(Covariances {
            kernel: self,
            table,
            first,
            point,
            out,
            decays: Some(decays),
        });
    }

    /// Computes ρ between a point and each point of a table, in the coordinates that `point` has.
    pub(super) fn squares(&self, table: &Table, point: &[f64], out: &mut [f64]) {
        Instructions::best().run(Squares { kernel: self, table, first: 0, point, out });
    }

    /// Computes k at squared distances, with `farther` added to each.
    pub(super) fn covariances_at(&self, squares: &[f64], farther: f64, out: &mut [f64]) {
        Instructions::best().run(At { kernel: self, squares, farther, out, decays: false });
    }

    /// Computes -∂k/∂ρ at squared distances, with `farther` added to each.
    pub(super) fn decays_at(&self, squares: &[f64], farther: f64, out: &mut [f64]) {
        Instructions::best().run(At { kernel: self, squares, farther, out, decays: true });
    }

    /// Returns ρ between two points, over the coordinates starting at index `first`.
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

    /// Returns k at a squared distance.
    pub(super) fn covariance(&self, square: f64) -> f64 {
        self.covariance_and_decay(square).0
    }

    /// Returns k and -∂k/∂ρ at a squared distance.
    #[inline(always)]
    fn covariance_and_decay(&self, square: f64) -> (f64, f64) {
        let q = (5.0 * square).sqrt().min(FARTHEST);
        let scaled = self.variance * exp(-q);
        (scaled * (1.0 + q + q * q / 3.0), 5.0 / 6.0 * scaled * (1.0 + q))
    }
}

/// Covariances of one point with many.
struct Covariances<'a> {
    kernel: &'a Kernel,
    table: &'a Table,
    first: usize,
    point: &'a [f64],
    out: &'a mut [f64],
    decays: Option<&'a mut [f64]>,
}

impl Work for Covariances<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let Self { kernel, table, first, point, out, decays } = self;
        Squares { kernel, table, first, point, out: &mut *out }.run::<A>();
        match decays {
            None => out.iter_mut().for_each(|square| *square = kernel.covariance_and_decay(*square).0),
            Some(decays) => {
                for (square, decay) in out.iter_mut().zip(decays) {
                    (*square, *decay) = kernel.covariance_and_decay(*square);
                }
            }
        }
    }
}

/// Squared distances of one point from many, in the coordinates that the point has.
struct Squares<'a> {
    kernel: &'a Kernel,
    table: &'a Table,
    first: usize,
    point: &'a [f64],
    out: &'a mut [f64],
}

impl Work for Squares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let Self { kernel, table, first, point, out } = self;
        out.fill(0.0);
        for (index, (coordinate, weight)) in kernel.weighted().enumerate().take(point.len()) {
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
}

/// Covariances, or their decays -∂k/∂ρ, at squared distances.
struct At<'a> {
    kernel: &'a Kernel,
    squares: &'a [f64],
    farther: f64,
    out: &'a mut [f64],
    decays: bool,
}

impl Work for At<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let Self { kernel, squares, farther, out, decays } = self;
        for (out, square) in out.iter_mut().zip(squares) {
            let (covariance, decay) = kernel.covariance_and_decay(square + farther);
            *out = if decays { decay } else { covariance };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Rng;

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let coordinates = [Compared::Numbers, Compared::Names, Compared::Numbers]
            .into_iter()
            .enumerate()
            .map(|(column, compared)| Coordinate { column, compared })
            .collect::<Vec<_>>();
        let kernel = Kernel::new(&coordinates, &[-0.5, 0.3, -6.0], 1.7);
        let (mut table, mut rng) = (Table::new(3, 3), Rng::new(1, "kernel", 0));
        (0..53).for_each(|at| table.push(&[rng.unit(), f64::from(at % 3), rng.unit()]));
        let by = |instructions: Instructions| {
            let (mut out, mut decays) = (vec![0.0; 50], vec![0.0; 50]);
            let point = &[0.3, 1.0, 0.7];
            instructions.run(Covariances {
                kernel: &kernel,
                table: &table,
                first: 3,
                point,
                out: &mut out,
                decays: Some(&mut decays),
            });
            [out, decays].concat().into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        for instructions in Instructions::all() {
            assert_eq!(by(instructions), by(Instructions::Portable), "{instructions:?}");
        }
        // The results also match the formula for two points.
        let mut alone = [0.0];
        kernel.covariances(&table, 52, &[0.3, 1.0, 0.7], &mut alone);
        let square = kernel.square(0, &[0.3, 1.0, 0.7], &table.point(52));
        assert!((alone[0] - kernel.covariance(square)).abs() < 1e-12);
    }
}
