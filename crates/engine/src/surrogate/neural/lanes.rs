//! Loops over sixteen lanes, in the shape that compilers turn into vector instructions.
//!
//! ```text
//! sums_j = Σ_k factor(k, j) vector_k        j = 1..N,  each a row of lanes
//! ```
//!
//! Everything that takes time in a network is of this form. N sums are run side by side: each vector is
//! loaded once for all of them, and no sum waits for its own last product. Each adds its products in
//! their order, so that its bits do not depend on N.

use crate::surrogate::arithmetic::Arithmetic;

/// How many lanes.
pub(super) const LANES: usize = 16;

/// A number for each lane, aligned so that no load or store touches two cache lines.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

/// Sixteen rows.
pub(super) type Square = [Lanes; LANES];

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; LANES]);
    pub(super) const ONE: Self = Self([1.0; LANES]);

    /// self + factor x.
    #[inline(always)]
    pub(super) fn plus<A: Arithmetic>(mut self, factor: f32, x: &[f32; LANES]) -> Self {
        for (sum, &x) in self.0.iter_mut().zip(x) {
            *sum = A::fused(factor, x, *sum);
        }
        self
    }

    /// Lane by lane.
    #[inline(always)]
    pub(super) fn sum(mut self, other: &[f32; LANES]) -> Self {
        for (sum, &other) in self.0.iter_mut().zip(other) {
            *sum += other;
        }
        self
    }
}

/// How many rows of lanes so many numbers fill.
pub(super) fn lines(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// A loop over the sums of a block, written out: else compilers vectorise it instead of those over lanes.
macro_rules! each {
    ($j:ident in $N:ident $body:block) => {
        each!($j in $N $body 0 1 2 3 4 5 6 7 8 9);
    };
    ($j:ident in $N:ident $body:block $($number:literal)*) => {
        $(if $number < $N {
            let $j = $number;
            $body
        })*
    };
}
pub(super) use each;

/// Adds the next product to each of N sums.
#[inline(always)]
pub(super) fn add_products<A: Arithmetic, const N: usize>(
    sums: &mut [Lanes; N],
    vector: &[f32; LANES],
    factor: impl Fn(usize) -> f32,
) {
    each!(j in N { sums[j] = sums[j].plus::<A>(factor(j), vector); });
}

/// What computes many sums, some at a time.
pub(super) trait Blocks {
    /// The N sums from the first on.
    fn block<A: Arithmetic, const N: usize>(&mut self, first: usize);

    /// All of them, in the largest blocks that the registers hold. Few sizes, since each is compiled for each
    /// set of instructions: layers of fifty are whole blocks of ten or five.
    #[inline(always)]
    fn all<A: Arithmetic>(&mut self, count: usize) {
        let mut first = 0;
        macro_rules! in_blocks_of {
            ($($size:literal)*) => {
                $(if $size <= A::SUMS {
                    while count - first >= $size {
                        self.block::<A, $size>(first);
                        first += $size;
                    }
                })*
            };
        }
        in_blocks_of!(10 5 2 1);
    }
}

/// Numbers that begin where a cache line does.
///
/// Copies may begin elsewhere, which costs time and nothing else.
#[derive(Clone, Debug)]
pub(super) struct Aligned {
    numbers: Vec<f32>,
    first: usize,
    len: usize,
}

impl Aligned {
    /// So many zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let numbers = vec![0.0; len + LANES];
        let first = numbers.as_ptr().align_offset(align_of::<Lanes>()).min(LANES);
        Self { numbers, first, len }
    }
}

impl std::ops::Deref for Aligned {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.numbers[self.first..][..self.len]
    }
}

impl std::ops::DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.first..][..self.len]
    }
}

impl PartialEq for Aligned {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Rows become columns; rows that are missing are nothing.
///
/// Four riffles of all 256 numbers turn their places by half of their bits.
#[inline(always)]
pub(super) fn turn(rows: &[Lanes], turned: &mut Square) {
    let mut one = [Lanes::ZERO; LANES];
    for (to, from) in one.iter_mut().zip(rows) {
        *to = *from;
    }
    let mut other = [Lanes::ZERO; LANES];
    riffle(&one, &mut other);
    riffle(&other, &mut one);
    riffle(&one, &mut other);
    riffle(&other, turned);
}

/// The numbers of the first half between those of the second.
#[inline(always)]
fn riffle(from: &Square, to: &mut Square) {
    const HALF: usize = LANES / 2;
    for row in 0..HALF {
        let (first, second) = (from[row].0, from[row + HALF].0);
        for half in 0..2 {
            let out = &mut to[2 * row + half].0;
            for lane in 0..HALF {
                out[2 * lane] = first[half * HALF + lane];
                out[2 * lane + 1] = second[half * HALF + lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let rows: Vec<Lanes> =
            (0..13).map(|row| Lanes(std::array::from_fn(|lane| (100 * row + lane + 1) as f32))).collect();
        let mut turned = [Lanes::ONE; LANES];
        turn(&rows, &mut turned);
        for (lane, column) in turned.iter().enumerate() {
            for (row, &found) in column.0.iter().enumerate() {
                let right = if row < 13 { (100 * row + lane + 1) as f32 } else { 0.0 };
                assert_eq!(found, right, "{row} {lane}");
            }
        }
    }
}
