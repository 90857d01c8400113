//! Hash tables with random projections.

use math::{Rng, mix};

use super::Outcome;
use super::candidates::Candidates;
use crate::points::{Points, dot};

/// Settings of the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hashing {
    /// Hash functions per table (j), at least 1.
    pub functions: usize,
    /// Tables (L), at least 1.
    pub tables: usize,
    /// Width of buckets (w), above 0.
    pub width: f64,
}

impl Hashing {
    /// Classifies every point by the others that it shares a bucket with.
    pub fn leave_one_out(&self, points: &Points, seed: u64) -> Outcome {
        let mut candidates = Candidates::new(points);
        for number in 0..self.tables {
            let mut buckets = Buckets::new(points, self.width, seed, number);
            (0..self.functions).for_each(|_| buckets.add_function());
            candidates.add_table(&buckets.keys, &|a, b| points.squared_distance(a, b));
        }
        candidates.outcome(self.functions * self.tables)
    }
}

/// The buckets of all points in one table. Functions are added one by one, so that a table with fewer
/// functions begins with the same ones.
pub(super) struct Buckets<'a> {
    points: &'a Points,
    width: f64,
    rng: Rng,
    /// A number for each bucket: points with different buckets have different numbers, except with a
    /// probability of about 2^-64.
    pub(super) keys: Vec<u64>,
}

impl<'a> Buckets<'a> {
    pub(super) fn new(points: &'a Points, width: f64, seed: u64, number: usize) -> Self {
        let rng = Rng::new(seed, "hash table", number as u64);
        Self { points, width, rng, keys: vec![0; points.count()] }
    }

    pub(super) fn add_function(&mut self) {
        let direction: Vec<f64> = (0..self.points.dimension()).map(|_| self.rng.normal()).collect();
        let shift = self.rng.unit() * self.width;
        for (point, key) in self.keys.iter_mut().enumerate() {
            let cell = ((dot(&direction, self.points.row(point)) + shift) / self.width).floor();
            // Twice, because a single mix of 0 is 0.
            *key = mix(mix(*key ^ 0x9e37_79b9_7f4a_7c15) ^ cell.to_bits());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbours::Exact;
    use crate::points::Blobs;

    fn blobs() -> Points {
        Blobs { points: 300, dimension: 8, classes: 4, seed: 1 }.points()
    }

    #[test]
    fn a_very_wide_bucket_is_an_exact_search() {
        let points = blobs();
        let exact = Exact::of(&points);
        let found = Hashing { functions: 2, tables: 1, width: 1e12 }.leave_one_out(&points, 3);
        assert_eq!(found.wrong, exact.outcome.wrong);
        assert_eq!(found.operations, exact.outcome.operations + 300 * 2 * 8 + 300 * 299);
    }

    #[test]
    fn collisions_have_the_probability_of_the_formula() {
        // Two points at the distance r share a bucket of one function with the probability
        // 1 - 2 Φ(-w/r) - 2 r (1 - exp(-w²/2r²)) / (sqrt(2π) w): 0.8005 for w = 4 r, and 0.6095 for w = 2 r.
        for (distance, expected) in [(1.0, 0.8005), (2.0, 0.6095)] {
            let points = Points::new(3, vec![0.0, 5.0, 0.0, 0.0, 5.0 + distance, 0.0], vec![0, 0]);
            let shared = (0..20_000).filter(|&number| {
                let mut buckets = Buckets::new(&points, 4.0, 1, number);
                buckets.add_function();
                buckets.keys[0] == buckets.keys[1]
            });
            let share = shared.count() as f64 / 20_000.0;
            assert!((share - expected).abs() < 0.012, "{distance}: {share}");
        }
    }

    #[test]
    fn functions_reduce_and_tables_add_candidates() {
        let points = blobs();
        let width = 4.0 * Exact::of(&points).nearest;
        let distances = |functions: usize, tables: usize| {
            let outcome = Hashing { functions, tables, width }.leave_one_out(&points, 5);
            outcome.operations - (300 * functions * tables * 8) as u64
        };
        let of_functions: Vec<u64> = [1, 3, 6, 12].map(|functions| distances(functions, 4)).to_vec();
        assert!(of_functions.is_sorted_by(|a, b| a > b), "{of_functions:?}");
        let of_tables: Vec<u64> = [1, 3, 6, 12].map(|tables| distances(8, tables)).to_vec();
        assert!(of_tables.is_sorted_by(|a, b| a < b), "{of_tables:?}");
    }

    #[test]
    fn the_seed_decides_and_results_match_the_recorded_ones() {
        let points = blobs();
        let search = Hashing { functions: 8, tables: 5, width: 6.0 };
        let found = search.leave_one_out(&points, 1);
        assert_eq!(found, search.leave_one_out(&points, 1));
        assert_ne!(found, search.leave_one_out(&points, 2));
        assert_eq!((found.wrong, found.operations), (88, 110_680));
    }
}
