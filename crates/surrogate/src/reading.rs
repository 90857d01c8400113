//! A cost that is known exactly or only as a lower bound.
//!
//! A trial that ends by itself gives its exact cost. A trial that is stopped gives a lower bound: its
//! cost is right-censored. The two are never mixed as bare numbers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An exact cost or a lower bound on it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The exact cost.
    Exact(#[serde(with = "math::json_number")] f64),
    /// A lower bound: the trial was stopped here, so its cost is this or more.
    AtLeast(#[serde(with = "math::json_number")] f64),
}

impl Reading {
    /// Returns the largest known lower bound on the cost; the cost itself if it is exact.
    pub fn lower_bound(self) -> f64 {
        match self {
            Self::Exact(cost) | Self::AtLeast(cost) => cost,
        }
    }

    /// Returns the cost if it is known exactly.
    pub fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(cost) => Some(cost),
            Self::AtLeast(_) => None,
        }
    }

    /// Returns whether only a lower bound is known.
    pub fn is_censored(self) -> bool {
        matches!(self, Self::AtLeast(_))
    }

    /// Returns whether this reading is more informative than `other`, a reading of the same cost. An exact
    /// value is more informative than a bound, and a higher bound more than a lower one.
    pub fn is_more_informative_than(self, other: Self) -> bool {
        match (self, other) {
            (Self::Exact(_), Self::AtLeast(_)) => true,
            (Self::AtLeast(a), Self::AtLeast(b)) => a > b,
            (_, Self::Exact(_)) => false,
        }
    }
}

/// `12.5`, or `>= 12.5` for a bound.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(cost) => write!(f, "{cost}"),
            Self::AtLeast(cost) => write!(f, ">= {cost}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reading::{AtLeast, Exact};

    #[test]
    fn an_exact_cost_is_more_informative_than_any_bound() {
        assert!(Exact(1.0).is_more_informative_than(AtLeast(0.5)));
        assert!(AtLeast(2.0).is_more_informative_than(AtLeast(1.0)));
        assert!(!AtLeast(1.0).is_more_informative_than(AtLeast(1.0)));
        assert!(!AtLeast(9.0).is_more_informative_than(Exact(1.0)));
        assert!(!Exact(1.0).is_more_informative_than(Exact(1.0)));
    }
}
