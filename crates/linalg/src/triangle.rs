//! Recursive algorithms on a lower triangle.
//!
//! ```text
//! factor   A = L Lᵀ      L₁₁ = factor of A₁₁,  L₂₁ = A₂₁ L₁₁⁻ᵀ,  L₂₂ = factor of A₂₂ − L₂₁ L₂₁ᵀ
//! divide   B ← B L⁻ᵀ     B₁ ← B₁ L₁₁⁻ᵀ,  B₂ ← (B₂ − B₁ L₂₁ᵀ) L₂₂⁻ᵀ
//! lower    X ← L⁻¹ X     X₁ ← L₁₁⁻¹ X₁,  X₂ ← L₂₂⁻¹ (X₂ − L₂₁ X₁)
//! upper    X ← L⁻ᵀ X     X₂ ← L₂₂⁻ᵀ X₂,  X₁ ← L₁₁⁻ᵀ (X₁ − L₂₁ᵀ X₂)
//! ```
//!
//! Each algorithm splits the triangle in two until at most [`SMALL`] rows are left; a matrix product joins
//! the halves. Nearly all of the work is therefore done in [`product`].

use crate::instructions::{Instructions, Work};
use crate::product::{self, Part, Product, View};
use crate::vector::Vector;

/// Largest number of rows of a triangle that is not split.
const SMALL: usize = 24;
/// Width of the blocks in which products with a triangle skip its zeros.
const STRIP: usize = 96;
/// Number of right-hand sides that are solved at once: as many as the largest register holds.
const LANES: usize = 8;

/// The algorithms, with the instructions they use.
#[derive(Clone, Copy)]
pub(crate) struct Triangles {
    instructions: Instructions,
}

/// Returns the row at which to split, a multiple of [`SMALL`].
const fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(SMALL)
}

impl Triangles {
    /// Creates the algorithms with these instructions.
    pub(crate) fn new(instructions: Instructions) -> Self {
        Self { instructions }
    }

    /// Computes A ← L; returns `false` if A is not positive definite.
    pub(crate) fn factor(self, entries: &mut [f64], a: View, n: usize) -> bool {
        if n <= SMALL {
            return self.instructions.run(SmallFactor { entries, a, n });
        }
        let first = half(n);
        let (below, right) = (a.at(first, 0), a.at(first, first));
        if !self.factor(entries, a, first) {
            return false;
        }
        self.divide(entries, [below, a], [n - first, first]);
        let views = [right, below, below.transposed()];
        let shape = [n - first, first, n - first];
        product::subtract(
            self.instructions,
            entries,
            Product { a_in: None, b_in: None, views, shape, part: Part::Lower },
        );
        self.factor(entries, right, n - first)
    }

    /// Computes B ← B L⁻ᵀ, where B has m rows and is in the same slice as L.
    fn divide(self, entries: &mut [f64], [b, l]: [View; 2], [m, n]: [usize; 2]) {
        if n <= SMALL {
            return self.instructions.run(SmallDivide { entries, b, l, shape: [m, n] });
        }
        let first = half(n);
        let right = b.at(0, first);
        self.divide(entries, [b, l], [m, first]);
        let views = [right, b, l.at(first, 0).transposed()];
        let shape = [m, first, n - first];
        product::subtract(
            self.instructions,
            entries,
            Product { a_in: None, b_in: None, views, shape, part: Part::All },
        );
        self.divide(entries, [right, l.at(first, first)], [m, n - first]);
    }

    /// Computes X ← L⁻¹ X, where X has n rows and r columns.
    pub(crate) fn lower(self, l: (&[f64], View), entries: &mut [f64], x: View, [n, r]: [usize; 2]) {
        if n <= SMALL {
            return self.instructions.run(SmallSolve::<false> { l, entries, x, shape: [n, r] });
        }
        let first = half(n);
        let below = x.at(first, 0);
        self.lower(l, entries, x, [first, r]);
        let views = [below, l.1.at(first, 0), x];
        let shape = [n - first, first, r];
        product::subtract(
            self.instructions,
            entries,
            Product { a_in: Some(l.0), b_in: None, views, shape, part: Part::All },
        );
        self.lower((l.0, l.1.at(first, first)), entries, below, [n - first, r]);
    }

