//! The candidates of all points, gathered table by table.

use super::Outcome;
use super::vote::{Nearest, most_frequent_class};
use crate::points::Points;

/// Pairs of points that have shared a bucket, and the nearest neighbours among them.
pub(super) struct Candidates<'a> {
    points: &'a Points,
    /// For each pair of points a > b, at bit a (a - 1) / 2 + b: whether they have shared a bucket.
    met: Vec<u64>,
    nearest: Nearest,
    otherwise: u32,
    /// Number of pairs that have shared a bucket.
    pairs: u64,
    /// Number of entries read in buckets.
    entries: u64,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(points: &'a Points) -> Self {
        let count = points.count();
        Self {
            points,
            met: vec![0; (count * count.saturating_sub(1) / 2).div_ceil(64)],
            nearest: Nearest::new(count),
            otherwise: most_frequent_class(points),
            pairs: 0,
            entries: 0,
        }
    }

    /// Adds a table: the bucket of each point. The function returns squared distances of points.
    pub(super) fn add_table(&mut self, buckets: &[u64], distance: &impl Fn(usize, usize) -> f64) {
        let mut order: Vec<u32> = (0..buckets.len() as u32).collect();
        order.sort_unstable_by_key(|&point| (buckets[point as usize], point));
        let count = buckets.len() as u64;
        for bucket in order.chunk_by(|&a, &b| buckets[a as usize] == buckets[b as usize]) {
            self.entries += bucket.len() as u64 * (bucket.len() as u64 - 1);
            if self.pairs == count * (count - 1) / 2 {
                continue;
            }
            for (place, &a) in bucket.iter().enumerate() {
                // Within a bucket, points are in increasing order.
                let row = a as usize * (a as usize).saturating_sub(1) / 2;
                for &b in &bucket[..place] {
                    let bit = row + b as usize;
                    let (word, mask) = (&mut self.met[bit / 64], 1 << (bit % 64));
                    if *word & mask == 0 {
                        *word |= mask;
                        self.pairs += 1;
                        self.nearest.meet(a as usize, b as usize, distance(a as usize, b as usize));
                    }
                }
            }
        }
    }

    /// Returns error and cost after this number of projections of each point.
    pub(super) fn outcome(&self, projections: usize) -> Outcome {
        let (count, dimension) = (self.points.count() as u64, self.points.dimension() as u64);
        Outcome {
            wrong: self.nearest.wrong(self.points, self.otherwise),
            points: count as u32,
            // Both points of a pair are queries, and compute their distance once each.
            operations: count * projections as u64 * dimension + self.entries + 2 * self.pairs * dimension,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_once_and_entries_every_time() {
        let points = Points::new(1, vec![0.0, 1.0, 2.0, 9.0], vec![0, 0, 1, 1]);
        let mut candidates = Candidates::new(&points);
        let distance = |a: usize, b: usize| points.squared_distance(a, b);
        // Without a candidate, every point gets class 0.
        assert_eq!(candidates.outcome(0), Outcome { wrong: 2, points: 4, operations: 0 });
        candidates.add_table(&[7, 7, 7, 1], &distance);
        // Points 0 and 1 see one neighbour of each class; the nearest decides, of equal ones the first.
        assert_eq!(candidates.outcome(3), Outcome { wrong: 2, points: 4, operations: 4 * 3 + 6 + 6 });
        candidates.add_table(&[7, 7, 1, 1], &distance);
        let after = candidates.outcome(6);
        assert_eq!(after.operations, 4 * 6 + (6 + 4) + 2 * 4, "the pair of 2 and 3 is new");
        assert_eq!(after.wrong, 1, "point 3 now knows point 2");
    }
}
