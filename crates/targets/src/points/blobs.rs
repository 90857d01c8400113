//! Generated points: each class consists of a few clusters, and the clusters of different classes overlap.
//!
//! ```text
//! x = centre of a random cluster + SPREAD * z,      centres and z standard normal
//! ```
//!
//! In 16 dimensions, the nearest neighbours of a point misjudge about one point in twenty.

use std::fmt;
use std::str::FromStr;

use math::Rng;

use super::Points;

/// Number of clusters of each class.
const CLUSTERS: usize = 3;
/// Standard deviation within a cluster; that of the centres is 1.
const SPREAD: f64 = 0.9;
/// Largest number of points and of coordinates.
const LARGEST: usize = 100_000;
/// Largest number of coordinates of all points together.
const MOST_COORDINATES: usize = 10_000_000;

/// The description of points to generate. It is written as `blobs:POINTS,DIMENSION,CLASSES,SEED`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blobs {
    /// Number of points.
    pub points: usize,
    /// Number of coordinates of each point.
    pub dimension: usize,
    /// Number of classes.
    pub classes: usize,
    /// Random seed for clusters and points.
    pub seed: u64,
}

impl Blobs {
    /// Generates the points.
    pub fn points(&self) -> Points {
        let mut rng = Rng::new(self.seed, "blobs", 0);
        let clusters = CLUSTERS * self.classes;
        let centres: Vec<f64> = (0..clusters * self.dimension).map(|_| rng.normal()).collect();
        let mut coordinates = Vec::with_capacity(self.points * self.dimension);
        let mut labels = Vec::with_capacity(self.points);
        for _ in 0..self.points {
            let cluster = rng.below(clusters);
            let centre = &centres[cluster * self.dimension..(cluster + 1) * self.dimension];
            coordinates.extend(centre.iter().map(|place| place + SPREAD * rng.normal()));
            labels.push((cluster % self.classes) as u32);
        }
        Points::new(self.dimension, coordinates, labels)
    }
}

/// A name that describes no points.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is not `blobs:POINTS,DIMENSION,CLASSES,SEED` with 2 to {LARGEST} points, 1 to {LARGEST} dimensions, 1 to \
     1000 classes, and at most {MOST_COORDINATES} coordinates in all"
)]
pub struct BlobsError(String);

impl FromStr for Blobs {
    type Err = BlobsError;

    fn from_str(name: &str) -> Result<Self, BlobsError> {
        let parsed = || {
            let words: Vec<&str> = name.strip_prefix("blobs:")?.split(',').collect();
            let [points, dimension, classes, seed] = words[..] else { return None };
            let within = |text: &str, least: usize, most: usize| {
                text.parse().ok().filter(|number| (least..=most).contains(number))
            };
            let blobs = Self {
                points: within(points, 2, LARGEST)?,
                dimension: within(dimension, 1, LARGEST)?,
                classes: within(classes, 1, 1000)?,
                seed: seed.parse().ok()?,
            };
            (blobs.points * blobs.dimension <= MOST_COORDINATES).then_some(blobs)
        };
        parsed().ok_or_else(|| BlobsError(name.to_owned()))
    }
}

impl fmt::Display for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blobs:{},{},{},{}", self.points, self.dimension, self.classes, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_describe_points() {
        let blobs: Blobs = "blobs:200,4,5,9".parse().unwrap();
        assert_eq!(blobs.to_string(), "blobs:200,4,5,9");
        let points = blobs.points();
        assert_eq!((points.count(), points.dimension(), points.classes()), (200, 4, 5));
        assert_ne!(points, Blobs { seed: 10, ..blobs }.points());
        for name in
            ["blobs:1,4,5,9", "blobs:9,4,5", "qwh:9,4,5,1", "blobs:9,0,5,1", "blobs:100000,100000,5,1"]
        {
            let error = name.parse::<Blobs>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{name}` is not `blobs:POINTS,DIMENSION,CLASSES,SEED`")),
                "{error}"
            );
        }
    }
}
