//! Labelled points: the data of classifiers.
//!
//! | module | contents |
//! |---|---|
//! | [`libsvm`] | the text format of LIBSVM |
//! | [`blobs`](Blobs) | points that are generated from a name |

mod blobs;
pub mod libsvm;

pub use blobs::{Blobs, BlobsError};

use math::Rng;

/// Points of equal dimension, each with a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    dimension: usize,
    /// The coordinates of all points, one point after the other.
    coordinates: Vec<f64>,
    /// Classes, numbered from 0.
    labels: Vec<u32>,
}

impl Points {
    /// Returns points with these coordinates and classes.
    ///
    /// # Panics
    /// If the number of coordinates is not the dimension times the number of classes.
    pub fn new(dimension: usize, coordinates: Vec<f64>, labels: Vec<u32>) -> Self {
        assert_eq!(coordinates.len(), dimension * labels.len(), "every point needs all coordinates");
        Self { dimension, coordinates, labels }
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// Returns the number of coordinates of each point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the coordinates of a point.
    pub fn row(&self, point: usize) -> &[f64] {
        &self.coordinates[point * self.dimension..(point + 1) * self.dimension]
    }

    /// Returns the class of a point.
    pub fn label(&self, point: usize) -> u32 {
        self.labels[point]
    }

    /// Returns the number of classes: one more than the largest class.
    pub fn classes(&self) -> usize {
        self.labels.iter().max().map_or(0, |&largest| largest as usize + 1)
    }

    /// Returns the squared Euclidean distance of two points.
    pub fn squared_distance(&self, a: usize, b: usize) -> f64 {
        squared_distance(self.row(a), self.row(b))
    }

    /// Returns these points, in this order.
    pub fn select(&self, chosen: &[usize]) -> Self {
        Self {
            dimension: self.dimension,
            coordinates: chosen.iter().flat_map(|&point| self.row(point)).copied().collect(),
            labels: chosen.iter().map(|&point| self.labels[point]).collect(),
        }
    }

    /// Returns at most `count` points, drawn without replacement, in random order.
    pub fn sample(&self, count: usize, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..self.count()).collect();
        Rng::new(seed, "sample of points", 0).shuffle(&mut order);
        order.truncate(count);
        self.select(&order)
    }

    /// Returns the points with two classes: class 1 for the labels that `is_positive` accepts.
    pub fn in_two_classes(&self, is_positive: impl Fn(u32) -> bool) -> Self {
        let labels = self.labels.iter().map(|&label| u32::from(is_positive(label))).collect();
        Self { labels, ..self.clone() }
    }
}

/// Returns the squared Euclidean distance.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    sum_over_both(a, b, |x, y| (x - y) * (x - y))
}

/// Returns the scalar product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum_over_both(a, b, |x, y| x * y)
}

/// Sums a term over all coordinates, in eight partial sums that the compiler can compute side by side.
#[inline(always)]
fn sum_over_both(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(&x, &y)| term(x, y)).sum();
    let mut sums = [0.0; 8];
    for (x, y) in a_parts.zip(b_parts) {
        for lane in 0..8 {
            sums[lane] += term(x[lane], y[lane]);
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: u32) -> Points {
        Points::new(1, (0..count).map(f64::from).collect(), (0..count).map(|label| label % 3).collect())
    }

    #[test]
    fn sums_cover_every_coordinate() {
        for dimension in 0..20_u32 {
            let a: Vec<f64> = (0..dimension).map(f64::from).collect();
            let b = vec![1.0; dimension as usize];
            let expected = f64::from(dimension) * (f64::from(dimension) - 1.0) / 2.0;
            assert_eq!(dot(&a, &b), expected, "0 + 1 + ... + {dimension} - 1");
            let squares: f64 = a.iter().map(|x| (x - 1.0) * (x - 1.0)).sum();
            assert_eq!(squared_distance(&a, &b), squares);
        }
    }

    #[test]
    fn a_sample_keeps_each_point_with_its_class_at_most_once() {
        let sample = line(50).sample(20, 1);
        let mut places: Vec<u32> = (0..sample.count()).map(|point| sample.row(point)[0] as u32).collect();
        assert!((0..20).all(|point| sample.label(point) == places[point] % 3));
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 20);
        assert_ne!(sample, line(50).sample(20, 2));
        assert_eq!(line(5).sample(20, 1).count(), 5);
    }

    #[test]
    fn two_classes_replace_many() {
        let two = line(6).in_two_classes(|label| label == 2);
        assert_eq!((0..6).map(|point| two.label(point)).collect::<Vec<_>>(), [0, 0, 1, 0, 0, 1]);
        assert_eq!((line(6).classes(), two.classes()), (3, 2));
    }
}
