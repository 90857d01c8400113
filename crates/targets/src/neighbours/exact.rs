//! The exact search, which compares all pairs of points.

use super::Outcome;
use super::vote::{Nearest, most_frequent_class};
use crate::points::Points;

/// Result of the exact search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exact {
    /// Error and cost.
    pub outcome: Outcome,
    /// Median distance of a point to its nearest neighbour. Copies of a point, which have the distance 0, do
    /// not count.
    pub nearest: f64,
}

impl Exact {
    /// Classifies every point by all others.
    pub fn of(points: &Points) -> Self {
        let (count, dimension) = (points.count(), points.dimension());
        let mut all = Nearest::new(count);
        let mut distinct = vec![f64::INFINITY; count];
        for a in 0..count {
            for b in 0..a {
                let distance = points.squared_distance(a, b);
                all.meet(a, b, distance);
                if distance > 0.0 {
                    distinct[a] = distinct[a].min(distance);
                    distinct[b] = distinct[b].min(distance);
                }
            }
        }
        let outcome = Outcome {
            wrong: all.wrong(points, most_frequent_class(points)),
            points: count as u32,
            operations: (count * count.saturating_sub(1) * dimension) as u64,
        };
        Self { outcome, nearest: median_root(distinct) }
    }
}

/// Returns the median distance to the nearest neighbour that is not a copy.
pub fn nearest_distance(points: &Points) -> f64 {
    Exact::of(points).nearest
}

fn median_root(mut squares: Vec<f64>) -> f64 {
    squares.sort_by(f64::total_cmp);
    squares.get(squares.len() / 2).map_or(0.0, |square| square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_do_not_count_as_nearest() {
        let points = Points::new(1, vec![0.0, 0.0, 3.0, 4.0, 14.0], vec![0; 5]);
        let exact = Exact::of(&points);
        // To the nearest other place: 3, 3, 1, 1 and 10.
        assert_eq!(exact.nearest, 3.0);
        assert_eq!(exact.outcome, Outcome { wrong: 0, points: 5, operations: 20 });
    }

    #[test]
    fn a_point_among_others_of_another_class_is_wrong() {
        let mut places: Vec<f64> = (0..20).map(f64::from).collect();
        places.extend((0..20).map(|place| f64::from(place) + 100.0));
        let mut labels = vec![0; 20];
        labels.extend([1; 20]);
        labels[10] = 1;
        assert_eq!(Exact::of(&Points::new(1, places, labels)).outcome.wrong, 1);
    }
}