    /// Computes X ← L⁻ᵀ X, where X has n rows and r columns.
    pub(crate) fn upper(self, l: (&[f64], View), entries: &mut [f64], x: View, [n, r]: [usize; 2]) {
        if n <= SMALL {
            return self.instructions.run(SmallSolve::<true> { l, entries, x, shape: [n, r] });
        }
        let first = half(n);
        let below = x.at(first, 0);
        self.upper((l.0, l.1.at(first, first)), entries, below, [n - first, r]);
        let views = [x, l.1.at(first, 0).transposed(), below];
        let shape = [first, n - first, r];
        product::subtract(
            self.instructions,
            entries,
            Product { a_in: Some(l.0), b_in: None, views, shape, part: Part::All },
        );
        self.upper(l, entries, x, [first, r]);
    }

    /// Computes W ← L⁻¹, on and below the diagonal; W must be zero initially.
    pub(crate) fn invert(self, l: (&[f64], View), entries: &mut [f64], w: View, n: usize) {
        if n <= SMALL {
            for at in 0..n {
                entries[w.at(at, at).start] = 1.0;
            }
            return self.lower(l, entries, w, [n, n]);
        }
        let first = half(n);
        let (below, right) = (w.at(first, 0), w.at(first, first));
        self.invert(l, entries, w, first);
        for left in (0..first).step_by(STRIP) {
            let views = [below.at(0, left), l.1.at(first, left), w.at(left, left)];
            let shape = [n - first, first - left, STRIP.min(first - left)];
            product::subtract(
                self.instructions,
                entries,
                Product { a_in: Some(l.0), b_in: None, views, shape, part: Part::All },
            );
        }
        let l = (l.0, l.1.at(first, first));
        self.lower(l, entries, below, [n - first, first]);
        self.invert(l, entries, right, n - first);
    }

    /// Computes C ← C − Wᵀ W on and below the diagonal, for a lower triangle W.
    pub(crate) fn subtract_square(self, entries: &mut [f64], w: &[f64], at: View, n: usize) {
        for top in (0..n).step_by(STRIP) {
            let high = STRIP.min(n - top);
            let views = [at.at(top, 0), at.at(top, top).transposed(), at.at(top, 0)];
            let shape = [high, n - top, top + high];
            product::subtract(
                self.instructions,
                entries,
                Product { a_in: Some(w), b_in: Some(w), views, shape, part: Part::All },
            );
        }
    }
}

/// Largest number of vectors in a column of a small triangle.
const PARTS: usize = SMALL / 4;

/// Returns a column of a small triangle.
#[inline(always)]
fn load<V: Vector>(column: &[f64; SMALL]) -> [V; PARTS] {
    let mut parts = [V::zero(); PARTS];
    for part in 0..SMALL / V::LANES {
        parts[part] = V::load(&column[part * V::LANES..]);
    }
    parts
}

struct SmallFactor<'a> {
    entries: &'a mut [f64],
    a: View,
    n: usize,
}

impl Work for SmallFactor<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector, const COLUMNS: usize>(self) -> bool {
        let Self { entries, a, n } = self;
        let mut l = [[0.0; SMALL]; SMALL];
        for j in 0..n {
            l[j][j..n].copy_from_slice(&entries[a.at(j, j).start..][..n - j]);
        }
        for j in 0..n {
            let mut column: [V; PARTS] = load(&l[j]);
            for left in &l[..j] {
                let factor = V::splat(-left[j]);
                let left: [V; PARTS] = load(left);
                for part in 0..SMALL / V::LANES {
                    column[part] = left[part].times_plus(factor, column[part]);
                }
            }
            for part in 0..SMALL / V::LANES {
                column[part].store(&mut l[j][part * V::LANES..]);
            }
            let pivot = l[j][j].sqrt();
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let by = V::splat(pivot);
            for part in 0..SMALL / V::LANES {
                V::load(&l[j][part * V::LANES..]).over(by).store(&mut l[j][part * V::LANES..]);
            }
            l[j][j] = pivot;
            entries[a.at(j, j).start..][..n - j].copy_from_slice(&l[j][j..n]);
        }
        true
    }
}

