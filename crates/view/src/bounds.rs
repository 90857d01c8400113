//! Constraints, and whether configurations satisfy them.

use engine::Reading;
use engine::problem::{Holding, Over};
use scenario::Constraint;
use serde::{Serialize, Serializer};

use crate::unit::Unit;

/// A constraint.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bound {
    /// The name of the constrained output.
    pub name: String,
    /// Whether the bound applies to the mean over the pairs of a configuration or to the worst pair.
    #[serde(serialize_with = "over")]
    pub over: Over,
    /// The comparison operator: `<=` or `>=`.
    pub sign: &'static str,
    /// The bound; a factor if it is relative.
    pub bound: f64,
    /// Whether the bound and the values are ratios to the default's output on the same pair.
    pub relative: bool,
    /// The configuration that such a ratio refers to: `default`, `baseline` or `starting point`.
    #[serde(skip)]
    pub against: &'static str,
    /// The unit of the bound.
    #[serde(skip)]
    pub unit: Unit,
}

/// A configuration's result for one constraint.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Held {
    /// The constraint.
    #[serde(flatten)]
    pub bound: Bound,
    /// The mean or the worst value over the pairs that count for this constraint; `None` if there are none.
    pub value: Option<f64>,
    /// Whether the value is only a bound, because some trials were stopped; `None` if there is no value.
    pub censored: Option<bool>,
    /// Number of pairs that count for this constraint.
    pub pairs: usize,
    /// Whether the constraint is satisfied so far.
    pub kept: bool,
    /// Whether the mean is within two standard errors of the bound, so that other pairs might decide otherwise.
    pub close: bool,
}

impl Bound {
    pub(crate) fn of(one: &Constraint, against: &'static str) -> Self {
        let unit = if one.relative { Unit::Plain } else { Unit::of_bounded(one.of) };
        let Constraint { over, bound, relative, .. } = *one;
        Self { name: one.name.clone(), over, sign: one.sign(), bound, relative, against, unit }
    }
}

impl Held {
    pub(crate) fn of(one: &Constraint, holding: &Holding, against: &'static str) -> Self {
        Self {
            bound: Bound::of(one, against),
            value: holding.value.map(|value| one.shown(value.lower_bound())),
            censored: holding.value.map(Reading::is_censored),
            pairs: holding.pairs,
            kept: holding.is_kept(),
            close: holding.is_close(&one.for_engine()),
        }
    }
}

/// Returns whether all constraints are satisfied so far.
pub fn are_kept(held: &[Held]) -> bool {
    held.iter().all(|one| one.kept)
}

fn over<S: Serializer>(over: &Over, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match over {
        Over::Mean => "mean",
        Over::Max => "max",
    })
}
