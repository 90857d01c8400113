//! Constraints, and what came of them.

use engine::Reading;
use engine::problem::{Holding, Over};
use scenario::Constraint;
use serde::{Serialize, Serializer};

use crate::costs::Unit;

/// What is asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bound {
    /// The name of what is bounded.
    pub name: String,
    /// Over the pairs of a configuration: their mean, or the worst of them.
    #[serde(serialize_with = "over")]
    pub over: Over,
    /// `<=` or `>=`.
    pub sign: &'static str,
    /// The bound.
    pub bound: f64,
    /// What it is counted in.
    #[serde(skip)]
    pub unit: Unit,
}

/// What a configuration has shown of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Held {
    /// What is asked for.
    #[serde(flatten)]
    pub bound: Bound,
    /// The mean or the worst of the pairs that count; `None` if there are none.
    pub value: Option<f64>,
    /// Whether it is that or more.
    pub censored: Option<bool>,
    /// How many pairs count.
    pub pairs: usize,
    /// Whether it is kept, as far as seen.
    pub kept: bool,
}

impl Bound {
    pub(crate) fn of(one: &Constraint) -> Self {
        let (name, unit) = (one.name.clone(), Unit::of_bounded(one.of));
        Self { name, over: one.over, sign: one.sign(), bound: one.bound, unit }
    }
}

impl Held {
    pub(crate) fn of(one: &Constraint, holding: &Holding) -> Self {
        Self {
            bound: Bound::of(one),
            value: holding.value.map(|value| one.shown(value.lower_bound())),
            censored: holding.value.map(Reading::is_censored),
            pairs: holding.pairs,
            kept: holding.is_kept(),
        }
    }
}

/// Whether all are kept, as far as seen.
pub fn are_kept(held: &[Held]) -> bool {
    held.iter().all(|one| one.kept)
}

fn over<S: Serializer>(over: &Over, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match over {
        Over::Mean => "mean",
        Over::Max => "max",
    })
}
