//! First points: sets of configurations that cover a space evenly.
//!
//! A design is a set of points in the unit cube with one coordinate per parameter; each point is
//! turned into a configuration by the parameters' own laws. Where a point is forbidden, the
//! parameters concerned are drawn at random instead.

mod latin;
mod sobol;

use math::Rng;

use crate::{Configuration, SampleError, Space};

/// How points are spread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Design {
    /// Every point independent of the others.
    Uniform,
    /// In every coordinate one point in each of n equal slices.
    LatinHypercube,
    /// Scrambled Sobol sequence.
    Sobol,
}

impl Design {
    /// `count` points of the unit cube, point after point.
    pub fn points(self, count: usize, dimensions: usize, rng: &mut Rng) -> Vec<f64> {
        match self {
            Self::Uniform => (0..count * dimensions).map(|_| rng.unit()).collect(),
            Self::LatinHypercube => latin::points(count, dimensions, rng),
            Self::Sobol => sobol::points(count, dimensions, rng),
        }
    }

    /// `count` configurations of a space.
    pub fn configurations(
        self,
        space: &Space,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Configuration>, SampleError> {
        let dimensions = space.parameters().len().max(1);
        let points = self.points(count, dimensions, rng);
        points.chunks_exact(dimensions).map(|point| space.place(point, rng)).collect()
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
