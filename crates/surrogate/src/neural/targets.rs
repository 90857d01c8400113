//! Standardised readings: mean 0, standard deviation 1.
//!
//! ```text
//! t = (y - m) / s      m, s: mean and standard deviation of the readings, bounds included
//! ```
//!
//! s has a minimum, because there is nothing to learn from readings that differ only by rounding. The minimum
//! is a thousandth of a decade for logarithms of costs, otherwise a millionth of the largest reading. If all
//! readings are exact and equal, s is 0 and that value is the prediction.

use crate::Reading;
use crate::Scale;

/// Location and scale of the readings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Standard {
    /// The mean, m.
    pub(super) centre: f64,
    /// The standard deviation, s.
    pub(super) spread: f64,
}

impl Standard {
    /// Computes m and s of at least one reading.
    pub(super) fn of(readings: &[Reading], scale: Scale) -> Self {
        let first = readings[0];
        if !first.is_censored() && readings.iter().all(|&reading| reading == first) {
            return Self { centre: first.lower_bound(), spread: 0.0 };
        }
        let values = || readings.iter().map(|reading| reading.lower_bound());
        let count = readings.len() as f64;
        let centre = values().map(|value| value / count).sum::<f64>();
        let largest = values().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        // Relative to the largest reading, so that no square overflows.
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let square = |value: f64| (value / unit - centre / unit) * (value / unit - centre / unit);
        let deviation = unit * (values().map(square).sum::<f64>() / count).sqrt();
        let floor = match scale {
            Scale::Log10 { .. } => 1e-3,
            Scale::Linear => 1e-6 * unit,
        };
        Self { centre, spread: deviation.max(floor) }
    }

    /// Standardises a reading.
    pub(super) fn standardise(self, reading: Reading) -> Reading {
        let standardise = |value: f64| (value - self.centre) / self.spread;
        match reading {
            Reading::Exact(value) => Reading::Exact(standardise(value)),
            Reading::AtLeast(bound) => Reading::AtLeast(standardise(bound)),
        }
    }

    /// Converts a standardised mean back to the scale of the readings.
    pub(super) fn restore(self, mean: f32) -> f64 {
        self.centre + self.spread * f64::from(mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reading::{AtLeast, Exact};

    #[test]
    fn bounds_count_and_only_equal_exact_readings_have_no_spread() {
        let log = Scale::Log10 { grain: 1e-3 };
        let both = Standard::of(&[Exact(1.0), AtLeast(3.0)], log);
        assert_eq!(both, Standard { centre: 2.0, spread: 1.0 });
        assert_eq!((both.standardise(AtLeast(3.0)), both.restore(-1.0)), (AtLeast(1.0), 1.0));
        assert_eq!(Standard::of(&[Exact(0.3); 7], log), Standard { centre: 0.3, spread: 0.0 });
        assert_eq!(Standard::of(&[AtLeast(0.5); 2], log), Standard { centre: 0.5, spread: 1e-3 });
        assert_eq!(Standard::of(&[AtLeast(0.0)], Scale::Linear).spread, 1e-6);
        let huge = Standard::of(&[Exact(1e300), Exact(-1e300)], Scale::Linear);
        assert!((huge.spread / 1e300 - 1.0).abs() < 1e-9 && huge.centre == 0.0, "{huge:?}");
    }
}
