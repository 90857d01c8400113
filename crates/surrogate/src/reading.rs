//! A cost as far as it is known.
//!
//! A trial that ends by itself tells its cost exactly. One that is stopped tells a lower bound: the
//! cost is right-censored. The two are different types of knowledge and never share a bare number.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is known of a cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The cost itself.
    Exact(#[serde(with = "math::json_number")] f64),
    /// The cost is this or more: the trial was stopped there.
    AtLeast(#[serde(with = "math::json_number")] f64),
}

impl Reading {
    /// The largest number that the cost is surely not below.
    pub fn lower_bound(self) -> f64 {
        match self {
            Self::Exact(cost) | Self::AtLeast(cost) => cost,
        }
    }

    /// The cost, if it is known.
    pub fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(cost) => Some(cost),
            Self::AtLeast(_) => None,
        }
    }

    /// Whether only a lower bound is known.
    pub fn is_censored(self) -> bool {
        matches!(self, Self::AtLeast(_))
    }

    /// Whether this tells more of one and the same cost than `other` does: an exact value more than
    /// a bound, a higher bound more than a lower one.
    pub fn tells_more_than(self, other: Self) -> bool {
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
    fn an_exact_cost_tells_more_than_any_bound() {
        assert!(Exact(1.0).tells_more_than(AtLeast(0.5)));
        assert!(AtLeast(2.0).tells_more_than(AtLeast(1.0)));
        assert!(!AtLeast(1.0).tells_more_than(AtLeast(1.0)));
        assert!(!AtLeast(9.0).tells_more_than(Exact(1.0)));
        assert!(!Exact(1.0).tells_more_than(Exact(1.0)));
    }
}