struct SmallDivide<'a> {
    entries: &'a mut [f64],
    b: View,
    l: View,
    shape: [usize; 2],
}

impl Work for SmallDivide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const COLUMNS: usize>(self) {
        let Self { entries, b, l, shape: [m, n] } = self;
        let mut triangle = [[0.0; SMALL]; SMALL];
        for j in 0..n {
            triangle[j][j..n].copy_from_slice(&entries[l.at(j, j).start..][..n - j]);
        }
        let mut strip = [[0.0; SMALL]; SMALL];
        for top in (0..m).step_by(SMALL) {
            let high = SMALL.min(m - top);
            for j in 0..n {
                let column = &mut entries[b.at(top, j).start..][..high];
                strip[j][..high].copy_from_slice(column);
                let mut sums: [V; PARTS] = load(&strip[j]);
                for k in 0..j {
                    let factor = V::splat(-triangle[k][j]);
                    let left: [V; PARTS] = load(&strip[k]);
                    for part in 0..SMALL / V::LANES {
                        sums[part] = left[part].times_plus(factor, sums[part]);
                    }
                }
                let by = V::splat(triangle[j][j]);
                for part in 0..SMALL / V::LANES {
                    sums[part].over(by).store(&mut strip[j][part * V::LANES..]);
                }
                column.copy_from_slice(&strip[j][..high]);
            }
        }
    }
}

/// The computation X ← L⁻¹ X, or X ← L⁻ᵀ X if `UPPER` is true.
struct SmallSolve<'a, const UPPER: bool> {
    l: (&'a [f64], View),
    entries: &'a mut [f64],
    x: View,
    shape: [usize; 2],
}

impl<const UPPER: bool> Work for SmallSolve<'_, UPPER> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const COLUMNS: usize>(self) {
        let Self { l: (l, at), entries, x, shape: [n, r] } = self;
        let mut triangle = [[0.0; SMALL]; SMALL];
        for j in 0..n {
            let column = &l[at.at(j, j).start..][..n - j];
            for (i, &entry) in (j..n).zip(column) {
                // The factors of one step are stored next to each other.
                let (step, place) = if UPPER { (i, j) } else { (j, i) };
                triangle[step][place] = entry;
            }
        }
        // Each row of several right-hand sides takes one or two registers.
        let mut rows = [[0.0; LANES]; SMALL];
        for left in (0..r).step_by(LANES) {
            let wide = LANES.min(r - left);
            for column in 0..wide {
                let from = &entries[x.at(0, left + column).start..][..n];
                rows.iter_mut().zip(from).for_each(|(row, &entry)| row[column] = entry);
            }
            for step in 0..n {
                let j = if UPPER { n - 1 - step } else { step };
                let factors = &triangle[j];
                for part in 0..LANES / V::LANES {
                    let place = part * V::LANES;
                    let solved = V::load(&rows[j][place..]).over(V::splat(factors[j]));
                    solved.store(&mut rows[j][place..]);
                    let others = if UPPER { 0..j } else { j + 1..n };
                    for (row, &factor) in rows[others.clone()].iter_mut().zip(&factors[others]) {
                        let row = &mut row[place..];
                        solved.times_plus(V::splat(-factor), V::load(row)).store(row);
                    }
                }
            }
            for column in 0..wide {
                let to = &mut entries[x.at(0, left + column).start..][..n];
                rows.iter().zip(to).for_each(|(row, entry)| *entry = row[column]);
            }
        }
    }
}

