//! The Cholesky factor of a symmetric positive definite matrix.
//!
//! ```text
//! A = L Lᵀ
//! ```
//!
//! Matrices are stored in column-major order. A factor can be extended: adding a row takes n² operations,
//! whereas a new factor takes n³/3.

use crate::column::{Lower, Upper};
use crate::instructions::Instructions;
use crate::product::View;
use crate::triangle::Triangles;

/// Number of additional rows for which a factor reserves memory.
const RESERVED_ROWS: usize = 32;
/// Smallest number of right-hand sides that are solved together.
const SEVERAL: usize = 4;

/// The factor L, stored in the lower triangle of a square matrix.
#[derive(Clone, Debug)]
pub struct Factor {
    order: usize,
    /// Distance from one column to the next.
    stride: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// Factors a matrix, given as its lower triangle, after adding `added` to its diagonal; `None` if the sum
    /// is not positive definite.
    ///
    /// # Panics
    /// If the matrix is not square, or its diagonal is not as long as `added`.
    pub fn new(matrix: &[f64], added: &[f64]) -> Option<Self> {
        let order = added.len();
        assert_eq!(matrix.len(), order * order, "the matrix must be square");
        let stride = order + RESERVED_ROWS;
        let mut lower = vec![0.0; stride * order];
        for (from, to) in matrix.chunks_exact(order.max(1)).zip(lower.chunks_exact_mut(stride)) {
            to[..order].copy_from_slice(from);
        }
        added.iter().enumerate().for_each(|(at, added)| lower[at * stride + at] += added);
        let is_definite = Triangles::new(Instructions::best()).factor(&mut lower, view(stride), order);
        is_definite.then_some(Self { order, stride, lower })
    }

    fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.order).map(|at| self.lower[at * self.stride + at])
    }

    /// Returns ln det A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.diagonal().map(libm::log).sum::<f64>()
    }

    /// Replaces the columns of B with those of L⁻¹ B.
    ///
    /// # Panics
    /// If the last column is incomplete. The same holds for `solve` and `solve_upper`.
    pub fn solve_lower(&self, columns: &mut [f64]) {
        let (l, at) = (&self.lower[..], view(self.stride));
        match self.count(columns) {
            count if count < SEVERAL => {
                for x in columns.chunks_exact_mut(self.order.max(1)) {
                    Instructions::best().run(Lower { l, at, x });
                }
            }
            count => {
                let shape = [self.order, count];
                Triangles::new(Instructions::best()).lower((l, at), columns, view(self.order), shape);
            }
        }
    }

    /// Replaces the columns of B with those of A⁻¹ B.
    pub fn solve(&self, columns: &mut [f64]) {
        self.solve_lower(columns);
        self.solve_upper(columns);
    }

    /// Replaces the columns of B with those of L⁻ᵀ B.
    pub fn solve_upper(&self, columns: &mut [f64]) {
        let (l, at) = (&self.lower[..], view(self.stride));
        match self.count(columns) {
            count if count < SEVERAL => {
                for x in columns.chunks_exact_mut(self.order.max(1)) {
                    Instructions::best().run(Upper { l, at, x });
                }
            }
            count => {
                let shape = [self.order, count];
                Triangles::new(Instructions::best()).upper((l, at), columns, view(self.order), shape);
            }
        }
    }

    /// Returns the number of columns. Each has as many entries as the factor has rows.
    fn count(&self, columns: &[f64]) -> usize {
        let count = columns.len().checked_div(self.order).unwrap_or(0);
        assert_eq!(columns.len(), self.order * count, "the last column is incomplete");
        count
    }

    /// Returns the lower triangle of A⁻¹, with zeros above it.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.order;
        let triangles = Triangles::new(Instructions::best());
        let (mut inverse_of_factor, mut inverse) = (vec![0.0; n * n], vec![0.0; n * n]);
        triangles.invert((&self.lower, view(self.stride)), &mut inverse_of_factor, view(n), n);
        // −L⁻ᵀ L⁻¹; tiles that cross the diagonal are written completely.
        triangles.subtract_square(&mut inverse, &inverse_of_factor, view(n), n);
        for (column, entries) in inverse.chunks_exact_mut(n.max(1)).enumerate() {
            entries[..column].fill(0.0);
            entries[column..].iter_mut().for_each(|entry| *entry = -*entry);
        }
        inverse
    }

    /// Extends the matrix by one row and column; the last entry of `row` is on the diagonal. Returns `false`
    /// and leaves the factor unchanged if the larger matrix is not positive definite.
    ///
    /// # Panics
    /// If the row does not have one entry more than the matrix has rows.
    pub fn extend(&mut self, row: &[f64]) -> bool {
        let n = self.order;
        assert_eq!(
            row.len(),
            n + 1,
            "the row must have one entry for each existing row and one for the diagonal"
        );
        let mut last = row[..n].to_vec();
        self.solve_lower(&mut last);
        let left = row[n] - last.iter().map(|x| x * x).sum::<f64>();
        if !(left > 0.0 && left.is_finite()) {
            return false;
        }
        if n == self.stride {
            self.grow();
        }
        for (at, entry) in last.into_iter().enumerate() {
            self.lower[at * self.stride + n] = entry;
        }
        self.lower.resize((n + 1) * self.stride, 0.0);
        self.lower[n * self.stride + n] = left.sqrt();
        self.order = n + 1;
        true
    }

    fn grow(&mut self) {
        let stride = self.stride + self.stride / 2 + RESERVED_ROWS;
        let mut lower = vec![0.0; stride * self.order];
        for (from, to) in self.lower.chunks_exact(self.stride).zip(lower.chunks_exact_mut(stride)) {
            to[..self.stride].copy_from_slice(from);
        }
        (self.stride, self.lower) = (stride, lower);
    }
}

