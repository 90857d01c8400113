//! The Cholesky factor of a symmetric positive definite matrix.
//!
//! ```text
//! A = L Lᵀ
//! ```
//!
//! Matrices are stored column after column. A factor has room to grow: a row more takes n² operations, a
//! new factor n³/3.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};

/// Rows for which a factor keeps room.
const ROOM: usize = 32;

/// L, in the lower triangle of a square.
#[derive(Clone, Debug)]
pub struct Factor {
    order: usize,
    /// From one column to the next.
    stride: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// The factor of a matrix, of which the lower triangle is given, with something added to its diagonal;
    /// `None` if it is not positive definite.
    ///
    /// # Panics
    /// If there are not as many entries as in a square with this diagonal.
    pub fn new(matrix: &[f64], added: &[f64]) -> Option<Self> {
        let order = added.len();
        assert_eq!(matrix.len(), order * order, "a square");
        let stride = order + ROOM;
        let mut lower = vec![0.0; stride * order];
        for (from, to) in matrix.chunks_exact(order.max(1)).zip(lower.chunks_exact_mut(stride)) {
            to[..order].copy_from_slice(from);
        }
        added.iter().enumerate().for_each(|(at, added)| lower[at * stride + at] += added);
        let view = MatMut::from_column_major_slice_with_stride_mut(&mut lower, order, order, stride);
        let need = llt::factor::cholesky_in_place_scratch::<f64>(order, Par::Seq, Default::default());
        let factored = llt::factor::cholesky_in_place(
            view,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(need)),
            Default::default(),
        );
        let factor = Self { order, stride, lower };
        // What is not a number passes for positive.
        (factored.is_ok() && factor.diagonal().all(|entry| entry.is_finite() && entry > 0.0))
            .then_some(factor)
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice_with_stride(&self.lower, self.order, self.order, self.stride)
    }

    fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.order).map(|at| self.lower[at * self.stride + at])
    }

    /// ln det A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.diagonal().map(libm::log).sum::<f64>()
    }

    /// L⁻¹ B, in the place of the columns of B.
    ///
    /// # Panics
    /// If the last column is not whole; so do the other two.
    pub fn solve_lower(&self, columns: &mut [f64]) {
        let view = columns_of(columns, self.order);
        solve_lower_triangular_in_place(self.view(), view, Par::Seq);
    }

    /// A⁻¹ B, in the place of the columns of B.
    pub fn solve(&self, columns: &mut [f64]) {
        self.solve_lower(columns);
        self.solve_upper(columns);
    }

    /// L⁻ᵀ B, in the place of the columns of B.
    pub fn solve_upper(&self, columns: &mut [f64]) {
        solve_upper_triangular_in_place(self.view().transpose(), columns_of(columns, self.order), Par::Seq);
    }

    /// The lower triangle of A⁻¹; zeros above it.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.order;
        let mut inverse = vec![0.0; n * n];
        let need = llt::inverse::inverse_scratch::<f64>(n, Par::Seq);
        llt::inverse::inverse(
            columns_of(&mut inverse, n),
            self.view(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(need)),
        );
        inverse
    }

    /// The factor of a matrix with one row and column more, whose last entry is on the diagonal; `false`,
    /// and nothing changes, if that one is not positive definite.
    ///
    /// # Panics
    /// If the row has another length.
    pub fn extend(&mut self, row: &[f64]) -> bool {
        let n = self.order;
        assert_eq!(row.len(), n + 1, "one entry for each row, and the diagonal");
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
        let stride = self.stride + self.stride / 2 + ROOM;
        let mut lower = vec![0.0; stride * self.order];
        for (from, to) in self.lower.chunks_exact(self.stride).zip(lower.chunks_exact_mut(stride)) {
            to[..self.stride].copy_from_slice(from);
        }
        (self.stride, self.lower) = (stride, lower);
    }
}

/// Columns of so many rows, as faer sees them.
fn columns_of(columns: &mut [f64], rows: usize) -> MatMut<'_, f64> {
    let count = columns.len().checked_div(rows).unwrap_or(0);
    assert_eq!(columns.len(), rows * count, "whole columns");
    MatMut::from_column_major_slice_mut(columns, rows, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize) -> Vec<f64> {
        // Numbers without a pattern.
        let b: Vec<f64> = (0..n * n).map(|at| libm::sin(1e4 * libm::sqrt(2.0 + at as f64))).collect();
        let entry = |i: usize, j: usize| (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
        (0..n * n).map(|at| entry(at / n, at % n) + if at / n == at % n { 0.1 } else { 0.0 }).collect()
    }

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        let n = x.len();
        (0..n).map(|i| (0..n).map(|j| a[j * n + i] * x[j]).sum()).collect()
    }

    #[test]
    fn solutions_solve_and_the_inverse_is_one() {
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
    fn a_row_more_is_the_factor_of_the_larger_matrix() {
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
    fn what_is_not_positive_definite_has_none() {
        assert!(Factor::new(&[1.0, 2.0, 2.0, 1.0], &[0.0; 2]).is_none());
        assert!(Factor::new(&[f64::NAN], &[0.0]).is_none());
        let mut one = Factor::new(&[0.25], &[0.75]).unwrap();
        assert!(!one.extend(&[2.0, 1.0]) && one.order == 1);
        assert!(one.extend(&[0.5, 1.0]) && one.order == 2);
    }
}
