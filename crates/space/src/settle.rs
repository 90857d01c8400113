//! Settling values: the one walk behind defaults, samples, designs, decoding and neighbours.
//!
//! Parameters are visited in dependency order. Each is first found active or not, then its value is
//! asked for. Whoever asks differs; the rules of activity, fixed values and bounds do not.

use super::condition::Group;
use super::parameter::{Domain, Parameter, ParameterId};
use super::range::{Extent, Range, Scale};
use super::{Choices, SpaceData};

/// What a value is chosen from.
pub(crate) enum Slot<'a> {
    Range(&'a Scale),
    Choices(&'a Choices),
}

/// Why the values chosen make no configuration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Violation {
    /// The forbidden clause of this index holds.
    Forbidden(u32),
    /// The bounds of this parameter leave it no value.
    Empty(ParameterId),
    /// This parameter's value is not between its bounds.
    Outside(ParameterId),
}

impl Slot<'_> {
    pub(crate) fn decode(&self, unit: f64) -> f64 {
        match self {
            Self::Range(scale) => scale.decode(unit),
            Self::Choices(choices) => choices.decode(unit) as f64,
        }
    }

    /// The value that a uniform number draws.
    pub(crate) fn draw(&self, unit: f64) -> f64 {
        match self {
            Self::Range(scale) => scale.decode(unit),
            Self::Choices(choices) => choices.draw(unit) as f64,
        }
    }

    /// The default where it fits the current bounds, else the fitting value nearest to it.
    pub(crate) fn default(&self, parameter: &Parameter) -> f64 {
        match (self, parameter.default) {
            (Self::Range(scale), Some(code)) => scale.snap(code),
            (Self::Range(scale), None) => scale.middle(),
            (Self::Choices(_), code) => code.unwrap_or(0.0),
        }
    }
}

impl SpaceData {
    /// Chooses values for one group. `choose` gets the parameter's index, what it may be and the
    /// codes so far, among them its own old one.
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
                    Extent::Is(scale) => {
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
