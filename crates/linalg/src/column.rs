//! Solves for one right-hand side: x ← L⁻¹ x and x ← L⁻ᵀ x.
//!
//! Each entry of L is used once, so most of the time is spent reading L, column by column.

use crate::instructions::Work;
use crate::product::View;
use crate::triangle::subtract;
use crate::vector::Vector;

/// Number of partial sums in a dot product, fixed so that the bits of the result do not depend on the
/// processor.
const SUMS: usize = 32;

/// The computation x ← L⁻¹ x.
pub(crate) struct Lower<'a> {
    pub(crate) l: &'a [f64],
    pub(crate) at: View,
    pub(crate) x: &'a mut [f64],
}

impl Work for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const COLUMNS: usize>(self) {
        let Self { l, at, x } = self;
        for j in 0..x.len() {
            let column = &l[at.at(j, j).start..][..x.len() - j];
            let solved = x[j] / column[0];
            x[j] = solved;
            subtract(&mut x[j + 1..], &column[1..], solved);
        }
    }
}

/// The computation x ← L⁻ᵀ x.
pub(crate) struct Upper<'a> {
    pub(crate) l: &'a [f64],
    pub(crate) at: View,
    pub(crate) x: &'a mut [f64],
}

impl Work for Upper<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const COLUMNS: usize>(self) {
        let Self { l, at, x } = self;
        for j in (0..x.len()).rev() {
            let column = &l[at.at(j, j).start..][..x.len() - j];
            x[j] = (x[j] - dot(&column[1..], &x[j + 1..])) / column[0];
        }
    }
}

/// Returns the dot product.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<SUMS>(), b.as_chunks::<SUMS>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = a.mul_add(*b, *sum);
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum = a.mul_add(*b, *sum);
    }
    let mut count = SUMS;
    while count > 1 {
        count /= 2;
        let (low, high) = sums.split_at_mut(count);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
    }
    sums[0]
}
