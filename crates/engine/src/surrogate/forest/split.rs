//! The best split of a node's points by one column.
//!
//! Packed values are gathered in one bin per code, so that nothing is sorted. Numbers in large nodes
//! fill most bins, so all are visited, without a branch; small nodes have their points in order (see
//! `subtree`). Of categories those in use are put in the order of their means, in which the best of
//! all subsets is a prefix.

use super::coded::Code;
use super::packed::Packed;

/// A split and what it gains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) gain: f64,
    /// Of numbers: the last bin on the left and the first on the right. Of categories: how many go
    /// left in the order of their means.
    pub(super) left: usize,
    pub(super) right: usize,
}

/// Bins to gather in; empty between uses.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    sums: Vec<i64>,
    seen: Vec<u64>,
    /// Categories in the order of their means, after a split by categories was sought.
    pub(super) order: Vec<Category>,
}

/// A category that a node has seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Category {
    mean: f64,
    sum: i64,
    pub(super) code: u32,
}

impl Bins {
    pub(super) fn new(codes: usize) -> Self {
        let codes = codes.max(256);
        Self { sums: vec![0; codes], seen: vec![0; codes.div_ceil(64)], order: Vec::new() }
    }

    /// The best gap between numbers in so many bins that gains more than `least`.
    #[inline]
    pub(super) fn gap(
        &mut self,
        codes: &[u8],
        bins: usize,
        rows: &[u32],
        packed: &Packed,
        least: f64,
    ) -> Option<Found> {
        // An array, since every code is a place of it: no test for each point.
        let sums = <&mut [i64; 256]>::try_from(&mut self.sums[..256]).ok()?;
        for (&row, &value) in rows.iter().zip(&packed.values) {
            sums[usize::from(codes[row as usize])] += value;
        }
        let sums = &mut sums[..bins];
        let (mut gain, mut cut, mut left) = (least, 0, 0);
        for (place, &sum) in sums.iter().enumerate() {
            let own = packed.gain(left);
            if own > gain {
                (gain, cut) = (own, place);
            }
            left += sum;
        }
        let found = (cut > 0).then(|| {
            let used = |&place: &usize| packed.weight(sums[place]) > 0;
            let (left, right) = ((0..cut).rev().find(used), (cut..bins).find(used));
            Found { gain, left: left.unwrap_or(0), right: right.unwrap_or(cut) }
        });
        sums.fill(0);
        found
    }

    /// The best subset of fewer than 64 categories that gains more than `least`; see `order`.
    #[inline]
    pub(super) fn subset_of_few(
        &mut self,
        codes: &[u8],
        rows: &[u32],
        packed: &Packed,
        least: f64,
    ) -> Option<Found> {
        let sums = <&mut [i64; 64]>::try_from(&mut self.sums[..64]).ok()?;
        let mut seen = 0_u64;
        for (&row, &value) in rows.iter().zip(&packed.values) {
            let code = codes[row as usize] & 63;
            sums[usize::from(code)] += value;
            seen |= 1 << code;
        }
        self.order.clear();
        while seen != 0 {
            let code = seen.trailing_zeros() & 63;
            seen &= seen - 1;
            let sum = std::mem::take(&mut sums[code as usize]);
            self.order.push(Category { mean: packed.mean(sum), sum, code });
        }
        self.prefix(packed, least)
    }

    /// The same of any categories.
    #[inline]
    pub(super) fn subset<C: Code>(
        &mut self,
        codes: &[C],
        rows: &[u32],
        packed: &Packed,
        least: f64,
    ) -> Option<Found> {
        for (&row, &value) in rows.iter().zip(&packed.values) {
            let code = codes[row as usize].index();
            self.sums[code] += value;
            self.seen[code / 64] |= 1 << (code % 64);
        }
        self.order.clear();
        for (word, bits) in self.seen.iter_mut().enumerate() {
            while *bits != 0 {
                let code = word * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                let sum = std::mem::take(&mut self.sums[code]);
                self.order.push(Category { mean: packed.mean(sum), sum, code: code as u32 });
            }
        }
        self.prefix(packed, least)
    }

    /// Puts categories in the order of their means and finds how many of them best go left.
    #[inline]
    fn prefix(&mut self, packed: &Packed, least: f64) -> Option<Found> {
        self.order.sort_unstable_by(|a, b| a.mean.total_cmp(&b.mean).then(a.code.cmp(&b.code)));
        let (mut gain, mut cut, mut left) = (least, 0, 0);
        for (place, category) in self.order.iter().enumerate() {
            let own = packed.gain(left);
            if own > gain {
                (gain, cut) = (own, place);
            }
            left += category.sum;
        }
        (cut > 0).then_some(Found { gain, left: cut, right: cut })
    }
}
