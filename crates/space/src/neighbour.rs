//! Configurations that differ from an origin in one parameter.
//!
//! | parameter | values tried |
//! |---|---|
//! | float, integer | u' = u + sd z with z standard normal, drawn again while outside [0, 1] |
//! | ordinal | the value before and the value after |
//! | categorical, boolean | every other choice, at most [`Neighbourhood::choices`] of them |
//!
//! u is the position on the unit scale. Parameters that the change deactivates lose their values, and
//! parameters that it activates take their defaults. If bounds change, values within the new bounds stay.
//! Configurations that are invalid or equal to the origin are not neighbours.

use math::Rng;

use super::condition::Group;
use super::parameter::{Domain, Kind};
use super::range::Extent;
use super::settle::Slot;
use super::{Configuration, ParameterId, Space};

/// Maximum number of draws for one Gaussian step.
const MAX_DRAWS: usize = 50;

/// Settings for generating neighbours.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Neighbourhood {
    /// Number of neighbours per float or integer parameter.
    pub steps: usize,
    /// Standard deviation of a step on the unit scale.
    pub sd: f64,
    /// Maximum number of neighbours per parameter with choices.
    pub choices: usize,
}

impl Default for Neighbourhood {
    fn default() -> Self {
        Self { steps: 4, sd: 0.2, choices: 100 }
    }
}

impl Space {
    /// Returns the neighbours of a configuration in random order; all are valid and differ from it.
    pub fn neighbours(
        &self,
        origin: &Configuration,
        how: &Neighbourhood,
        rng: &mut Rng,
    ) -> Vec<Configuration> {
        let mut found = Vec::new();
        for id in self.ids().filter(|&id| origin.is_active(id)) {
            self.vary(id, origin.codes(), how, rng, &mut |codes| {
                found.push(Configuration::new(self.clone(), codes));
            });
        }
        rng.shuffle(&mut found);
        found
    }

    /// Calls `visit` with the codes of each neighbour that differs in one parameter (and in the parameters
    /// that depend on it).
    pub fn vary(
        &self,
        id: ParameterId,
        origin: &[f64],
        how: &Neighbourhood,
        rng: &mut Rng,
        visit: &mut impl FnMut(&[f64]),
    ) {
        let parameter = self.parameter(id);
        let code = origin[id.index()];
        if code.is_nan() || !parameter.is_variable() {
            return;
        }
        let group = &self.data.groups[self.data.group_of[id.index()] as usize];
        let mut codes = origin.to_vec();
        let mut offer = |new: f64| {
            codes.copy_from_slice(origin);
            if new != code && self.replace(group, id.index(), new, origin, &mut codes) {
                visit(&codes);
            }
        };
        match &parameter.domain {
            Domain::Choices(choices) if parameter.kind() == Kind::Ordinal => {
                let neighbours = [code - 1.0, code + 1.0];
                neighbours.into_iter().filter(|&c| c >= 0.0 && c < choices.count() as f64).for_each(offer);
            }
            Domain::Choices(choices) if choices.count() - 1 <= how.choices => {
                (0..choices.count()).for_each(|choice| offer(choice as f64));
            }
            Domain::Choices(choices) => {
                distinct_below(choices.count(), how.choices, rng).into_iter().for_each(|c| offer(c as f64));
            }
            Domain::Range(range) => {
                let Extent::Scale(scale) = range.extent(origin) else { return };
                let unit = scale.encode(code);
                for _ in 0..how.steps {
                    let mut moved = (0..MAX_DRAWS)
                        .map(|_| unit + how.sd * rng.normal())
                        .filter(|u| (0.0..=1.0).contains(u));
                    if let Some(new) = moved.by_ref().map(|u| scale.decode(u)).find(|&new| new != code) {
                        offer(new);
                    }
                }
            }
        }
    }

    /// Gives one parameter a new value and settles the parameters that depend on it. Returns whether the
    /// result is valid.
    fn replace(&self, group: &Group, changed: usize, new: f64, origin: &[f64], codes: &mut [f64]) -> bool {
        let mut inside = true;
        let settled = self.data.settle(group, codes, |index, slot, _| {
            let kept = if index == changed { new } else { origin[index] };
            match &slot {
                _ if kept.is_nan() => slot.default(&self.data.parameters[index]),
                Slot::Range(scale) if !scale.contains(kept) => {
                    inside = false;
                    kept
                }
                _ => kept,
            }
        });
        settled.is_ok() && inside
    }
}

/// Draws `count` distinct numbers below `n`.
fn distinct_below(n: usize, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut drawn = std::collections::BTreeSet::new();
    let mut order = Vec::with_capacity(count);
    // For more than half of the numbers, too many draws would repeat; a shuffle is cheaper.
    if count * 2 > n {
        let mut all: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut all);
        all.truncate(count);
        return all;
    }
    while order.len() < count {
        let next = rng.below(n);
        if drawn.insert(next) {
            order.push(next);
        }
    }
    order
}
