//! Quantiles of a series of numbers, interpolated linearly between neighbours.
//!
//! ```text
//! Q(q) = x_i + r (x_(i+1) - x_i),   i + r = q (n - 1),   0 <= r < 1
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | x_i | the sorted numbers, i = 0..n-1 |
//! | q | the share of the numbers below the quantile, 0 to 1 |
//!
//! This is the default of R and NumPy. The median of an even number of values is the mean of the two in the
//! middle.

/// Returns the quantile for the share `q` of numbers in ascending order. They may be `f64::INFINITY`.
///
/// # Panics
///
/// If there are no numbers, or `q` is not in [0, 1].
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    assert!(!sorted.is_empty(), "a quantile needs at least one number");
    assert!((0.0..=1.0).contains(&q), "the share must be in [0, 1], not {q}");
    let place = q * (sorted.len() - 1) as f64;
    let (at, rest) = (place.floor() as usize, place.fract());
    let low = sorted[at];
    match sorted.get(at + 1) {
        // The difference between two infinite neighbours would not be a number.
        Some(&high) if rest > 0.0 && high > low => low + rest * (high - low),
        _ => low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_match_a_calculation_by_hand() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!([0.0, 0.125, 0.5, 0.75, 1.0].map(|q| quantile(&sorted, q)), [1.0, 1.5, 4.0, 8.0, 16.0]);
        assert_eq!(quantile(&sorted[..4], 0.5), 3.0, "the mean of the two in the middle");
        assert_eq!([0.0, 0.3, 1.0].map(|q| quantile(&[7.0], q)), [7.0; 3]);
    }

    #[test]
    fn numbers_may_be_infinite() {
        let sorted = [1.0, f64::INFINITY, f64::INFINITY];
        let expected = [1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY];
        assert_eq!([0.0, 0.1, 0.6, 1.0].map(|q| quantile(&sorted, q)), expected);
    }

    #[test]
    #[should_panic(expected = "at least one number")]
    fn no_numbers_have_no_quantile() {
        quantile(&[], 0.5);
    }

    #[test]
    #[should_panic(expected = "the share must be in [0, 1]")]
    fn a_share_above_one_is_refused() {
        quantile(&[1.0, 2.0], 1.5);
    }
}
