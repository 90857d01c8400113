//! The spread of repeated measurements.

use math::quantile;
use serde::Serialize;

/// The distribution of repeated measurements.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// Number of measurements.
    pub count: usize,
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The upper quartile.
    pub upper: f64,
    /// Standard deviation divided by mean; `None` for a single measurement, or if the mean is not positive.
    pub variation: Option<f64>,
}

/// Returns the spread of measurements; `None` if there are none.
pub fn spread(values: &[f64]) -> Option<Spread> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    if count == 0 {
        return None;
    }
    let mean = sorted.iter().sum::<f64>() / count as f64;
    let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    let variation = (count > 1 && mean > 0.0).then(|| (squares / (count - 1) as f64).sqrt() / mean);
    let [lower, median, upper] = [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share));
    Some(Spread { count, median, lower, upper, variation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_and_variation_match_values_computed_by_hand() {
        assert_eq!(spread(&[]), None);
        let one = spread(&[3.0]).unwrap();
        assert_eq!((one.count, one.median, one.lower, one.upper, one.variation), (1, 3.0, 3.0, 3.0, None));
        let five = spread(&[5.0, 1.0, 2.0, 4.0, 3.0]).unwrap();
        assert_eq!((five.median, five.lower, five.upper), (3.0, 2.0, 4.0));
        assert!((five.variation.unwrap() - 2.5f64.sqrt() / 3.0).abs() < 1e-12);
        let two = spread(&[1.0, 2.0]).unwrap();
        assert_eq!((two.median, two.lower, two.upper), (1.5, 1.25, 1.75));
        assert_eq!(spread(&[0.0, 0.0]).unwrap().variation, None);
    }
}
