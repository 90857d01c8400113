//! The best split of a node's points on one column.
//!
//! Packed values are gathered in one bin per code, so nothing has to be sorted. Numbers in large nodes fill
//! most bins, so all bins are visited, without a branch. Small nodes have sorted points (see `subtree`). The
//! categories that occur are sorted by their means; in this order, the best of all subsets is a prefix.

use super::coded::Code;
use super::packed::Packed;

/// A split and its gain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Split {
    pub(super) gain: f64,
    /// For numbers: the last used bin on the left, and the first on the right. For categories, sorted by
    /// their means: the number of categories that go left.
    pub(super) left: usize,
    pub(super) right: usize,
}

/// Largest number of categories that are sorted by insertion sort.
const INSERTION_SORT_MAX: usize = 16;

/// Buffers for gathering; all zero between uses.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    sums: Vec<i64>,
    seen: Vec<u64>,
    /// Categories in the order of their means, after a search for a categorical split.
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

    /// Returns the best gap between numbers in the first `bins` bins, if it gains more than `min_gain`.
    #[inline]
    pub(super) fn gap(
        &mut self,
        codes: &[u8],
        bins: usize,
        rows: &[u32],
        packed: &Packed,
        min_gain: f64,
    ) -> Option<Split> {
        // An array that every `u8` code can index, so there is no bounds check for each point.
        let sums = <&mut [i64; 256]>::try_from(&mut self.sums[..256]).ok()?;
        for (&row, &value) in rows.iter().zip(&packed.values) {
            sums[usize::from(codes[row as usize])] += value;
        }
        let sums = &mut sums[..bins];
        let (mut gain, mut cut, mut left) = (min_gain, 0, 0);
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
            Split { gain, left: left.unwrap_or(0), right: right.unwrap_or(cut) }
        });
        sums.fill(0);
        found
    }

    /// Returns the best subset of fewer than 64 categories, a prefix of `order`, if it gains more than
    /// `min_gain`.
    #[inline]
    pub(super) fn subset_of_few(
        &mut self,
        codes: &[u8],
        rows: &[u32],
        packed: &Packed,
        min_gain: f64,
    ) -> Option<Split> {
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
        self.best_prefix(packed, min_gain)
    }

    /// Returns the same as [`subset_of_few`](Self::subset_of_few), but for any number of categories.
    #[inline]
    pub(super) fn subset<C: Code>(
        &mut self,
        codes: &[C],
        rows: &[u32],
        packed: &Packed,
        min_gain: f64,
    ) -> Option<Split> {
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
        self.best_prefix(packed, min_gain)
    }

    /// Sorts categories by their means and finds the best number of them to send left.
    #[inline]
    fn best_prefix(&mut self, packed: &Packed, min_gain: f64) -> Option<Split> {
        if self.order.len() <= INSERTION_SORT_MAX {
            insertion_sort(&mut self.order);
        } else {
            self.order.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        }
        let (mut gain, mut cut, mut left) = (min_gain, 0, 0);
        for (place, category) in self.order.iter().enumerate() {
            let own = packed.gain(left);
            if own > gain {
                (gain, cut) = (own, place);
            }
            left += category.sum;
        }
        (cut > 0).then_some(Split { gain, left: cut, right: cut })
    }
}

/// Sorts by mean; among equal means the lower code stays first.
#[inline]
fn insertion_sort(order: &mut [Category]) {
    for end in 1..order.len() {
        let own = order[end];
        let mut place = end;
        while place > 0 && own.mean < order[place - 1].mean {
            order[place] = order[place - 1];
            place -= 1;
        }
        order[place] = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Rng;

    #[test]
    fn no_subset_of_categories_gains_more_than_the_one_found() {
        let mut rng = Rng::new(1, "subsets", 0);
        for count in [2, 5, 11] {
            let codes: Vec<u8> = (0..60).map(|_| rng.below(count) as u8).collect();
            let points: Vec<[f64; 2]> = (0..60).map(|_| [rng.normal(), 1.0]).collect();
            let mean = points.iter().map(|[sum, _]| sum).sum::<f64>() / 60.0;
            let mut packed = Packed::default();
            packed.set(&points, mean, 60.0, 1.0);
            let rows: Vec<u32> = (0..60).collect();
            let gain = |set: u32| {
                let left = codes.iter().zip(&packed.values).filter(|&(&code, _)| (set >> code) & 1 == 1);
                packed.gain(left.map(|(_, value)| value).sum())
            };
            let most = (0..1 << count).map(gain).fold(0.0, f64::max);
            let mut bins = Bins::new(256);
            for found in [
                bins.subset_of_few(&codes, &rows, &packed, packed.min_gain),
                bins.subset(&codes, &rows, &packed, packed.min_gain),
            ] {
                let found = found.unwrap();
                // The exhaustive search may find another subset of equal gain, up to rounding.
                assert!((found.gain / most - 1.0).abs() < 1e-12, "{count}: {found:?} {most}");
                let set = bins.order[..found.left].iter().map(|category| 1 << category.code).sum();
                assert_eq!(gain(set), found.gain);
            }
        }
    }
}
