//! The scale on which costs are modelled.
//!
//! ```text
//! y = log10 max(c, grain)          positive costs: run times of one program span decades
//! y = c                            otherwise
//! ```

use crate::Reading;

/// The transformation from a cost to the number that a model learns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    /// The decimal logarithm. Costs below the grain count as the grain.
    Log10 {
        /// The smallest cost that the measurement resolves.
        grain: f64,
    },
    /// The cost itself.
    Linear,
}

impl Scale {
    /// Converts a cost to this scale.
    pub fn model(self, cost: f64) -> f64 {
        match self {
            Self::Log10 { grain } => libm::log10(cost.max(grain).max(f64::MIN_POSITIVE)),
            Self::Linear => cost,
        }
    }

    /// Converts a number on this scale back to a cost.
    pub fn cost(self, number: f64) -> f64 {
        match self {
            Self::Log10 { .. } => libm::exp10(number),
            Self::Linear => number,
        }
    }

    /// Converts a reading of a cost to this scale.
    pub fn reading(self, cost: Reading) -> Reading {
        match cost {
            Reading::Exact(cost) => Reading::Exact(self.model(cost)),
            Reading::AtLeast(cost) => Reading::AtLeast(self.model(cost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_below_the_grain_are_raised_to_it() {
        let scale = Scale::Log10 { grain: 1e-3 };
        assert_eq!(scale.model(0.0), -3.0);
        assert_eq!(scale.reading(Reading::AtLeast(100.0)), Reading::AtLeast(2.0));
        assert!(Scale::Log10 { grain: 0.0 }.model(0.0).is_finite());
        assert_eq!(Scale::Linear.model(-4.0), -4.0);
    }
}
