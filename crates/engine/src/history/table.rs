//! The pairs that one configuration has been tried on, sorted by number. Pairs arrive in nearly
//! ascending order, so a new pair is usually added at the end.

use super::{PairId, Trial};
use crate::observation::{Observation, Status};

/// The row of the most informative trial for each pair that was tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Readings(Vec<(PairId, u32)>);

impl Readings {
    pub(super) fn insert(&mut self, pair: PairId, row: u32, observation: &Observation, trials: &[Trial]) {
        if self.0.last().is_none_or(|&(last, _)| last < pair) {
            self.0.push((pair, row));
            return;
        }
        match self.0.binary_search_by_key(&pair, |&(pair, _)| pair) {
            Ok(place) => {
                let kept = &mut self.0[place].1;
                if is_more_informative(observation, &trials[*kept as usize].observation) {
                    *kept = row;
                }
            }
            Err(place) => self.0.insert(place, (pair, row)),
        }
    }

    pub(super) fn remove(&mut self, pair: PairId) {
        self.0.retain(|&(other, _)| other != pair);
    }

    pub(super) fn find(&self, pair: PairId) -> Option<u32> {
        let place = self.0.binary_search_by_key(&pair, |&(pair, _)| pair).ok()?;
        Some(self.0[place].1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (PairId, u32)> {
        self.0.iter().copied()
    }
}

/// Returns whether a new trial replaces the one kept for the same configuration and pair. Only a capped trial
/// can be replaced; otherwise the first result is kept.
pub(crate) fn is_more_informative(new: &Observation, kept: &Observation) -> bool {
    kept.status() == Status::Capped
        && match (new.cost(), kept.cost()) {
            (Some(new_cost), Some(kept_cost)) => {
                new.status() != Status::Capped || new_cost.is_more_informative_than(kept_cost)
            }
            _ => true,
        }
}
