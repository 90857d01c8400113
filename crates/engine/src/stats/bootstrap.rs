//! The bootstrap interval for a ratio of means.
//!
//! Each resample draws as many units as there are, with replacement, and gives one ratio. The ratios of B
//! resamples are sorted. The interval extends from the ratio of rank r to that of rank B + 1 - r.
//!
//! ```text
//! r = floor((B + 1) tail(n)), at least 1
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | B | number of resamples |
//! | n | number of units |
//! | tail(n) | the share cut off at either end, less than 2.5 % (see `student`) |
//!
//! The method was chosen by its coverage: how often the interval contains the true ratio, in % of 2000
//! simulated data sets. The left columns are for log-normal costs with sigma 1.8. The right columns are for
//! the same costs, but with a fifth of them timeouts, which count as 10 times the cutoff (true ratio 1.36):
//!
//! | n | percentile | expanded tails | BCa | log t || percentile | expanded tails | BCa | log t |
//! |---|---|---|---|---|---|---|---|---|---|
//! | 5 | 81 | 92 | 78 | 74 || 80 | 93 | 77 | 61 |
//! | 10 | 87 | 92 | 82 | 76 || 83 | 91 | 82 | 74 |
//! | 20 | 88 | 92 | 82 | 80 || 88 | 90 | 88 | 89 |
//! | 50 | 92 | 93 | 87 | 86 || 94 | 94 | 95 | 96 |
//!
//! Expanded tails are best in nearly all cases. BCa estimates a skewness from too few values, so its
//! intervals are shorter where they should be longer. With fewer than five units no interval is reliable: the
//! coverage is 88 % with four and 75 % with three.

use math::Rng;
use math::student;

use super::Interval;

/// Smallest number of units for which an interval is computed.
const FEWEST: usize = 5;

/// Returns the interval for `statistic` over resampled `units`; `None` if there are too few units.
pub(super) fn interval<T: Copy>(
    units: &[T],
    statistic: impl Fn(&[T]) -> f64,
    resamples: usize,
    rng: &mut Rng,
) -> Option<Interval> {
    let n = units.len();
    if n < FEWEST {
        return None;
    }
    let mut drawn = units.to_vec();
    let mut values = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        for place in &mut drawn {
            *place = units[rng.below(n)];
        }
        values.push(statistic(&drawn));
    }
    values.sort_by(f64::total_cmp);
    let rank = (((resamples + 1) as f64 * student::expanded_tail(n)) as usize).max(1);
    Some(Interval { low: values[rank - 1], high: values[resamples - rank] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn few_units_have_no_interval() {
        let mut rng = Rng::new(1, "bootstrap", 0);
        for n in 0..FEWEST {
            assert_eq!(interval(&vec![1.0; n], mean, 1000, &mut rng), None);
        }
        assert_eq!(interval(&[1.0; FEWEST], mean, 1000, &mut rng), Some(Interval { low: 1.0, high: 1.0 }));
    }

    #[test]
    fn for_the_mean_of_evenly_spaced_values_it_is_nearly_students_interval() {
        let mut rng = Rng::new(2, "bootstrap", 0);
        let units: Vec<f64> = (0..40).map(|i| f64::from(i) - 19.5).collect();
        let spread = (units.iter().map(|x| x * x).sum::<f64>() / 39.0 / 40.0).sqrt();
        let expected = student::quantile(39) * spread;
        let found = interval(&units, mean, 40_000, &mut rng).unwrap();
        assert!((found.high / expected - 1.0).abs() < 0.03, "{found:?}, {expected}");
        assert!((found.low / -expected - 1.0).abs() < 0.03, "{found:?}, {expected}");
    }
}
