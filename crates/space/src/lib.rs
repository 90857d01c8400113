//! Parameter spaces: which values the settings of a program may take.
//!
//! A [`Space`] is read from text by [`mod@format`], or built with a [`SpaceBuilder`]; either way it has
//! been checked as a whole. Its configurations are drawn by [`sample`](Space::sample), varied by
//! [`neighbours`](Space::neighbours), turned into rows of numbers by [`encode`](Space::encode).

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
pub use range::{Bound, LARGEST_INTEGER, Range};
pub use sample::SampleError;
pub use size::Size;
pub use values::Values;

use std::collections::HashMap;
use std::sync::Arc;

use condition::Group;
use expression::{Formula, Wording};

/// A checked space; cheap to clone.
#[derive(Clone, Debug)]
pub struct Space {
    pub(crate) data: Arc<SpaceData>,
}

#[derive(Debug)]
pub(crate) struct SpaceData {
    parameters: Vec<Parameter>,
    /// For every parameter, when it is active.
    conditions: Vec<Option<Formula>>,
    forbidden: Vec<Formula>,
    by_name: HashMap<Box<str>, ParameterId>,
    /// Independent parts, for varying one of them.
    groups: Vec<Group>,
    /// The same parts with those joined that cannot fail, for settling everything.
    batches: Vec<Group>,
    /// For every parameter, its group.
    group_of: Vec<u32>,
    /// Codes of the default configuration.
    default: Vec<f64>,
}

impl Space {
    /// The parameters in the order of definition.
    pub fn parameters(&self) -> &[Parameter] {
        &self.data.parameters
    }

    /// A parameter by its identifier.
    pub fn parameter(&self, id: ParameterId) -> &Parameter {
        &self.data.parameters[id.index()]
    }

    /// The identifiers of all parameters, in order.
    pub fn ids(&self) -> impl Iterator<Item = ParameterId> + use<> {
        (0..self.data.parameters.len() as u32).map(ParameterId)
    }

    /// The parameter of a name.
    pub fn find(&self, name: &str) -> Option<ParameterId> {
        self.data.by_name.get(name).copied()
    }

    /// When a parameter is active; `None` means always, its bounds permitting.
    pub fn condition(&self, id: ParameterId) -> Option<&Formula> {
        self.data.conditions[id.index()].as_ref()
    }

    /// The clauses of which none may hold.
    pub fn forbidden(&self) -> &[Formula] {
        &self.data.forbidden
    }

    /// Whether a parameter may be inactive.
    pub fn is_conditional(&self, id: ParameterId) -> bool {
        self.data.conditions[id.index()].is_some()
            || self.parameter(id).range().is_some_and(|range| range.fixed_bounds().is_none())
    }

    /// A forbidden clause as text.
    pub fn clause_text(&self, clause: usize) -> String {
        Wording::captune(self).formula(&self.data.forbidden[clause])
    }
}

/// Equal parameters in equal order with equal conditions, and equal forbidden clauses.
impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.data, &other.data);
        Arc::ptr_eq(a, b)
            || (a.parameters == b.parameters && a.conditions == b.conditions && a.forbidden == b.forbidden)
    }
}