/// Computes to ← to − factor · from.
#[inline(always)]
pub(crate) fn subtract(to: &mut [f64], from: &[f64], factor: f64) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = (-factor).mul_add(*from, *to));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{Lower, Upper};

    const WHOLE: fn(usize) -> View = |n| View { start: 0, down: 1, right: n };

    /// Returns an irregular positive definite matrix.
    fn matrix(n: usize) -> Vec<f64> {
        let b: Vec<f64> = (0..n * n).map(|at| libm::sin(1e4 * libm::sqrt(2.0 + at as f64))).collect();
        let entry = |i: usize, j: usize| (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
        (0..n * n).map(|at| entry(at / n, at % n) + if at / n == at % n { 1.0 } else { 0.0 }).collect()
    }

    /// Returns the results of all algorithms with one set of instructions.
    fn everything(instructions: Instructions, n: usize, r: usize) -> Vec<f64> {
        let triangles = Triangles::new(instructions);
        let mut l = matrix(n);
        assert!(triangles.factor(&mut l, WHOLE(n), n));
        for column in 0..n {
            l[column * n..column * n + column].fill(0.0);
        }
        let right: Vec<f64> = (0..n * r).map(|at| libm::cos(at as f64)).collect();
        let (mut lower, mut upper) = (right.clone(), right.clone());
        triangles.lower((&l, WHOLE(n)), &mut lower, WHOLE(n), [n, r]);
        triangles.upper((&l, WHOLE(n)), &mut upper, WHOLE(n), [n, r]);
        let (mut one, mut other) = (right[..n].to_vec(), right[..n].to_vec());
        instructions.run(Lower { l: &l, at: WHOLE(n), x: &mut one });
        instructions.run(Upper { l: &l, at: WHOLE(n), x: &mut other });
        let (mut inverse, mut square) = (vec![0.0; n * n], vec![0.0; n * n]);
        triangles.invert((&l, WHOLE(n)), &mut inverse, WHOLE(n), n);
        triangles.subtract_square(&mut square, &inverse, WHOLE(n), n);
        for column in 0..n {
            square[column * n..column * n + column].fill(0.0);
        }
        [l, lower, upper, one, other, inverse, square].concat()
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        for (n, r) in [(1, 1), (5, 3), (24, 8), (25, 9), (61, 17), (130, 30), (300, 5)] {
            let portable = everything(Instructions::Portable, n, r);
            for instructions in Instructions::available() {
                let found = everything(instructions, n, r);
                let differs = portable.iter().zip(&found).position(|(a, b)| a.to_bits() != b.to_bits());
                assert_eq!(differs, None, "{instructions:?}, order {n}, {r} right-hand sides");
            }
        }
    }

    /// The algorithm for several right-hand sides differs from the one for a single right-hand side.
    #[test]
    fn several_right_hand_sides_have_the_same_solutions_as_single_ones() {
        let (n, r) = (77, 11);
        let (triangles, best) = (Triangles::new(Instructions::best()), Instructions::best());
        let mut l = matrix(n);
        assert!(triangles.factor(&mut l, WHOLE(n), n));
        let right: Vec<f64> = (0..n * r).map(|at| libm::cos(at as f64)).collect();
        let (mut lower, mut upper) = (right.clone(), right.clone());
        triangles.lower((&l, WHOLE(n)), &mut lower, WHOLE(n), [n, r]);
        triangles.upper((&l, WHOLE(n)), &mut upper, WHOLE(n), [n, r]);
        for column in 0..r {
            let part = column * n..(column + 1) * n;
            let (mut one, mut other) = (right[part.clone()].to_vec(), right[part.clone()].to_vec());
            best.run(Lower { l: &l, at: WHOLE(n), x: &mut one });
            best.run(Upper { l: &l, at: WHOLE(n), x: &mut other });
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near(&one, &lower[part.clone()]) && near(&other, &upper[part]), "{column}");
        }
    }
}
