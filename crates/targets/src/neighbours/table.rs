//! Outcomes of all numbers of functions and tables at once.
//!
//! Tables are added one by one, and functions to each table, so that the table of all outcomes costs about as
//! much as the search with most tables for each number of functions. Distances are computed once and kept.

use super::candidates::Candidates;
use super::hashing::Buckets;
use super::{Hashing, Outcome};
use crate::points::Points;

/// Outcomes for one seed.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    tables: usize,
    /// Those of one function first.
    outcomes: Vec<Outcome>,
}

impl Table {
    /// Computes the outcomes of all settings up to `most` functions and tables, with the width of `most`.
    pub fn of(points: &Points, distances: &Distances, most: Hashing, seed: u64) -> Self {
        let Hashing { functions, tables, width } = most;
        let mut all: Vec<Candidates<'_>> = (0..functions).map(|_| Candidates::new(points)).collect();
        let mut by_table = Vec::with_capacity(tables * functions);
        for number in 0..tables {
            let mut buckets = Buckets::new(points, width, seed, number);
            for (candidates, count) in all.iter_mut().zip(1..) {
                buckets.add_function();
                candidates.add_table(&buckets.keys, &|a, b| distances.squared(a, b));
                by_table.push(candidates.outcome(count * (number + 1)));
            }
        }
        let outcomes = (0..functions).flat_map(|j| by_table.iter().skip(j).step_by(functions)).copied();
        Self { tables, outcomes: outcomes.collect() }
    }

    /// Returns the outcome of a setting; both numbers begin at 1.
    pub fn get(&self, functions: usize, tables: usize) -> Outcome {
        self.outcomes[(functions - 1) * self.tables + tables - 1]
    }
}

/// The squared distances of all pairs.
pub struct Distances(Vec<f32>);

impl Distances {
    /// Computes all distances.
    pub fn of(points: &Points) -> Self {
        let row = |a: usize| (0..a).map(move |b| points.squared_distance(a, b) as f32);
        Self((0..points.count()).flat_map(row).collect())
    }

    fn squared(&self, a: usize, b: usize) -> f64 {
        let (high, low) = if a > b { (a, b) } else { (b, a) };
        f64::from(self.0[high * (high - 1) / 2 + low])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Blobs;

    #[test]
    fn the_table_holds_the_outcomes_of_single_searches() {
        let points = Blobs { points: 150, dimension: 6, classes: 3, seed: 4 }.points();
        let most = Hashing { functions: 7, tables: 9, width: 5.0 };
        let table = Table::of(&points, &Distances::of(&points), most, 11);
        for (functions, tables) in [(1, 1), (7, 9), (3, 4), (7, 1), (1, 9)] {
            let search = Hashing { functions, tables, ..most };
            assert_eq!(table.get(functions, tables), search.leave_one_out(&points, 11), "{search:?}");
        }
    }
}