/// Returns the view of a whole column-major matrix.
const fn view(stride: usize) -> View {
    View { start: 0, down: 1, right: stride }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize) -> Vec<f64> {
        // Irregular numbers.
        let b: Vec<f64> = (0..n * n).map(|at| libm::sin(1e4 * libm::sqrt(2.0 + at as f64))).collect();
        let entry = |i: usize, j: usize| (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
        (0..n * n).map(|at| entry(at / n, at % n) + if at / n == at % n { 0.1 } else { 0.0 }).collect()
    }

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        let n = x.len();
        (0..n).map(|i| (0..n).map(|j| a[j * n + i] * x[j]).sum()).collect()
    }

    #[test]
    fn solutions_and_the_inverse_solve_the_system() {
        for n in [1, 2, 7, 40, 100] {
            let a = matrix(n);
            let factor = Factor::new(&a, &vec![0.0; n]).unwrap();
            let x: Vec<f64> = (0..n).map(|i| libm::sin(i as f64)).collect();
            let mut b = times(&a, &x);
            let lower = factor.inverse();
            let whole: Vec<f64> =
                (0..n * n).map(|at| lower[(at / n).min(at % n) * n + (at / n).max(at % n)]).collect();
            let by_inverse = times(&whole, &b);
            factor.solve(&mut b);
            for ((found, inverted), known) in b.iter().zip(&by_inverse).zip(&x) {
                assert!((found - known).abs() < 1e-8 && (inverted - known).abs() < 1e-8, "{n}");
            }
        }
    }

    #[test]
    fn an_extended_factor_is_the_factor_of_the_larger_matrix() {
        let n = 90;
        let a = matrix(n);
        let corner = |m: usize| -> Vec<f64> { (0..m * m).map(|at| a[at / m * n + at % m]).collect() };
        let mut grown = Factor::new(&corner(3), &[0.0; 3]).unwrap();
        for m in 3..n {
            let row: Vec<f64> = (0..=m).map(|j| a[m * n + j]).collect();
            assert!(grown.extend(&row));
        }
        let whole = Factor::new(&a, &vec![0.0; n]).unwrap();
        assert_eq!(grown.order, n);
        assert!((grown.log_determinant() - whole.log_determinant()).abs() < 1e-8);
        let (mut one, mut other) = (vec![1.0; 2 * n], vec![1.0; 2 * n]);
        grown.solve_lower(&mut one);
        whole.solve_lower(&mut other);
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        assert!(Factor::new(&[1.0, 2.0, 2.0, 1.0], &[0.0; 2]).is_none());
        assert!(Factor::new(&[f64::NAN], &[0.0]).is_none());
        let mut one = Factor::new(&[0.25], &[0.75]).unwrap();
        assert!(!one.extend(&[2.0, 1.0]) && one.order == 1);
        assert!(one.extend(&[0.5, 1.0]) && one.order == 2);
    }
}
