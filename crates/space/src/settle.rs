//! Settling values: the walk over the parameters that defaults, samples, designs, decoding and neighbours
//! share.
//!
//! Parameters are visited in dependency order. The walk first determines whether a parameter is active,
//! then asks the caller for its value. Only the choice of values differs between callers; the rules for
//! activity, fixed values and bounds are always the same.

use super::condition::Group;
use super::parameter::{Domain, Parameter, ParameterId};
use super::range::{Extent, Range, Scale};
use super::{Choices, SpaceData};

/// The values that a parameter may take in the current configuration.
pub(crate) enum Slot<'a> {
    Range(&'a Scale),
    Choices(&'a Choices),
}

/// Reason why the chosen values do not form a valid configuration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Violation {
    /// The forbidden clause with this index holds.
    Forbidden(u32),
    /// The bounds of this parameter leave no value.
    Empty(ParameterId),
    /// The value of this parameter is not between its bounds.
    Outside(ParameterId),
}

impl Slot<'_> {
    pub(crate) fn decode(&self, unit: f64) -> f64 {
        match self {
            Self::Range(scale) => scale.decode(unit),
            Self::Choices(choices) => choices.decode(unit) as f64,
        }
    }

    /// Maps a uniform number to a value, respecting weights.
    pub(crate) fn draw(&self, unit: f64) -> f64 {
        match self {
            Self::Range(scale) => scale.decode(unit),
            Self::Choices(choices) => choices.draw(unit) as f64,
        }
    }

    /// Returns the default if it is within the current bounds, else the nearest value that is.
    pub(crate) fn default(&self, parameter: &Parameter) -> f64 {
        match (self, parameter.default) {
            (Self::Range(scale), Some(code)) => scale.snap(code),
            (Self::Range(scale), None) => scale.middle(),
            (Self::Choices(_), code) => code.unwrap_or(0.0),
        }
    }
}

impl SpaceData {
    /// Chooses values for one group. `choose` receives the parameter's index, the values that the parameter
    /// may take, and all codes so far, including the parameter's previous code.
    pub(crate) fn settle(
        &self,
        group: &Group,
        codes: &mut [f64],
        mut choose: impl FnMut(usize, Slot<'_>, &[f64]) -> f64,
    ) -> Result<(), Violation> {
        for &p in &group.parameters {
            let index = p as usize;
            let parameter = &self.parameters[index];
            let active = self.conditions[index].as_ref().is_none_or(|condition| condition.holds(codes));
            if !active {
                codes[index] = f64::NAN;
                continue;
            }
            let current;
            let slot = match &parameter.domain {
                Domain::Choices(choices) => Slot::Choices(choices),
                Domain::Range(Range { scale: Some(scale), .. }) => Slot::Range(scale),
                Domain::Range(range) => match range.extent(codes) {
                    Extent::Scale(scale) => {
                        current = scale;
                        Slot::Range(&current)
                    }
                    Extent::Empty => return Err(Violation::Empty(ParameterId(p))),
                    Extent::Inactive => {
                        codes[index] = f64::NAN;
                        continue;
                    }
                },
            };
            codes[index] = match (parameter.fixed, &slot) {
                (Some(code), Slot::Range(scale)) if !scale.contains(code) => {
                    return Err(Violation::Outside(ParameterId(p)));
                }
                (Some(code), _) => code,
                (None, _) => choose(index, slot, codes),
            };
        }
        let violated = group.clauses.violated(&self.forbidden, codes);
        violated.map_or(Ok(()), |clause| Err(Violation::Forbidden(clause)))
    }
}
