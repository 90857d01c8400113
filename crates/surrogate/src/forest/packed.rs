//! The values of a node's points as integers, each packed together with its weight.
//!
//! ```text
//! packed_i = round((s_i - w_i ȳ) / u) 2^b + w_i,       u = Σ |s_i - w_i ȳ| / 2^min(52, 61 - b)
//! gain = D² / (w_left w_right),                       D = Σ_left without the lower b bits
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | s, w | sum of the values of a point's copies, and their number |
//! | ȳ, W | mean of the node, and total weight of its points |
//! | b | number of bits that W needs |
//! | u | unit, chosen so that the sum of any points of the node fits into 64 bits |
//!
//! One addition sums both value and weight. The gain is the reduction of the sum of squares, up to a factor
//! that all splits of a node share. Sums of integers do not depend on their order, and the upper parts of all
//! points sum to zero. So the same partition of the points has the same gain, whichever column it comes from
//! and whichever side is called left.

/// Sum of the values, and their number.
pub(super) type Sums = [f64; 2];

/// The values of a node's points, in the form used to compute the gains of splits.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    /// Mask of the lower bits, which hold the weight.
    weight_mask: i64,
    /// Packed values in the order of the node's points.
    pub(super) values: Vec<i64>,
    /// 1 / (w_left w_right) for every weight on the left; 0 where a side has too few points.
    factors: Vec<f64>,
    /// Largest gain that may be a rounding error.
    pub(super) min_gain: f64,
    /// 1 / w for every weight encountered so far.
    inverses: Vec<f64>,
}

impl Packed {
    /// Packs the points of a node, which must not all be equal.
    pub(super) fn set(&mut self, points: &[Sums], mean: f64, weight: f64, min_leaf: f64) {
        let (all, few) = (weight as usize, min_leaf as usize);
        let bits = usize::BITS - all.leading_zeros();
        self.weight_mask = (1 << bits) - 1;
        let off = |&[sum, weight]: &Sums| sum - weight * mean;
        let total: f64 = points.iter().map(|point| off(point).abs()).sum();
        let scale = (1_i64 << (61 - bits).min(52)) as f64 / total;
        self.values.clear();
        self.values.extend(points.iter().map(|point| round(off(point) * scale)));
        let rest: i64 = self.values.iter().sum();
        if let Some(first) = self.values.first_mut() {
            *first -= rest;
        }
        for (value, &[_, weight]) in self.values.iter_mut().zip(points) {
            *value = (*value << bits) + weight as i64;
        }
        let known = self.inverses.len();
        self.inverses.extend((known..=all).map(|weight| 1.0 / weight as f64));
        self.factors.clear();
        self.factors.resize(all + 1, 0.0);
        if all >= 2 * few {
            let (left, right) = (few..=all - few, self.inverses[few..=all - few].iter().rev());
            for ((factor, left), right) in
                self.factors[left.clone()].iter_mut().zip(&self.inverses[left]).zip(right)
            {
                *factor = left * right;
            }
        }
        let one = (self.weight_mask + 1) as f64;
        self.min_gain = points.len() as f64 * one * one;
    }

    /// Returns the gain of a split whose left side has this packed sum.
    #[inline]
    pub(super) fn gain(&self, left: i64) -> f64 {
        let off = (left & !self.weight_mask) as f64;
        off * off * self.factors[self.weight(left)]
    }

    /// Returns the weight in a packed sum.
    #[inline]
    pub(super) fn weight(&self, sum: i64) -> usize {
        (sum & self.weight_mask) as usize
    }

    /// Returns the mean of a packed sum of at least one point, relative to the mean of the node.
    #[inline]
    pub(super) fn mean(&self, sum: i64) -> f64 {
        (sum & !self.weight_mask) as f64 * self.inverses[self.weight(sum)]
    }
}

/// Rounds to the nearest integer; ties are rounded away from zero.
#[inline]
fn round(value: f64) -> i64 {
    (value + 0.5_f64.copysign(value)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Rng;

    fn packed(points: &[Sums], min_leaf: f64) -> Packed {
        let [sum, weight] = points.iter().fold([0.0; 2], |[s, w], [t, v]| [s + t, w + v]);
        let mut packed = Packed::default();
        packed.set(points, sum / weight, weight, min_leaf);
        packed
    }

    /// Returns points with random weights whose values have the given order of magnitude.
    fn points(rng: &mut Rng, count: usize, size: f64) -> Vec<Sums> {
        let point = |_| {
            let weight = 1.0 + rng.below(4) as f64;
            [size * (3.0 + rng.normal()) * weight, weight]
        };
        (0..count).map(point).collect()
    }

    /// Returns the reduction in the sum of squared deviations that a split gives, divided by the total
    /// weight.
    fn reduction(points: &[Sums], left: impl Fn(usize) -> bool) -> f64 {
        let side = |wanted: bool| {
            let own = points.iter().enumerate().filter(|&(place, _)| left(place) == wanted);
            own.fold([0.0; 2], |[s, w], (_, [t, v])| [s + t, w + v])
        };
        let ([a, v], [b, w]) = (side(true), side(false));
        let off = a - v * (a + b) / (v + w);
        off * off / (v * w)
    }

    #[test]
    fn gains_are_proportional_to_the_reduction_of_squares() {
        let mut rng = Rng::new(1, "packed", 0);
        for size in [1e-120, 1e-9, 1.0, 1e140] {
            for count in [2, 7, 60, 3000] {
                let points = points(&mut rng, count, size);
                let packed = packed(&points, 1.0);
                let mut factor = None;
                for _ in 0..50 {
                    let chosen: Vec<bool> = (0..count).map(|_| rng.below(2) == 0).collect();
                    let left = packed.values.iter().zip(&chosen).filter(|&(_, &chosen)| chosen);
                    let left: i64 = left.map(|(value, _)| value).sum();
                    if chosen.iter().all(|&one| one == chosen[0]) {
                        assert_eq!(packed.gain(left), 0.0, "all points are on one side");
                        continue;
                    }
                    let reduced = reduction(&points, |place| chosen[place]);
                    let own = packed.gain(left) / reduced;
                    let factor = *factor.get_or_insert(own);
                    // The smaller the gain, the larger its relative rounding error.
                    let share = packed.gain(left) / packed.min_gain;
                    assert!(
                        (own / factor - 1.0).abs() < 1e-6 + 1.0 / share.sqrt(),
                        "{size} {count} {own} {factor}"
                    );
                }
            }
        }
    }

    #[test]
    fn swapping_the_sides_of_a_split_keeps_its_gain() {
        let mut rng = Rng::new(2, "packed", 0);
        for count in [3, 20, 500] {
            let points = points(&mut rng, count, 1.0);
            let packed = packed(&points, 1.0);
            let all: i64 = packed.values.iter().sum();
            let mut left = 0;
            for &value in &packed.values {
                left += value;
                assert_eq!(packed.gain(left), packed.gain(all - left));
            }
            assert_eq!(packed.weight(all) as f64, points.iter().map(|[_, weight]| weight).sum::<f64>());
        }
    }

    #[test]
    fn splits_with_too_few_points_on_a_side_gain_nothing() {
        let packed = packed(&[[0.0, 1.0], [1.0, 1.0], [5.0, 1.0], [6.0, 2.0], [9.0, 1.0]], 2.0);
        let mut left = 0;
        let gains: Vec<bool> = packed
            .values
            .iter()
            .map(|value| {
                left += value;
                packed.gain(left) > 0.0
            })
            .collect();
        assert_eq!(gains, [false, true, true, false, false]);
    }
}
