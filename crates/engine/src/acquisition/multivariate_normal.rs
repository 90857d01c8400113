//! The probability that several dependent normal values are all below their bounds.
//!
//! ```text
//! P(X_1 <= b_1, ..., X_k <= b_k) = ∫ e_1 e_2(w_1) ... e_k(w_1, ..., w_k-1) dw          over [0, 1]^(k-1)
//! e_i = Φ((b_i - Σ_j<i l_ij y_j) / l_ii),   y_i = Φ⁻¹(w_i e_i),   R = L Lᵀ
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | X | standard normal values with correlations R |
//! | l_ij | the entries of the lower triangular matrix L |
//! | e_i | the probability that the i-th value is below its bound, given the values before it |
//! | w_i | the share of e_i that lies below the value y_i |
//!
//! The integral is computed as the mean over a fixed set of points, a Richtmyer lattice: evenly spaced in
//! w_1, and folded multiples of the square roots of primes in the other coordinates. The result is therefore
//! the same every time and a smooth function of the bounds. The values are processed one after another: the
//! next is always the one least likely to be below its bound, given the values before it, so that the later
//! factors vary little. Products are computed as sums of logarithms, so the result stays finite far out in
//! the tail.
//!
//! With 256 points, the logarithm is accurate to a few thousandths if no value is nearly a function of the
//! others and k is at most 10.
//!
//! A. Genz, Numerical Computation of Multivariate Normal Probabilities, Journal of Computational and
//! Graphical Statistics 1, 1992; the order follows G. Gibson, C. Glasbey, D. Elston, 1994.

use math::normal::{hazard, log_cdf, quantile_of_log};

/// Number of lattice points.
const POINTS: usize = 256;
/// The primes whose square roots generate the lattice. If there are more values than primes, the primes
/// repeat, and the points are less evenly spread.
const PRIMES: [f64; 12] = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0];
/// Smallest eigenvalue allowed in R. If values nearly determine each other, the integrand is almost a step
/// function, which a fixed set of points cannot approximate.
const LEAST_EIGENVALUE: f64 = 1e-4;
/// Number of bisection steps used to find the factor by which correlations are reduced.
const BISECTIONS: usize = 40;

/// The joint distribution of dependent standard normal values.
#[derive(Clone, PartialEq, Debug)]
pub struct MultivariateNormal {
    count: usize,
    /// The correlations R, row by row.
    correlation: Vec<f64>,
    /// ln w, point by point.
    log_shares: Vec<f64>,
}

