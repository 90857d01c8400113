//! Constraints: bounds on outputs other than the cost.

use std::fmt;

use engine::problem::constraint::CONFIDENCE;
use engine::problem::{Constraint, Over, Side};

/// A bound on an output that trials report in addition to their cost.
///
/// ```
/// use captune::Bound;
///
/// let accurate = Bound::at_least(0.95);
/// let small = Bound::at_most(2e9).on_every_pair();
/// let not_much_larger = Bound::at_most(1.02).relative();
/// assert_eq!(not_much_larger.to_string(), "<= 1.02 x baseline");
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    side: Side,
    limit: f64,
    over: Over,
    relative: bool,
    confidence: f64,
}

impl Bound {
    fn new(side: Side, limit: f64) -> Self {
        let Constraint { over, relative, confidence, .. } = Constraint::new(limit, Over::Mean);
        Self { side, limit, over, relative, confidence }
    }

    /// Returns a bound from above on the mean over all pairs.
    pub fn at_most(limit: f64) -> Self {
        Self::new(Side::AtMost, limit)
    }

    /// Returns a bound from below on the mean over all pairs.
    pub fn at_least(limit: f64) -> Self {
        Self::new(Side::AtLeast, limit)
    }

    /// Makes the bound apply to every pair instead of the mean.
    #[must_use]
    pub fn on_every_pair(self) -> Self {
        Self { over: Over::Max, ..self }
    }

    /// Makes the bound apply to the ratio of the output to the baseline's output on the same pair.
    #[must_use]
    pub fn relative(self) -> Self {
        Self { relative: true, ..self }
    }

    /// Sets the confidence at which a race drops a challenger because its mean violates the bound; above 0.5
    /// and below 1.
    #[must_use]
    pub fn confidence(self, confidence: f64) -> Self {
        Self { confidence, ..self }
    }

    /// Returns the allowed side of the bound.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Returns the bound.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Returns the constraint in the engine's form.
    pub(crate) fn for_engine(&self) -> Constraint {
        let Self { side, limit, over, relative, confidence } = *self;
        Constraint { bound: side.signed(limit), relative, over, confidence }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, limit, over, relative, confidence } = *self;
        write!(f, "{} {limit}", side.sign())?;
        if relative {
            f.write_str(" x baseline")?;
        }
        match over {
            Over::Max => f.write_str(" on every pair"),
            Over::Mean if confidence == CONFIDENCE => Ok(()),
            Over::Mean => write!(f, " with confidence {confidence}"),
        }
    }
}
