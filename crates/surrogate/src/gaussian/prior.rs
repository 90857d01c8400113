//! What is likely of lengths, variation and noise before any reading, on standardised readings.
//!
//! ```text
//! ln ℓ_c ~ N(ln(0.4 √d), 1.5²),   ln h², ln s² ~ N(0, 1.5²),   ln σ² ~ N(ln 10⁻⁴, 4²),   m ~ N(0, 3²)
//! ```
//!
//! Weak: they decide where the readings do not, as about columns that nothing depends on. With more columns
//! lengths are longer, else points would know nothing of each other (C. Hvarfner, E. Hellsten, L. Nardi,
//! Vanilla Bayesian Optimization Performs Great in High Dimensions, 2024).

/// Lengths, variation and noise as one list: ln ℓ of each column, ln h² where there are instances, ln s², ln σ².
pub(super) struct Prior {
    columns: usize,
    /// Whether instances are told apart.
    instances: bool,
}

impl Prior {
    /// Of m.
    pub(super) const MEAN_VARIANCE: f64 = 9.0;

    pub(super) fn new(columns: usize, instances: bool) -> Self {
        Self { columns, instances }
    }

    /// How many lengths there are.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.columns + usize::from(self.instances) + 2
    }

    /// `None` for a length, 0 for h², 1 for s², 2 for σ².
    fn meaning(&self, index: usize) -> Option<usize> {
        let beyond = index.checked_sub(self.columns)?;
        Some(beyond + usize::from(!self.instances))
    }

    /// Mean and deviation of a number.
    pub(super) fn law(&self, index: usize) -> (f64, f64) {
        match self.meaning(index) {
            None => (libm::log(0.4 * libm::sqrt(self.columns as f64)), 1.5),
            Some(0 | 1) => (0.0, 1.5),
            Some(_) => (libm::log(1e-4), 4.0),
        }
    }

    /// Where a number may be.
    pub(super) fn bounds(&self, index: usize, least_noise: f64) -> (f64, f64) {
        match self.meaning(index) {
            None => (libm::log(1e-2), libm::log(1e3)),
            Some(0 | 1) => (libm::log(1e-3), libm::log(1e3)),
            Some(_) => (libm::log(least_noise), libm::log(10.0)),
        }
    }

    /// The log density, but for a constant; its slopes are added.
    pub(super) fn log_density(&self, numbers: &[f64], slopes: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (index, (number, slope)) in numbers.iter().zip(slopes).enumerate() {
            let (mean, deviation) = self.law(index);
            let z = (number - mean) / deviation;
            sum -= z * z / 2.0;
            *slope -= z / deviation;
        }
        sum
    }
}
