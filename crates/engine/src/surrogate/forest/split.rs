//! The best split of a node's points by one column.
//!
//! ```text
//! gain = D² / (w_left w_right),    D = Σ_left y - w_left ȳ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | y, ȳ | values of the node's points, their mean |
//! | w | points, by how often the tree has drawn them |
//!
//! The gain is the reduction of the sum of squares, up to a factor that all splits of a node share.
//! Sums are gathered in one bin per code. Large nodes fill most bins, so all are visited, without a
//! branch; of small ones only those in use, through a bitmap, so that nothing is ever sorted.
//! Categories are put in the order of their means, in which the best of all subsets is a prefix.

use super::coded::Code;

/// Sum of values, and points.
pub(super) type Sums = [f64; 2];

/// The points of one node.
#[derive(Clone, Copy)]
pub(super) struct NodePoints<'a> {
    pub(super) rows: &'a [u32],
    pub(super) sums: &'a [Sums],
    pub(super) mean: f64,
    pub(super) weight: f64,
    pub(super) min_leaf: f64,
}

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
    sums: Vec<Sums>,
    seen: Vec<u64>,
    /// Categories in the order of their means, after a split by categories was sought.
    pub(super) order: Vec<(f64, u32, Sums)>,
}

impl Bins {
    pub(super) fn new(codes: usize) -> Self {
        let codes = codes.max(256);
        Self { sums: vec![[0.0; 2]; codes], seen: vec![0; codes.div_ceil(64)], order: Vec::new() }
    }

    #[inline]
    fn gather<C: Code>(&mut self, codes: &[C], points: &NodePoints<'_>) {
        for (&row, &[sum, weight]) in points.rows.iter().zip(points.sums) {
            let code = codes[row as usize].index();
            let bin = &mut self.sums[code];
            bin[0] += sum;
            bin[1] += weight;
            self.seen[code / 64] |= 1 << (code % 64);
        }
    }

    /// Visits the bins in use in rising order and empties them.
    #[inline]
    fn drain(&mut self, most: usize, mut visit: impl FnMut(usize, Sums)) {
        let words = most.div_ceil(64).min(self.seen.len());
        for (word, bits) in self.seen[..words].iter_mut().enumerate() {
            while *bits != 0 {
                let code = word * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                visit(code, std::mem::take(&mut self.sums[code]));
            }
        }
    }

    /// The best gap between numbers in so many bins that gains more than `least`.
    #[inline]
    pub(super) fn by_number(
        &mut self,
        codes: &[u8],
        bins: usize,
        points: &NodePoints<'_>,
        least: f64,
    ) -> Option<Found> {
        // An array, since every code is a place of it: no test for each point.
        let sums = <&mut [Sums; 256]>::try_from(&mut self.sums[..256]).ok()?;
        if points.rows.len() * 2 >= bins {
            gap_of_many(sums, codes, bins, points, least)
        } else {
            gap_of_few(sums, codes, points, least)
        }
    }

    /// The best subset of categories that gains more than `least`; see `order`.
    #[inline]
    pub(super) fn by_category<C: Code>(
        &mut self,
        codes: &[C],
        points: &NodePoints<'_>,
        least: f64,
    ) -> Option<Found> {
        self.gather(codes, points);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        self.drain(C::MOST, |code, sums| order.push((sums[0] / sums[1], code as u32, sums)));
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let NodePoints { mean, weight, min_leaf, .. } = *points;
        let mut best = Found { gain: least, left: 0, right: 0 };
        let (mut left_sum, mut left_weight) = (0.0, 0.0);
        for (place, &(_, _, [sum, count])) in order.iter().enumerate() {
            let right_weight = weight - left_weight;
            if left_weight >= min_leaf && right_weight >= min_leaf {
                let off = left_sum - left_weight * mean;
                let share = left_weight * right_weight;
                if off * off > best.gain * share {
                    best = Found { gain: off * off / share, left: place, right: place };
                }
            }
            left_sum += sum;
            left_weight += count;
        }
        self.order = order;
        (best.gain > least).then_some(best)
    }
}

/// Visits all bins. An empty one changes nothing, so that it need not be told from the others.
#[inline]
fn gap_of_many(
    sums: &mut [Sums; 256],
    codes: &[u8],
    bins: usize,
    points: &NodePoints<'_>,
    least: f64,
) -> Option<Found> {
    for (&row, &[sum, weight]) in points.rows.iter().zip(points.sums) {
        let bin = &mut sums[usize::from(codes[row as usize])];
        bin[0] += sum;
        bin[1] += weight;
    }
    let NodePoints { mean, weight, min_leaf, .. } = *points;
    let sums = &mut sums[..bins];
    let (mut gain, mut cut) = (least, 0);
    let (mut left_sum, mut left_weight) = (0.0, 0.0);
    for (place, &[sum, count]) in sums.iter().enumerate() {
        let right_weight = weight - left_weight;
        let off = left_sum - left_weight * mean;
        let share = left_weight * right_weight;
        if off * off > gain * share && left_weight >= min_leaf && right_weight >= min_leaf {
            gain = off * off / share;
            cut = place;
        }
        left_sum += sum;
        left_weight += count;
    }
    let found = (cut > 0).then(|| {
        let used = |&place: &usize| sums[place][1] > 0.0;
        let (left, right) = ((0..cut).rev().find(used), (cut..bins).find(used));
        Found { gain, left: left.unwrap_or(0), right: right.unwrap_or(cut) }
    });
    sums.fill([0.0; 2]);
    found
}

/// Visits the bins in use.
#[inline]
fn gap_of_few(sums: &mut [Sums; 256], codes: &[u8], points: &NodePoints<'_>, least: f64) -> Option<Found> {
    let mut seen = [0u64; 4];
    for (&row, &[sum, weight]) in points.rows.iter().zip(points.sums) {
        let code = codes[row as usize];
        let bin = &mut sums[usize::from(code)];
        bin[0] += sum;
        bin[1] += weight;
        // All four words, so that they stay in registers.
        for (word, bits) in (0..).zip(&mut seen) {
            *bits |= u64::from(code / 64 == word) << (code % 64);
        }
    }
    let NodePoints { mean, weight, min_leaf, .. } = *points;
    let mut best = Found { gain: least, left: 0, right: 0 };
    let (mut left_sum, mut left_weight, mut previous) = (0.0, 0.0, 0);
    for (word, mut bits) in seen.into_iter().enumerate() {
        while bits != 0 {
            let code = (word * 64 + bits.trailing_zeros() as usize) & 255;
            bits &= bits - 1;
            let right_weight = weight - left_weight;
            let off = left_sum - left_weight * mean;
            let share = left_weight * right_weight;
            if off * off > best.gain * share && left_weight >= min_leaf && right_weight >= min_leaf {
                best = Found { gain: off * off / share, left: previous, right: code };
            }
            let [sum, count] = std::mem::take(&mut sums[code]);
            left_sum += sum;
            left_weight += count;
            previous = code;
        }
    }
    (best.gain > least).then_some(best)
}
