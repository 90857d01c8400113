//! What is likely of lengths, variation and noise before any reading, on standardised readings.
//!
//! ```text
//! ln ℓ_c ~ N(ln(0.4 √d), 1.5² | 6²),   ln s² ~ N(0, 1.5²),   ln σ² ~ N(ln 10⁻⁴, 4²),   m ~ N(0, 3²)
//! ```
//!
//! The second variance is that above the middle: short lengths make of few readings what they are not, but
//! columns that nothing depends on may have lengths without end.
//!
//! Weak: they decide where the readings do not. With more columns lengths are longer, else points would know
//! nothing of each other (C. Hvarfner, E. Hellsten, L. Nardi, Vanilla Bayesian Optimization Performs Great in
//! High Dimensions, 2024).

/// Lengths, variation and noise as one list: ln ℓ of each column, ln s², ln σ².
pub(super) struct Prior {
    columns: usize,
}

/// A number's middle, and how far it may be from it.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub(super) middle: f64,
    pub(super) below: f64,
    pub(super) above: f64,
}

impl Prior {
    /// Of m.
    pub(super) const MEAN_VARIANCE: f64 = 9.0;

    pub(super) fn new(columns: usize) -> Self {
        Self { columns }
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.columns + 2
    }

    /// What a number is like.
    pub(super) fn law(&self, index: usize) -> Law {
        match index.checked_sub(self.columns) {
            None => Law { middle: libm::log(0.4 * libm::sqrt(self.columns as f64)), below: 1.5, above: 6.0 },
            Some(0) => Law { middle: 0.0, below: 1.5, above: 1.5 },
            Some(_) => Law { middle: libm::log(1e-4), below: 4.0, above: 4.0 },
        }
    }

    /// Where a number may be.
    pub(super) fn bounds(&self, index: usize, least_noise: f64) -> (f64, f64) {
        match index.checked_sub(self.columns) {
            None => (libm::log(1e-2), libm::log(1e3)),
            Some(0) => (libm::log(1e-3), libm::log(1e3)),
            Some(_) => (libm::log(least_noise), libm::log(10.0)),
        }
    }

    /// The log density, but for a constant; its slopes are added.
    pub(super) fn log_density(&self, numbers: &[f64], slopes: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (index, (number, slope)) in numbers.iter().zip(slopes).enumerate() {
            let Law { middle, below, above } = self.law(index);
            let deviation = if *number > middle { above } else { below };
            let z = (number - middle) / deviation;
            sum -= z * z / 2.0;
            *slope -= z / deviation;
        }
        sum
    }
}
