//! Regions where trials fail. Trials crash in a slice of one parameter. They run out of memory in a slice of
//! another parameter, or, if no other parameter has one, in another slice of the same parameter. The default
//! configuration is in neither slice.
//!
//! A slice of a range is a fifth of its scale. A slice of choices is a single choice.

use math::Rng;
use space::INACTIVE;
use space::{Domain, Space};

use super::Ending;

/// An interval of positions of one parameter; `to` is exclusive.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Slice {
    parameter: usize,
    from: f64,
    to: f64,
}

impl Slice {
    fn has(&self, row: &[f64]) -> bool {
        (self.from..self.to).contains(&row[self.parameter])
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.parameter == other.parameter && self.from < other.to && other.from < self.to
    }
}

#[derive(Clone, Debug)]
pub(super) struct Regions {
    crash: Option<Slice>,
    memory: Option<Slice>,
}

impl Regions {
    /// Draws random regions. A space with no configuration other than the default has none.
    pub(super) fn random(space: &Space, rng: &mut Rng) -> Self {
        let default = space.encode(&space.default_configuration());
        let mut slices = Vec::new();
        for (index, parameter) in space.parameters().iter().enumerate() {
            if !parameter.is_variable() || default[index] == INACTIVE {
                continue;
            }
            let parts = match parameter.domain() {
                Domain::Range(_) => 5,
                Domain::Choices(choices) => choices.count(),
            };
            for part in 0..parts {
                let at = |part: usize| part as f64 / parts as f64;
                // The last part includes the upper end.
                let to = if part + 1 == parts { 2.0 } else { at(part + 1) };
                slices.push(Slice { parameter: index, from: at(part), to });
            }
        }
        slices.retain(|slice| !slice.has(&default));
        rng.shuffle(&mut slices);
        let crash = slices.first().copied();
        let elsewhere = |other: &&Slice| crash.is_none_or(|crash| crash.parameter != other.parameter);
        let memory = slices.iter().find(elsewhere).or_else(|| slices.get(1)).copied();
        debug_assert!(crash.zip(memory).is_none_or(|(a, b)| !a.overlaps(&b)));
        Self { crash, memory }
    }

    /// Returns how a trial of this cost ends. A failing trial fails at a random time before it reaches its
    /// cost.
    pub(super) fn ending(&self, row: &[f64], cost: f64, rng: &mut Rng) -> Ending {
        let is_in = |slice: &Option<Slice>| slice.is_some_and(|slice| slice.has(row));
        if is_in(&self.crash) {
            Ending::Crashed { after: cost * rng.unit() }
        } else if is_in(&self.memory) {
            Ending::MemoryOut { after: cost * rng.unit() }
        } else {
            Ending::Finished
        }
    }
}
