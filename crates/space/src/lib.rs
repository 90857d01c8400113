//! Parameter spaces: the values that the parameters of a program may take.
//!
//! A [`Space`] is read from text by [`mod@format`], or built with a [`SpaceBuilder`]. Either way it is
//! checked as a whole. [`sample`](Space::sample) draws its configurations,
//! [`neighbours`](Space::neighbours) varies them, and [`encode`](Space::encode) turns them into rows of
//! numbers.

mod adopt;
mod batch;
mod builder;
mod check;
mod choices;
mod condition;
mod configuration;
mod default;
pub mod design;
mod diagnostic;
pub mod discover;
mod distance;
mod encode;
pub mod expression;
mod forbidden;
pub mod format;
mod literal;
mod nearest;
mod neighbour;
mod parameter;
mod range;
mod rounding;
mod sample;
mod settle;
mod size;
mod values;

pub use builder::{BoundDefinition, Clause, DomainDefinition, ParameterDefinition, SpaceBuilder};
pub use choices::Choices;
pub use configuration::{Configuration, ConfigurationError};
pub use diagnostic::{Diagnostic, Diagnostics, Span, Spanned};
pub use encode::{INACTIVE, OneHot};
pub use literal::{Literal, float_text, parse_number};
pub use nearest::{nearest, suggestion};
pub use neighbour::Neighbourhood;
pub use parameter::{Domain, Kind, Misfit, Parameter, ParameterId, ValueError};
pub use range::{Bound, Grid, LARGEST_INTEGER, Range};
pub use sample::SampleError;
pub use size::Size;
pub use values::Values;

use std::collections::HashMap;
use std::sync::Arc;

use condition::Group;
use expression::{Formula, Notation};

/// A checked space; cheap to clone.
#[derive(Clone, Debug)]
pub struct Space {
    pub(crate) data: Arc<SpaceData>,
}

#[derive(Debug)]
pub(crate) struct SpaceData {
    parameters: Vec<Parameter>,
    /// The condition of each parameter; `None` if it has none.
    conditions: Vec<Option<Formula>>,
    forbidden: Vec<Formula>,
    by_name: HashMap<Box<str>, ParameterId>,
    /// Groups of parameters that are independent of each other, for varying one group.
    groups: Vec<Group>,
    /// The same groups for settling all values: groups that cannot fail are merged into one.
    batches: Vec<Group>,
    /// The group of each parameter.
    group_of: Vec<u32>,
    /// Codes of the default configuration.
    default: Vec<f64>,
}

impl Space {
    /// Returns the parameters in the order of definition.
    pub fn parameters(&self) -> &[Parameter] {
        &self.data.parameters
    }

    /// Returns the parameter with this identifier.
    pub fn parameter(&self, id: ParameterId) -> &Parameter {
        &self.data.parameters[id.index()]
    }

    /// Returns the identifiers of all parameters, in order.
    pub fn ids(&self) -> impl Iterator<Item = ParameterId> + use<> {
        (0..self.data.parameters.len() as u32).map(ParameterId)
    }

    /// Finds a parameter by name.
    pub fn find(&self, name: &str) -> Option<ParameterId> {
        self.data.by_name.get(name).copied()
    }

    /// Returns a parameter's condition. A parameter without a condition is active unless its bounds mention
    /// an inactive parameter.
    pub fn condition(&self, id: ParameterId) -> Option<&Formula> {
        self.data.conditions[id.index()].as_ref()
    }

    /// Returns the forbidden clauses; none of them may hold.
    pub fn forbidden(&self) -> &[Formula] {
        &self.data.forbidden
    }

    /// Returns whether a parameter can be inactive.
    pub fn is_conditional(&self, id: ParameterId) -> bool {
        self.data.conditions[id.index()].is_some()
            || self.parameter(id).range().is_some_and(|range| range.fixed_bounds().is_none())
    }

    /// Returns a forbidden clause as text.
    pub fn clause_text(&self, clause: usize) -> String {
        Notation::captune(self).formula(&self.data.forbidden[clause])
    }
}

/// Two spaces are equal if their parameters (in the same order), conditions and forbidden clauses are equal.
impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.data, &other.data);
        Arc::ptr_eq(a, b)
            || (a.parameters == b.parameters && a.conditions == b.conditions && a.forbidden == b.forbidden)
    }
}