impl MultivariateNormal {
    /// Creates the distribution of `count` values with these correlations, given row by row; the diagonal is
    /// taken as 1. If the correlations are impossible, or the values determine each other, all correlations
    /// are multiplied by the largest factor below 1 that avoids this.
    ///
    /// # Panics
    /// If the matrix is not square, or an entry is not between -1 and 1.
    pub fn new(correlation: &[f64], count: usize) -> Self {
        assert_eq!(correlation.len(), count * count, "the matrix must be square");
        assert!(correlation.iter().all(|r| r.abs() <= 1.0), "correlations must be between -1 and 1");
        let lowered = |share: f64| -> Vec<f64> {
            let entry =
                |at: usize| if at / count == at % count { 1.0 } else { (1.0 - share) * correlation[at] };
            (0..count * count).map(entry).collect()
        };
        let mut share = 0.0;
        if !is_definite(&lowered(share), count) {
            let (mut too_small, mut enough) = (0.0, 1.0);
            for _ in 0..BISECTIONS {
                let middle = (too_small + enough) / 2.0;
                let end = if is_definite(&lowered(middle), count) { &mut enough } else { &mut too_small };
                *end = middle;
            }
            share = enough;
        }
        Self { count, correlation: lowered(share), log_shares: log_lattice(count.saturating_sub(1)) }
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the correlation of two values, after any reduction.
    pub fn correlation(&self, one: usize, other: usize) -> f64 {
        self.correlation[one * self.count + other]
    }

    /// Returns the logarithm of the probability that each value is at most its bound. Bounds may be infinite.
    ///
    /// # Panics
    /// If the number of bounds differs from the number of values.
    pub fn log_cdf(&self, bounds: &[f64]) -> f64 {
        assert_eq!(bounds.len(), self.count, "each value needs a bound");
        if bounds.contains(&f64::NEG_INFINITY) {
            return f64::NEG_INFINITY;
        }
        let Sequence { order, factor } = self.sequence(bounds);
        let Some((&first, later)) = order.split_first() else { return 0.0 };
        // No value comes before the first one, so its factor is the same at all points.
        let log_first = log_cdf(bounds[first]);
        if later.is_empty() {
            return log_first;
        }
        let mut values = vec![0.0; self.count];
        let mut logs = Vec::with_capacity(POINTS);
        for log_shares in self.log_shares.chunks_exact(later.len()) {
            let (mut log_factor, mut log_product) = (log_first, 0.0);
            for (at, &index) in later.iter().enumerate() {
                values[at] = quantile_of_log(log_shares[at] + log_factor);
                let row = &factor[at + 1];
                log_factor = log_cdf((bounds[index] - dot(row, &values[..=at])) / row[at + 1]);
                log_product += log_factor;
            }
            logs.push(log_product);
        }
        log_first + log_mean_exp(&logs)
    }

    /// Returns the order of the values, and L with its rows in that order.
    fn sequence(&self, bounds: &[f64]) -> Sequence {
        let mut rows: Vec<Vec<f64>> = vec![Vec::with_capacity(self.count); self.count];
        let mut left: Vec<usize> = (0..self.count).collect();
        let mut order = Vec::with_capacity(self.count);
        // The expected values of the variables chosen so far, given that they are below their bounds.
        let mut expected: Vec<f64> = Vec::with_capacity(self.count);
        while !left.is_empty() {
            let standardised = |index: usize| {
                let row = &rows[index];
                let deviation = (1.0 - dot(row, row)).max(LEAST_EIGENVALUE).sqrt();
                ((bounds[index] - dot(row, &expected)) / deviation, deviation)
            };
            let each = left.iter().enumerate().map(|(place, &index)| (place, standardised(index)));
            let least = each.reduce(|least, next| if next.1.0 < least.1.0 { next } else { least });
            let Some((place, (z, deviation))) = least else { break };
            let index = left.remove(place);
            expected.push(-hazard(-z));
            for &other in &left {
                let entry = (self.correlation(other, index) - dot(&rows[other], &rows[index])) / deviation;
                rows[other].push(entry);
            }
            rows[index].push(deviation);
            order.push(index);
        }
        let factor = order.iter().map(|&index| std::mem::take(&mut rows[index])).collect();
        Sequence { order, factor }
    }
}

struct Sequence {
    order: Vec<usize>,
    /// L, row by row, up to the diagonal.
    factor: Vec<Vec<f64>>,
}

/// Returns the dot product. If the lengths differ, the rest of the longer slice is ignored.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Returns the logarithm of the mean of the exponentials of `logs`.
fn log_mean_exp(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum: f64 = logs.iter().map(|log| libm::exp(log - most)).sum();
    most + libm::log(sum / logs.len() as f64)
}

/// Returns whether all eigenvalues are above [`LEAST_EIGENVALUE`].
fn is_definite(matrix: &[f64], count: usize) -> bool {
    linalg::Factor::new(matrix, &vec![-LEAST_EIGENVALUE; count]).is_some()
}

/// Returns ln w for all lattice points.
fn log_lattice(coordinates: usize) -> Vec<f64> {
    let mut logs = Vec::with_capacity(POINTS * coordinates);
    for point in 0..POINTS {
        let place = point as f64 + 0.5;
        for coordinate in 0..coordinates {
            let share = match coordinate.checked_sub(1) {
                None => place / POINTS as f64,
                // Folding makes the function continuous across the ends of the interval.
                Some(at) => (2.0 * libm::modf(place * PRIMES[at % PRIMES.len()].sqrt()).0 - 1.0).abs(),
            };
            logs.push(libm::log(share));
        }
    }
    logs
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::normal::{cdf, log_density};
    use std::f64::consts::PI;

    fn equally(count: usize, r: f64) -> MultivariateNormal {
        MultivariateNormal::new(&vec![r; count * count], count)
    }

    fn assert_near(found: f64, known: f64, tolerance: f64, what: &str) {
        assert!((found - known).abs() <= tolerance, "{what}: {found}, not {known}");
    }

    #[test]
    fn one_value_has_the_normal_distribution_and_none_is_certain() {
        for z in [-40.0, -3.0, 0.0, 0.7, 5.0, f64::INFINITY] {
            assert_eq!(equally(1, 1.0).log_cdf(&[z]), log_cdf(z));
        }
        assert_eq!(equally(0, 1.0).log_cdf(&[]), 0.0);
    }

    #[test]
    fn probabilities_of_independent_values_are_multiplied() {
        let bounds = [0.3, -1.2, 2.0, -6.0, 0.0, 1.0, -0.4, 0.9, -30.0, f64::INFINITY];
        for count in 2..=bounds.len() {
            let known: f64 = bounds[..count].iter().map(|&z| log_cdf(z)).sum();
            let found = equally(count, 0.0).log_cdf(&bounds[..count]);
            assert_near(found, known, 1e-12 * known.abs(), &format!("{count}"));
        }
    }

    /// Returns ∫ φ(x) Φ((b - r x)/√(1 - r²)) dx from -∞ to a, computed by Simpson's rule.
    fn two(a: f64, b: f64, r: f64) -> f64 {
        let steps = 40_000;
        let low = a.min(0.0) - 12.0;
        let width = (a - low) / f64::from(steps);
        let at = |i: i32| {
            let x = low + f64::from(i) * width;
            libm::exp(log_density(x)) * cdf((b - r * x) / (1.0 - r * r).sqrt())
        };
        let inner: f64 = (1..steps).map(|i| if i % 2 == 1 { 4.0 * at(i) } else { 2.0 * at(i) }).sum();
        (at(0) + inner + at(steps)) * width / 3.0
    }

    #[test]
    fn two_values_match_the_closed_form_and_quadrature() {
        for r in [-0.99, -0.9, -0.5, -0.1, 0.3, 0.5, 0.9, 0.99] {
            let known = 0.25 + libm::asin(r) / (2.0 * PI);
            assert_near(two(0.0, 0.0, r), known, 1e-8, "quadrature");
            assert_near(equally(2, r).log_cdf(&[0.0, 0.0]), libm::log(known), 1e-3, &format!("at 0, {r}"));
            for bounds in [[0.5, -1.0], [-1.0, 0.5], [2.0, 1.0], [-3.0, -2.5], [-2.0, 4.0]] {
                let known = two(bounds[0], bounds[1], r);
                if known > 1e-11 {
                    let found = equally(2, r).log_cdf(&bounds);
                    assert_near(found, libm::log(known), 5e-3, &format!("{bounds:?} {r}"));
                }
            }
        }
    }

    #[test]
    fn three_values_match_the_closed_form() {
        for [a, b, c] in [[0.3, 0.3, 0.3], [0.9, 0.8, 0.6], [-0.4, 0.2, 0.5], [-0.3, -0.3, -0.3]] {
            let normal = MultivariateNormal::new(&[1.0, a, b, a, 1.0, c, b, c, 1.0], 3);
            let known = 0.125 + (libm::asin(a) + libm::asin(b) + libm::asin(c)) / (4.0 * PI);
            assert_near(normal.log_cdf(&[0.0; 3]), libm::log(known), 2e-3, &format!("{a} {b} {c}"));
        }
    }

    /// With all correlations equal to 1/2, this is the probability that a given one of k + 1 independent
    /// values is the largest.
    #[test]
    fn many_values_match_the_closed_form() {
        for count in 2..=10 {
            let known = -libm::log(count as f64 + 1.0);
            assert_near(equally(count, 0.5).log_cdf(&vec![0.0; count]), known, 5e-3, &format!("{count}"));
        }
    }

    #[test]
    fn for_identical_values_the_lowest_bound_counts() {
        for bounds in [[1.0, -0.5, 2.0], [-3.0, 0.0, -2.0], [-20.0, -19.0, 4.0]] {
            let least = bounds.iter().copied().fold(f64::INFINITY, f64::min);
            assert_near(equally(3, 1.0).log_cdf(&bounds), log_cdf(least), 1e-6, &format!("{bounds:?}"));
        }
        assert_near(equally(2, 1.0).log_cdf(&[0.2, 0.2]), log_cdf(0.2), 0.01, "equal bounds");
    }

    #[test]
    fn opposite_values_give_the_probability_between_their_bounds() {
        let opposite = MultivariateNormal::new(&[1.0, -1.0, -1.0, 1.0], 2);
        for [a, b] in [[0.5, 0.5], [1.0, 0.0], [-0.2, 1.5]] {
            let between = cdf(a) - cdf(-b);
            assert_near(opposite.log_cdf(&[a, b]), libm::log(between), 0.02, &format!("{a} {b}"));
        }
        let never = opposite.log_cdf(&[-1.0, -1.0]);
        assert!(never.is_finite() && never < -1000.0, "{never}");
    }

    #[test]
    fn the_tail_is_finite_and_the_ends_are_defined() {
        for r in [-0.4, 0.0, 0.7, 1.0] {
            for far in [-10.0, -40.0, -1000.0] {
                let normal = equally(3, r);
                let found = normal.log_cdf(&[far, far, 1.0]);
                assert!(found.is_finite() && found <= log_cdf(far), "{r} {far}: {found}");
                assert!(normal.log_cdf(&[far - 1.0, far, 1.0]) < found, "{r} {far}");
            }
            assert_eq!(equally(2, r).log_cdf(&[f64::NEG_INFINITY, 0.0]), f64::NEG_INFINITY);
            assert_near(equally(2, r).log_cdf(&[f64::INFINITY, -2.0]), log_cdf(-2.0), 1e-12, "one bound");
        }
    }

    #[test]
    fn impossible_correlations_are_lowered_as_little_as_needed() {
        // Three values cannot all be strongly anticorrelated: the smallest eigenvalue is 1 + 2 r.
        let lowered = equally(3, -0.8).correlation(0, 1);
        assert_near(lowered, -(1.0 - LEAST_EIGENVALUE) / 2.0, 1e-9, "as low as possible");
        assert_eq!(equally(3, -0.4).correlation(2, 1), -0.4, "possible correlations are kept");
        assert!(equally(3, -0.8).log_cdf(&[0.0; 3]).is_finite());
    }

    #[test]
    fn the_lattice_is_inside_the_unit_cube() {
        assert!(log_lattice(9).iter().all(|log| log.is_finite() && *log < 0.0));
    }
}
