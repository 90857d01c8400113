//! The values of a node's points as whole numbers, each packed together with its weight.
//!
//! ```text
//! packed_i = round((s_i - w_i ȳ) / u) 2^b + w_i,       u = Σ |s_i - w_i ȳ| / 2^min(52, 61 - b)
//! gain = D² / (w_left w_right),                       D = Σ_left without the lower b bits
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
    /// The bits of weights.
    low: i64,
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
        let bits = usize::BITS - all.leading_zeros();
        self.low = (1 << bits) - 1;
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
        let one = (self.low + 1) as f64;
        self.least = points.len() as f64 * one * one;
    }

    /// What it gains to have points of this sum on the left.
    #[inline]
    pub(super) fn gain(&self, left: i64) -> f64 {
        let off = (left & !self.low) as f64;
        off * off * self.worth[self.weight(left)]
    }

    /// How many points a sum is of.
    #[inline]
    pub(super) fn weight(&self, sum: i64) -> usize {
        (sum & self.low) as usize
    }

    /// The mean over a sum of at least one point, relative to that of the node.
    #[inline]
    pub(super) fn mean(&self, sum: i64) -> f64 {
        (sum & !self.low) as f64 * self.inverses[self.weight(sum)]
    }
}

/// To the nearest, halves away from nothing.
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

    /// Points of random weight, whose values have a size of their own.
    fn points(rng: &mut Rng, count: usize, size: f64) -> Vec<Sums> {
        let point = |_| {
            let weight = 1.0 + rng.below(4) as f64;
            [size * (3.0 + rng.normal()) * weight, weight]
        };
        (0..count).map(point).collect()
    }

    /// How much less the squares around the means of two sides sum up to than those around one mean,
    /// up to the weight of all.
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
    fn gains_rank_splits_by_the_squares_they_save() {
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
                        assert_eq!(packed.gain(left), 0.0, "nothing is parted");
                        continue;
                    }
                    let saved = reduction(&points, |place| chosen[place]);
                    let own = packed.gain(left) / saved;
                    let factor = *factor.get_or_insert(own);
                    // A split that saves next to nothing is known less well, relative to what it saves.
                    let share = packed.gain(left) / packed.least;
                    assert!(
                        (own / factor - 1.0).abs() < 1e-6 + 1.0 / share.sqrt(),
                        "{size} {count} {own} {factor}"
                    );
                }
            }
        }
    }

    #[test]
    fn both_sides_of_a_split_gain_the_same() {
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
    fn sides_of_too_few_points_gain_nothing() {
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
