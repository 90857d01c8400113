//! Initial designs: sets of configurations that cover a space evenly.
//!
//! A design is a set of points in the unit cube with one coordinate per parameter. Each coordinate is
//! mapped to a value by the distribution of its parameter. If a point is forbidden, the parameters
//! concerned are drawn at random instead.

mod latin;
mod sobol;

use math::Rng;

use crate::{Configuration, SampleError, Space};

/// Distribution of the points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Design {
    /// Independent uniform points.
    Uniform,
    /// One point in each of n equal slices of every coordinate.
    LatinHypercube,
    /// Scrambled Sobol sequence.
    Sobol,
}

impl Design {
    /// Returns the coordinates of `count` points in the unit cube, one point after the other.
    pub fn points(self, count: usize, dimensions: usize, rng: &mut Rng) -> Vec<f64> {
        match self {
            Self::Uniform => (0..count * dimensions).map(|_| rng.unit()).collect(),
            Self::LatinHypercube => latin::points(count, dimensions, rng),
            Self::Sobol => sobol::points(count, dimensions, rng),
        }
    }

    /// Returns `count` configurations of a space.
    pub fn configurations(
        self,
        space: &Space,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Configuration>, SampleError> {
        let dimensions = space.parameters().len().max(1);
        let points = self.points(count, dimensions, rng);
        points.chunks_exact(dimensions).map(|point| space.configuration_at(point, rng)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_stay_in_the_unit_interval() {
        let mut rng = Rng::new(1, "design", 0);
        for design in [Design::Uniform, Design::LatinHypercube, Design::Sobol] {
            let points = design.points(33, 300, &mut rng);
            assert_eq!(points.len(), 33 * 300);
            assert!(points.iter().all(|u| (0.0..1.0).contains(u)), "{design:?}");
            assert!(design.points(0, 3, &mut rng).is_empty());
        }
    }
}
