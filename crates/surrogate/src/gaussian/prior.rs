//! The prior on the hyperparameters, for standardised readings.
//!
//! ```text
//! ln ℓ_c ~ N(ln(0.4 √d), 1.5²),   ln h², ln s² ~ N(0, 1.5²),   ln σ² ~ N(ln 10⁻⁴, 4²),   m ~ N(0, 3²)
//! ```
//!
//! The priors are weak. They matter only where the readings give little information, for example about
//! columns that have no effect. The prior length scales grow with the number of columns; otherwise points
//! would be nearly uncorrelated (C. Hvarfner, E. Hellsten, L. Nardi, Vanilla Bayesian Optimization Performs
//! Great in High Dimensions, 2024).

/// The prior on the hyperparameters, which form one vector: ln ℓ of each column, ln h² if there are several
/// instances, ln s², ln σ².
pub(super) struct Prior {
    columns: usize,
    /// Whether instances are distinguished.
    instances: bool,
}

impl Prior {
    /// Prior variance of m.
    pub(super) const MEAN_VARIANCE: f64 = 9.0;

    pub(super) fn new(columns: usize, instances: bool) -> Self {
        Self { columns, instances }
    }

    /// Returns the number of length scales.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of hyperparameters.
    pub(super) fn len(&self) -> usize {
        self.columns + usize::from(self.instances) + 2
    }

    /// Returns what an entry of the vector stands for: `None` for a length scale, 0 for h², 1 for s², 2 for
    /// σ².
    fn meaning(&self, index: usize) -> Option<usize> {
        let beyond = index.checked_sub(self.columns)?;
        Some(beyond + usize::from(!self.instances))
    }

    /// Returns the prior mean and standard deviation of an entry.
    pub(super) fn mean_and_deviation(&self, index: usize) -> (f64, f64) {
        match self.meaning(index) {
            None => (libm::log(0.4 * libm::sqrt(self.columns as f64)), 1.5),
            Some(0 | 1) => (0.0, 1.5),
            Some(_) => (libm::log(1e-4), 4.0),
        }
    }

    /// Returns the bounds of an entry.
    pub(super) fn bounds(&self, index: usize, least_noise: f64) -> (f64, f64) {
        match self.meaning(index) {
            None => (libm::log(1e-2), libm::log(1e3)),
            Some(0 | 1) => (libm::log(1e-3), libm::log(1e3)),
            Some(_) => (libm::log(least_noise), libm::log(10.0)),
        }
    }

    /// Returns the log density up to a constant, and adds its gradient to `gradient`.
    pub(super) fn log_density(&self, logs: &[f64], gradient: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (index, (log, derivative)) in logs.iter().zip(gradient).enumerate() {
            let (mean, deviation) = self.mean_and_deviation(index);
            let z = (log - mean) / deviation;
            sum -= z * z / 2.0;
            *derivative -= z / deviation;
        }
        sum
    }
}
