//! The race between the candidates of a round.
//!
//! ```text
//! bound(n) = slack · Σ_n leader + n · grain        slack 1.5; before there is a leader: 2 · Σ_n current
//! cap      = min(cutoff, bound(n) - Σ_n candidate)
//! dropped:   Σ_n candidate > bound(n), or mean_n(candidate - leader) > its standard error
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | Σ_n | sum of compared costs over the first n pairs; a lower bound counts as the cost |
//! | n | 4, 8, 16, … up to all pairs |
//!
//! A candidate that is measured on all pairs, satisfies all bounds and beats the leader becomes the leader. A
//! candidate that violates a bound is dropped. If every candidate is dropped before there is a leader, no single
//! change is worth making alone.

use space::Configuration;
use surrogate::Reading;

use super::{Plan, Readings, Wanted};
use crate::problem::Total;
use crate::trial::Cap;

/// Number of pairs in the first batch.
const FIRST: usize = 4;
/// Factor on the leader's sum.
const SLACK: f64 = 1.5;
/// Factor on the current configuration's sum, before there is a leader.
const SLACK_OVER_CURRENT: f64 = 2.0;

/// The state of a race.
pub(super) enum Race {
    /// More trials are needed.
    Open(Vec<Wanted>),
    /// This candidate is the fastest.
    Won(Configuration),
    /// All candidates were dropped.
    NoneLeft,
}

/// The state of one candidate.
enum State {
    Dropped,
    Ahead,
    Wants(Vec<Wanted>),
}

impl Plan {
    /// Races candidates. The current configuration must have been measured on all pairs.
    pub(super) fn race(
        &self,
        readings: &Readings,
        current: &Configuration,
        candidates: &[Configuration],
    ) -> Race {
        let mut wanted = Vec::new();
        let mut leader: Option<&Configuration> = None;
        for candidate in candidates {
            match self.meet(readings, candidate, leader, current) {
                State::Ahead => leader = Some(candidate),
                State::Dropped => {}
                State::Wants(more) => {
                    wanted.extend(more);
                    // Without a leader, the next candidates would run with caps that are too generous.
                    if leader.is_none() {
                        break;
                    }
                }
            }
        }
        match (wanted.is_empty(), leader) {
            (false, _) => Race::Open(wanted),
            (true, Some(leader)) => Race::Won(leader.clone()),
            (true, None) => Race::NoneLeft,
        }
    }

    fn meet(
        &self,
        readings: &Readings,
        candidate: &Configuration,
        leader: Option<&Configuration>,
        current: &Configuration,
    ) -> State {
        let (reference, slack) = leader.map_or((current, SLACK_OVER_CURRENT), |leader| (leader, SLACK));
        // Leaders and the current configuration have been measured on all pairs.
        let Some(against) = readings.costs(self, reference, &self.pairs) else { return State::Dropped };
        let all = self.pairs.len();
        let ends =
            std::iter::successors(Some(FIRST.min(all)), |&end| (end < all).then(|| (2 * end).min(all)));
        for end in ends {
            let bound = slack * against[..end].iter().sum::<f64>() + end as f64 * self.objective.grain;
            let found: Vec<_> =
                self.pairs[..end].iter().map(|&pair| readings.compared(self, candidate, pair)).collect();
            let sum: f64 = found.iter().flatten().map(|one| one.lower_bound()).sum();
            let is_open = found.iter().any(|one| one.is_none_or(Reading::is_censored));
            let left = bound - sum;
            let least = self.objective.grain.max(1e-9 * bound);
            if self.objective.cutoff.is_some() && (left < 0.0 || (is_open && left < least)) {
                return State::Dropped;
            }
            if self.proves_violation(readings, candidate, &self.pairs[..end]) {
                return State::Dropped;
            }
            let open = self.pairs[..end].iter().zip(&found);
            let wants: Vec<Wanted> = open
                .filter(|(_, found)| found.is_none_or(|found| found.is_censored()))
                .map(|(&pair, found)| {
                    let own = found.map_or(0.0, |found| found.lower_bound());
                    let cap = match self.objective.cutoff {
                        Some(cutoff) => Cap::at(cutoff.min(bound - (sum - own))),
                        None => Cap::NONE,
                    };
                    Wanted { configuration: candidate.clone(), pair, cap }
                })
                .collect();
            if !wants.is_empty() {
                return State::Wants(wants);
            }
            let costs: Vec<f64> = found.iter().flatten().map(|one| one.lower_bound()).collect();
            if end == all && !self.keeps_bounds(readings, candidate, &self.pairs) {
                return State::Dropped;
            }
            if leader.is_none() {
                continue;
            }
            if end == all {
                let sum = |costs: &[f64]| costs.iter().copied().sum::<Total>();
                return if sum(&costs) < sum(&against) { State::Ahead } else { State::Dropped };
            }
            if is_clearly_worse(&costs, &against[..end]) {
                return State::Dropped;
            }
        }
        State::Ahead
    }
}

/// Returns whether the mean difference is positive by more than its standard error.
fn is_clearly_worse(costs: &[f64], against: &[f64]) -> bool {
    let failures = |costs: &[f64]| costs.iter().filter(|cost| cost.is_infinite()).count();
    if failures(costs) != failures(against) {
        return failures(costs) > failures(against);
    }
    match difference(costs, against) {
        Some((mean, error)) => mean > error && mean > 0.0,
        None => false,
    }
}

/// Returns the mean difference of two configurations over the pairs on which both costs are finite, and its
/// standard error.
pub(super) fn difference(costs: &[f64], against: &[f64]) -> Option<(f64, f64)> {
    let both: Vec<f64> = costs
        .iter()
        .zip(against)
        .filter(|(own, other)| own.is_finite() && other.is_finite())
        .map(|(own, other)| own - other)
        .collect();
    let count = both.len() as f64;
    if both.len() < 2 {
        return None;
    }
    let mean = both.iter().sum::<f64>() / count;
    let squares: f64 = both.iter().map(|one| (one - mean) * (one - mean)).sum();
    Some((mean, (squares / (count - 1.0) / count).sqrt()))
}
