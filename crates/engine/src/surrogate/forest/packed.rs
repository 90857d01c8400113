//! The values of a node's points as whole numbers, each packed together with its weight.
//!
//! ```text
//! packed_i = round((s_i - w_i ȳ) / u) 2^b + w_i,       u = Σ |s_i - w_i ȳ| / 2^min(52, 61 - b)
//! gain = D² / (w_left w_right),                       D = Σ_left of the upper parts
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | s, w | sum of the values of a point's copies, and how many there are |
//! | ȳ, W | mean of the node, weight of all its points |
//! | b | bits that W needs |
//! | u | unit: sums of any points of the node fit into 64 bits |
//!
//! One addition gathers value and weight. The gain is the reduction of the sum of squares, up to a
//! factor that all splits of a node share. Sums of whole numbers do not depend on their order, and the
//! upper parts sum up to nothing: whoever divides the points in the same way finds the same gain,
//! through whichever column and from whichever side.

/// Sum of values, and how many they are.
pub(super) type Sums = [f64; 2];

/// What the splits of one node are judged by.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    bits: u32,
    /// In the order of the node's points.
    pub(super) values: Vec<i64>,
    /// For every weight on the left, 1 / (w_left w_right); nothing where a side has too few points.
    worth: Vec<f64>,
    /// Rounding can look like so much gain.
    pub(super) least: f64,
    /// 1 / w for every weight met so far.
    inverses: Vec<f64>,
}

impl Packed {
    /// Takes the points of a node that are not all alike.
    pub(super) fn set(&mut self, points: &[Sums], mean: f64, weight: f64, min_leaf: f64) {
        let (all, few) = (weight as usize, min_leaf as usize);
        self.bits = usize::BITS - all.leading_zeros();
        let off = |&[sum, weight]: &Sums| sum - weight * mean;
        let total: f64 = points.iter().map(|point| off(point).abs()).sum();
        let scale = (1_i64 << (61 - self.bits).min(52)) as f64 / total;
        self.values.clear();
        self.values.extend(points.iter().map(|point| round(off(point) * scale)));
        let rest: i64 = self.values.iter().sum();
        if let Some(first) = self.values.first_mut() {
            *first -= rest;
        }
        for (value, &[_, weight]) in self.values.iter_mut().zip(points) {
            *value = (*value << self.bits) + weight as i64;
        }
        let known = self.inverses.len();
        self.inverses.extend((known..=all).map(|weight| 1.0 / weight as f64));
        self.worth.clear();
        self.worth.resize(all + 1, 0.0);
        if all >= 2 * few {
            let (left, right) = (few..=all - few, self.inverses[few..=all - few].iter().rev());
            for ((worth, left), right) in
                self.worth[left.clone()].iter_mut().zip(&self.inverses[left]).zip(right)
            {
                *worth = left * right;
            }
        }
        self.least = points.len() as f64;
    }

    /// What it gains to have points of this sum on the left.
    #[inline]
    pub(super) fn gain(&self, left: i64) -> f64 {
        let off = (left >> self.bits) as f64;
        off * off * self.worth[self.weight(left)]
    }

    /// How many points a sum is of.
    #[inline]
    pub(super) fn weight(&self, sum: i64) -> usize {
        (sum & ((1 << self.bits) - 1)) as usize
    }

    /// The mean over a sum of at least one point, relative to that of the node.
    #[inline]
    pub(super) fn mean(&self, sum: i64) -> f64 {
        (sum >> self.bits) as f64 * self.inverses[self.weight(sum)]
    }
}

/// To the nearest, halves away from nothing.
#[inline]
fn round(value: f64) -> i64 {
    (value + 0.5_f64.copysign(value)) as i64
}
