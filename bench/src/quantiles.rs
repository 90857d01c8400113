//! Order statistics of a series of measurements.

/// A sorted series.
pub(crate) struct Quantiles(Vec<f64>);

impl Quantiles {
    pub(crate) fn of(mut series: Vec<f64>) -> Self {
        series.sort_by(f64::total_cmp);
        Self(series)
    }

    /// Returns the number of values.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the quantile for this share.
    pub(crate) fn at(&self, share: f64) -> f64 {
        math::quantile(&self.0, share)
    }

    pub(crate) fn median(&self) -> f64 {
        self.at(0.5)
    }

    pub(crate) fn max(&self) -> f64 {
        self.at(1.0)
    }
}
