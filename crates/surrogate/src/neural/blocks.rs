//! Sums of sixteen lanes, several side by side.
//!
//! ```text
//! sums_j = Σ_k factor(k, j) vector_k        j = 1..N,  each a row of lanes
//! ```
//!
//! Every expensive computation in a network has this form. N sums are computed side by side: each vector is
//! loaded once for all of them, and no sum waits for its own previous product. Each sum adds its products in
//! order, so that its bits do not depend on N.

use crate::arithmetic::Arithmetic;
use crate::lanes::{LANES, Lanes};

/// An unrolled loop over the sums of a block. Compilers would vectorise a plain loop here instead of the
/// loops over lanes.
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
    each!(j in N { sums[j] = A::add_product(sums[j], factor(j), vector); });
}

/// A computation of many sums in blocks.
pub(super) trait Blocks {
    /// Computes N sums, beginning with sum `first`.
    fn block<A: Arithmetic, const N: usize>(&mut self, first: usize);

    /// Computes all sums in the largest blocks that fit into the registers. There are few block sizes,
    /// because each size is compiled for each instruction set. Layers of fifty units divide into blocks of
    /// ten or five.
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

/// A vector whose numbers begin at a cache-line boundary.
///
/// A clone may begin elsewhere, which only makes it slower.
#[derive(Clone, Debug)]
pub(super) struct Aligned {
    numbers: Vec<f32>,
    first: usize,
    len: usize,
}

impl Aligned {
    /// Returns `len` zeros.
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
