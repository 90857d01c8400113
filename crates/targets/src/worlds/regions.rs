//! Where trials end badly: a slice of one parameter crashes, a slice of another (or another slice of the
//! same) runs out of memory. The default configuration does neither.
//!
//! A slice of a range is a fifth of its scale, a slice of choices is one of them.

use math::Rng;
use space::INACTIVE;
use space::{Domain, Space};

use super::Ending;

/// Places of one parameter, from inclusive to exclusive.
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
    /// A space that has only its default configuration has no regions.
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
                // The last part has the upper end, too.
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

    /// How a trial of this cost ends; badly somewhere before its cost.
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
