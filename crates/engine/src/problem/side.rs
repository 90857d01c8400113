//! Bounds from above and from below. The engine knows only bounds from above, so numbers that are bounded
//! from below change their sign on the way to the engine and on the way back.

use surrogate::Reading;

/// The allowed side of a bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Values up to the bound.
    AtMost,
    /// Values from the bound upwards.
    AtLeast,
}

impl Side {
    /// Returns `<=` or `>=`.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
        }
    }

    /// Converts a number from the user's sign to the engine's, or back.
    pub fn signed(self, number: f64) -> f64 {
        match self {
            Self::AtMost => number,
            // Subtracting avoids a negative zero.
            Self::AtLeast => 0.0 - number,
        }
    }

    /// Converts a trial's reading to the engine's form. Returns `None` if the reading is only a lower bound
    /// and the values must be at least the bound, because such a reading cannot show a violation.
    pub fn reading(self, reported: Reading) -> Option<Reading> {
        match (reported, self) {
            (Reading::Exact(value), side) => Some(Reading::Exact(side.signed(value))),
            (Reading::AtLeast(_), Self::AtMost) => Some(reported),
            (Reading::AtLeast(_), Self::AtLeast) => None,
        }
    }
}
