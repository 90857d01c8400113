//! Scrambled Sobol points.
//!
//! The sequence has 256 coordinates and 2^16 points. Further coordinates come in blocks of 256, each with its
//! own scrambling and its own order of points. Each block is as even as the first, but coordinates from
//! different blocks are paired at random. Further points start a new sequence with another scrambling.

use sobol_burley::{NUM_DIMENSIONS, sample};

use math::Rng;

/// Number of points in one sequence.
const SEQUENCE_LENGTH: usize = 1 << 16;

pub(super) fn points(count: usize, dimensions: usize, rng: &mut Rng) -> Vec<f64> {
    let block = NUM_DIMENSIONS as usize;
    let mut points = vec![0.0; count * dimensions];
    for run in (0..count).step_by(SEQUENCE_LENGTH) {
        let length = SEQUENCE_LENGTH.min(count - run);
        for first in (0..dimensions).step_by(block) {
            let scrambling = rng.bits() as u32;
            let mut order: Vec<usize> = (0..length).collect();
            if first > 0 {
                rng.shuffle(&mut order);
            }
            for (i, &index) in order.iter().enumerate() {
                for dimension in first..dimensions.min(first + block) {
                    let unit = sample(index as u32, (dimension - first) as u32, scrambling);
                    points[(run + i) * dimensions + dimension] = f64::from(unit);
                }
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_two_points_fills_every_slice_once() {
        let (n, d) = (64, 260);
        let points = points(n, d, &mut Rng::new(3, "sobol", 0));
        for j in 0..d {
            let mut slices: Vec<usize> = (0..n).map(|i| (points[i * d + j] * n as f64) as usize).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..n).collect::<Vec<_>>(), "coordinate {j}");
        }
    }

    #[test]
    fn blocks_of_coordinates_are_not_copies() {
        let points = points(16, 257, &mut Rng::new(3, "sobol", 0));
        assert!((0..16).any(|i| points[i * 257] != points[i * 257 + 256]));
    }
}
