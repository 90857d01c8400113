//! The candidates of a round: the current configuration with one more change.

use space::{Configuration, ParameterId, Space};

use super::Plan;

/// Returns the parameters whose values differ, in the order of the space. An inactive parameter has no value.
pub fn changed(space: &Space, one: &Configuration, other: &Configuration) -> Vec<ParameterId> {
    space.ids().filter(|&id| one.value(id) != other.value(id)).collect()
}

impl Plan {
    /// Returns the valid configurations that are one change nearer to the best one, in the plan's order. If
    /// every single change is forbidden, pairs of changes are tried, and then all changes together.
    pub(super) fn candidates(&self, current: &Configuration) -> Vec<Configuration> {
        let open: Vec<ParameterId> = self
            .order
            .iter()
            .copied()
            .filter(|&id| self.best.is_active(id) && current.value(id) != self.best.value(id))
            .collect();
        let single: Vec<&[ParameterId]> = open.chunks(1).collect();
        let found = self.valid(current, single.iter().map(|taken| taken.to_vec()));
        if !found.is_empty() {
            return found;
        }
        let pairs = open
            .iter()
            .enumerate()
            .flat_map(|(place, &one)| open[place + 1..].iter().map(move |&other| vec![one, other]));
        let found = self.valid(current, pairs);
        if found.is_empty() { vec![self.best.clone()] } else { found }
    }

    fn valid(
        &self,
        current: &Configuration,
        changes: impl Iterator<Item = Vec<ParameterId>>,
    ) -> Vec<Configuration> {
        let mut found: Vec<Configuration> = Vec::new();
        for taken in changes {
            match self.space.adopt(current, &self.best, &taken) {
                Ok(next) if next != *current && !found.contains(&next) => found.push(next),
                // A parameter that is inactive so far changes nothing until its parent changes.
                _ => {}
            }
        }
        found
    }
}
