//! Latin hypercube: x_ij = (p_j(i) + v_ij) / n with a random permutation p_j of 0..n per coordinate j
//! and v_ij uniform, so that every slice [k/n, (k+1)/n) of every coordinate contains exactly one point.

use math::Rng;

pub(super) fn points(count: usize, dimensions: usize, rng: &mut Rng) -> Vec<f64> {
    let mut points = vec![0.0; count * dimensions];
    let mut slices: Vec<usize> = (0..count).collect();
    for dimension in 0..dimensions {
        rng.shuffle(&mut slices);
        for (point, &slice) in slices.iter().enumerate() {
            let unit = (slice as f64 + rng.unit()) / count as f64;
            // The sum can round up to the next slice, or beyond the unit interval for the last slice.
            points[point * dimensions + dimension] =
                unit.min(((slice + 1) as f64 / count as f64).next_down());
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slice_of_every_coordinate_contains_one_point() {
        let (n, d) = (17, 5);
        let points = points(n, d, &mut Rng::new(3, "latin", 0));
        for j in 0..d {
            let mut slices: Vec<usize> = (0..n).map(|i| (points[i * d + j] * n as f64) as usize).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..n).collect::<Vec<_>>());
        }
    }
}
