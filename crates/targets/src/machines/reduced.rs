//! Compression: a machine with few vectors that imitates one with many on the training points.
//!
//! ```text
//! minimise   E(z, β, b) = 1/2n  sum over i of (f̃(x_i) - f(x_i))²,      f̃(x) = sum over j of β_j k(x, z_j) + b
//!
//! r_i     = (f̃(x_i) - f(x_i)) / n
//! ∂E/∂β_j = sum over i of r_i k_ij              ∂E/∂b = sum over i of r_i
//! ∂E/∂z_j = 2 sum over i of r_i β_j k_ij (x_i - z_j)                     where |x|² is measured in units of 1/γ²
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | f | the trained machine |
//! | x_i | the n training points |
//! | z_j, β_j | the m vectors and their coefficients |
//!
//! The vectors begin at m random support vectors, with the coefficients of least squares. Conjugate gradients
//! then move vectors and coefficients together. In the end the coefficients are fitted once more.

use math::Rng;

use super::conjugate::minimise;
use super::{Machine, Trained, kernel};
use crate::points::{Points, dot};

/// Largest number of iterations of a least-squares fit.
const ITERATIONS: usize = 100;

/// Compresses a trained machine to at most `most` vectors, with this number of evaluations of E. Returns the
/// machine itself if it has no more vectors.
pub fn compress(trained: &Trained, points: &Points, most: usize, evaluations: usize) -> Machine {
    let machine = &trained.machine;
    let support = machine.coefficients.len();
    if support <= most {
        return machine.clone();
    }
    let mut order: Vec<usize> = (0..support).collect();
    Rng::new(1, "initial vectors", 0).shuffle(&mut order);
    let imitation = Imitation::new(trained, points, most);
    let unit = machine.gamma.sqrt();
    let row = |vector: usize| &machine.vectors[vector * machine.dimension..(vector + 1) * machine.dimension];
    let mut variables: Vec<f64> =
        order[..most].iter().flat_map(|&vector| row(vector)).map(|x| x * unit).collect();
    variables.resize(variables.len() + most + 1, 0.0);
    imitation.fit_coefficients(&mut variables);
    let mut variables = minimise(variables, evaluations, |x, gradient| imitation.error(x, gradient));
    imitation.fit_coefficients(&mut variables);
    let (vectors, rest) = variables.split_at(most * machine.dimension);
    Machine {
        vectors: vectors.iter().map(|x| x / unit).collect(),
        coefficients: rest[..most].to_vec(),
        bias: rest[most],
        ..machine.clone()
    }
}

/// The function E. Its variables are the coordinates of all vectors, then all coefficients, then the bias.
struct Imitation<'a> {
    /// The non-zero coordinates of the training points, in units of 1/γ. Most coordinates of indicators and of
    /// images are zero, and skipping them makes the fit several times faster.
    rows: Vec<Vec<(usize, f64)>>,
    /// Their squared lengths.
    squares: Vec<f64>,
    /// The decisions to imitate.
    decisions: &'a [f64],
    dimension: usize,
    /// Number of vectors (m).
    vectors: usize,
}

impl<'a> Imitation<'a> {
    fn new(trained: &'a Trained, points: &Points, vectors: usize) -> Self {
        let unit = trained.machine.gamma.sqrt();
        let row = |point: usize| -> Vec<(usize, f64)> {
            let scaled = points.row(point).iter().map(|x| x * unit).enumerate();
            scaled.filter(|(_, x)| *x != 0.0).collect()
        };
        let rows: Vec<_> = (0..points.count()).map(row).collect();
        let squares = rows.iter().map(|row| row.iter().map(|(_, x)| x * x).sum()).collect();
        Self { squares, rows, decisions: &trained.decisions, dimension: points.dimension(), vectors }
    }

    /// Returns the kernels of all training points (rows) and vectors (columns).
    fn kernels(&self, vectors: &[f64]) -> Vec<f64> {
        let vector = |j: usize| &vectors[j * self.dimension..(j + 1) * self.dimension];
        let squares: Vec<f64> = (0..self.vectors).map(|j| dot(vector(j), vector(j))).collect();
        let mut kernels = Vec::with_capacity(self.squares.len() * self.vectors);
        for (row, square) in self.rows.iter().zip(&self.squares) {
            let product = |j: usize| {
                let vector = vector(j);
                row.iter().map(|&(index, x)| x * vector[index]).sum::<f64>()
            };
            // Rounding can make the square of a small distance negative.
            let distance = |j: usize| (square + squares[j] - 2.0 * product(j)).max(0.0);
            kernels.extend((0..self.vectors).map(|j| kernel(distance(j))));
        }
        kernels
    }

