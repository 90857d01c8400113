//! The nearest neighbours found so far for each point, and their vote.

use super::NEIGHBOURS;
use crate::points::Points;

/// A neighbour: its squared distance and its number.
type Neighbour = (f64, u32);

/// A place that is still free.
const NONE: Neighbour = (f64::INFINITY, u32::MAX);

/// The nearest neighbours of every point, nearest first.
pub(super) struct Nearest {
    found: Vec<[Neighbour; NEIGHBOURS]>,
}

impl Nearest {
    pub(super) fn new(points: usize) -> Self {
        Self { found: vec![[NONE; NEIGHBOURS]; points] }
    }

    /// Adds two points as neighbours of each other.
    pub(super) fn meet(&mut self, a: usize, b: usize, squared_distance: f64) {
        self.add(a, (squared_distance, b as u32));
        self.add(b, (squared_distance, a as u32));
    }

    /// Keeps the neighbour if it is among the nearest. Of equally distant ones, those with small numbers are
    /// kept, so that the order of additions does not matter.
    fn add(&mut self, point: usize, neighbour: Neighbour) {
        let found = &mut self.found[point];
        if neighbour >= found[NEIGHBOURS - 1] {
            return;
        }
        let place = found.partition_point(|other| *other < neighbour);
        found[place..].rotate_right(1);
        found[place] = neighbour;
    }

    /// Returns the number of points that their neighbours assign to a wrong class. Points without a neighbour
    /// get the class `otherwise`.
    pub(super) fn wrong(&self, points: &Points, otherwise: u32) -> u32 {
        let is_wrong =
            |point: &usize| self.class(*point, points).unwrap_or(otherwise) != points.label(*point);
        (0..points.count()).filter(is_wrong).count() as u32
    }

    /// Returns the class of most neighbours. Of classes with equally many, the one with the nearest neighbour
    /// wins.
    fn class(&self, point: usize, points: &Points) -> Option<u32> {
        let labels = || {
            let found = self.found[point].iter().take_while(|neighbour| neighbour.1 != u32::MAX);
            found.map(|neighbour| points.label(neighbour.1 as usize))
        };
        let votes = |label: u32| labels().filter(|other| *other == label).count();
        labels().reduce(|best, next| if votes(next) > votes(best) { next } else { best })
    }
}

/// Returns the most frequent class; of equally frequent ones, the smallest.
pub(super) fn most_frequent_class(points: &Points) -> u32 {
    let mut counts = vec![0usize; points.classes().max(1)];
    (0..points.count()).for_each(|point| counts[points.label(point) as usize] += 1);
    let best = (0..counts.len()).reduce(|best, next| if counts[next] > counts[best] { next } else { best });
    best.unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_wins_and_the_nearest_decides_ties() {
        let labels = vec![0, 1, 1, 2, 2, 0, 0];
        let points = Points::new(0, Vec::new(), labels);
        let mut nearest = Nearest::new(7);
        assert_eq!(nearest.class(0, &points), None);
        nearest.meet(0, 3, 2.0);
        nearest.meet(0, 1, 1.0);
        assert_eq!(nearest.class(0, &points), Some(1), "one vote each; point 1 is nearer");
        nearest.meet(0, 4, 3.0);
        assert_eq!(nearest.class(0, &points), Some(2));
        nearest.meet(0, 2, 2.5);
        assert_eq!(nearest.class(0, &points), Some(1), "two votes each");
        nearest.meet(0, 5, 0.5);
        nearest.meet(0, 6, 0.5);
        assert_eq!(nearest.class(0, &points), Some(0), "5, 6, 1, 3, 2: point 4 is now too far");
        assert_eq!(nearest.found[0].map(|(_, point)| point), [5, 6, 1, 3, 2]);
        assert_eq!(most_frequent_class(&points), 0);
    }
}