    /// Returns E and writes its gradient.
    fn error(&self, variables: &[f64], gradient: &mut [f64]) -> f64 {
        let (vectors, rest) = variables.split_at(self.vectors * self.dimension);
        let (beta, bias) = rest.split_at(self.vectors);
        let kernels = self.kernels(vectors);
        gradient.fill(0.0);
        let (of_vectors, of_rest) = gradient.split_at_mut(vectors.len());
        let count = self.decisions.len() as f64;
        let mut weights = vec![0.0; self.vectors];
        let mut sum = 0.0;
        for (point, of_point) in kernels.chunks_exact(self.vectors).enumerate() {
            let residual = (dot(of_point, beta) + bias[0] - self.decisions[point]) / count;
            sum += residual * residual;
            of_rest[self.vectors] += residual;
            for j in 0..self.vectors {
                of_rest[j] += residual * of_point[j];
                let weight = 2.0 * residual * beta[j] * of_point[j];
                weights[j] += weight;
                let part = &mut of_vectors[j * self.dimension..(j + 1) * self.dimension];
                self.rows[point].iter().for_each(|&(index, x)| part[index] += weight * x);
            }
        }
        for (j, part) in of_vectors.chunks_exact_mut(self.dimension.max(1)).enumerate() {
            let vector = &vectors[j * self.dimension..(j + 1) * self.dimension];
            part.iter_mut().zip(vector).for_each(|(sum, z)| *sum -= weights[j] * z);
        }
        0.5 * count * sum
    }

    /// Sets coefficients and bias to those of least squares, by linear conjugate gradients on the normal
    /// equations.
    fn fit_coefficients(&self, variables: &mut [f64]) {
        let (vectors, rest) = variables.split_at_mut(self.vectors * self.dimension);
        let kernels = self.kernels(vectors);
        let times = |x: &[f64]| -> Vec<f64> {
            let rows = kernels.chunks_exact(self.vectors);
            rows.map(|row| dot(row, &x[..self.vectors]) + x[self.vectors]).collect()
        };
        let transposed_times = |y: &[f64]| -> Vec<f64> {
            let mut sums = vec![0.0; self.vectors + 1];
            for (row, value) in kernels.chunks_exact(self.vectors).zip(y) {
                sums.iter_mut().zip(row).for_each(|(sum, kernel)| *sum += kernel * value);
                sums[self.vectors] += value;
            }
            sums
        };
        let predicted = times(rest);
        let mut residual: Vec<f64> = self.decisions.iter().zip(predicted).map(|(f, own)| f - own).collect();
        let mut gradient = transposed_times(&residual);
        let mut direction = gradient.clone();
        let mut square = dot(&gradient, &gradient);
        let enough = 1e-16 * square;
        for _ in 0..ITERATIONS.min(2 * self.vectors + 2) {
            let change = times(&direction);
            let curvature = dot(&change, &change);
            if square <= enough || curvature == 0.0 {
                break;
            }
            let length = square / curvature;
            rest.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
            residual.iter_mut().zip(&change).for_each(|(r, c)| *r -= length * c);
            gradient = transposed_times(&residual);
            let new = dot(&gradient, &gradient);
            direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = g + new / square * *d);
            square = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::train;
    use crate::points::Blobs;

    fn trained() -> (Points, Trained) {
        let points = Blobs { points: 200, dimension: 6, classes: 2, seed: 8 }.points();
        let trained = train(&points, 0.1, 5.0);
        (points, trained)
    }

    #[test]
    fn gradients_match_differences() {
        let (points, trained) = trained();
        let imitation = Imitation::new(&trained, &points, 3);
        let mut rng = Rng::new(1, "gradient", 0);
        let x: Vec<f64> = (0..3 * 6 + 4).map(|_| rng.normal()).collect();
        let (mut gradient, mut ignored) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        imitation.error(&x, &mut gradient);
        for place in 0..x.len() {
            let mut at = |shift: f64| {
                let mut moved = x.clone();
                moved[place] += shift;
                imitation.error(&moved, &mut ignored)
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((difference - gradient[place]).abs() < 1e-6 * (1.0 + difference.abs()), "{place}");
        }
    }

    #[test]
    fn moved_vectors_imitate_better_than_chosen_ones() {
        let (points, trained) = trained();
        let distance = |machine: &Machine| {
            let square = |point: usize| {
                let off = machine.decision(points.row(point)) - trained.decisions[point];
                off * off
            };
            (0..points.count()).map(square).sum::<f64>() / points.count() as f64
        };
        let chosen = distance(&compress(&trained, &points, 10, 1));
        let moved = compress(&trained, &points, 10, 200);
        assert_eq!(moved.coefficients.len(), 10);
        assert!(distance(&moved) < 0.25 * chosen, "{} {chosen}", distance(&moved));
        let more = distance(&compress(&trained, &points, 40, 200));
        assert!(more < distance(&moved), "{more}");
    }

    #[test]
    fn a_machine_with_few_vectors_is_not_changed() {
        let (points, trained) = trained();
        let count = trained.machine.coefficients.len();
        assert_eq!(compress(&trained, &points, count, 10), trained.machine);
    }
}
