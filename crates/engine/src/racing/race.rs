//! One challenger against the incumbent.

use super::comparison::Objective;
use super::constraint::{beyond_doubt, violation};
use super::{Drop, Racing};
use crate::history::{History, Trial};
use crate::reading::Reading;
use crate::rng::Rng;
use crate::trial::{ConfigId, Pair, TrialId};

/// The state of a race.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Race {
    pub(super) config: ConfigId,
    /// The pairs of this and earlier batches, in the order drawn for this challenger.
    pub(super) order: Vec<Pair>,
    /// How many batches there have been.
    pub(super) batches: u32,
    pub(super) running: Vec<TrialId>,
    pub(super) sums: Sums,
    /// All pairs before this place are known.
    cursor: usize,
}

/// Sums of compared costs over the pairs of `order`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Sums {
    /// The incumbent's; `None` while it has not ended on one of them.
    pub(super) incumbent: Option<f64>,
    /// The challenger's where it is known.
    pub(super) known: f64,
    /// On how many pairs that is.
    pub(super) count: usize,
    /// The challenger's bounds where it was capped.
    pub(super) bounds: f64,
    /// On how many pairs it failed and the incumbent did not.
    pub(super) failures: usize,
}

/// What a race is judged by.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) objective: &'a Objective,
    pub(super) racing: &'a Racing,
    pub(super) history: &'a History,
    pub(super) incumbent: ConfigId,
    /// Whether a challenger may be stopped for its cost: not before the incumbent is feasible.
    pub(super) capping: bool,
}

/// Where a race stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Standing {
    Open,
    Lost(Drop),
    /// The batch is won.
    Won,
}

impl Race {
    pub(super) fn new(config: ConfigId) -> Self {
        let sums = Sums::default();
        Self { config, order: Vec::new(), batches: 0, running: Vec::new(), sums, cursor: 0 }
    }

    /// Continues a race whose order is known.
    pub(super) fn resumed(config: ConfigId, order: Vec<Pair>, batches: u32) -> Self {
        Self { order, batches, ..Self::new(config) }
    }

    /// Adds a batch of twice the size of the last one, drawn from the pairs not met yet.
    pub(super) fn add_batch(&mut self, incumbent_pairs: &[Pair], seed: u64) {
        let left = incumbent_pairs.len() - self.order.len();
        let size = left.min(1usize << self.batches.min(40));
        let mut rng = Rng::new(seed, "order", u64::from(self.config.0) << 32 | u64::from(self.batches));
        self.batches += 1;
        if (self.order.len() + size) * 2 <= incumbent_pairs.len() {
            // Few of many: draw until it is a new one, rather than listing them all.
            for _ in 0..size {
                let fresh = loop {
                    let pair = incumbent_pairs[rng.below(incumbent_pairs.len())];
                    if !self.order.contains(&pair) {
                        break pair;
                    }
                };
                self.order.push(fresh);
            }
        } else {
            let met: std::collections::HashSet<Pair> = self.order.iter().copied().collect();
            let mut fresh: Vec<Pair> =
                incumbent_pairs.iter().copied().filter(|pair| !met.contains(pair)).collect();
            rng.shuffle(&mut fresh);
            self.order.extend(fresh.into_iter().take(size));
        }
    }

    /// Computes the sums anew.
    pub(super) fn refresh(&mut self, rules: Rules<'_>) {
        self.sums = Sums { incumbent: Some(0.0), ..Sums::default() };
        self.cursor = 0;
        for place in 0..self.order.len() {
            let pair = self.order[place];
            let known = known(rules.history, rules.objective, rules.incumbent, pair);
            self.sums.incumbent = self.sums.incumbent.zip(known).map(|(sum, cost)| sum + cost);
            self.add(pair, rules);
        }
    }

    /// Takes in the challenger's reading of one pair.
    pub(super) fn add(&mut self, pair: Pair, rules: Rules<'_>) {
        let Rules { objective, history, incumbent, .. } = rules;
        match compared(history, objective, self.config, pair) {
            Some(Reading::Exact(cost)) => {
                self.sums.known += cost;
                self.sums.count += 1;
                let failed = |config| is_failure(history, config, pair);
                let met = trial(history, incumbent, pair).is_some();
                self.sums.failures += usize::from(met && failed(self.config) && !failed(incumbent));
            }
            Some(Reading::AtLeast(cost)) => self.sums.bounds += cost,
            None => {}
        }
    }

    /// The largest sum with which the challenger stays in the race.
    pub(super) fn bound(&self, rules: Rules<'_>) -> f64 {
        let slack = rules.racing.slack;
        match self.sums.incumbent {
            // An infinite slack times a sum of zero would not be a number.
            Some(sum) if rules.capping && slack.is_finite() => {
                slack * sum + self.order.len() as f64 * rules.objective.grain
            }
            _ => f64::INFINITY,
        }
    }

    /// What the challenger may still cost, with `elapsed` the sum of what its running trials have
    /// reached; negative if it is out. A trial stopped at its cap has passed it, by however little: less
    /// than a grain is nothing then.
    pub(super) fn left(&self, rules: Rules<'_>, elapsed: f64) -> f64 {
        let bound = self.bound(rules);
        let left = bound - self.sums.known - self.sums.bounds - elapsed;
        let least = rules.objective.grain.max(bound * 1e-12);
        if self.sums.bounds > 0.0 && left < least { -1.0 } else { left }
    }

    /// The next pair to run: not known and not running.
    pub(super) fn next_pair(&mut self, rules: Rules<'_>, is_running: impl Fn(Pair) -> bool) -> Option<Pair> {
        let config = self.config;
        let is_known = |pair: Pair| known(rules.history, rules.objective, config, pair).is_some();
        while self.order.get(self.cursor).is_some_and(|&pair| is_known(pair)) {
            self.cursor += 1;
        }
        self.order[self.cursor..].iter().copied().find(|&pair| !is_known(pair) && !is_running(pair))
    }

    /// Where the race stands, with `elapsed` the sum of what its running trials have reached beyond
    /// earlier bounds, and `last` if it has met all pairs of the incumbent.
    pub(super) fn standing(&self, rules: Rules<'_>, elapsed: f64, last: bool) -> Standing {
        let Rules { objective, history, capping, .. } = rules;
        if self.sums.failures > 0 {
            return Standing::Lost(Drop::Failure);
        }
        if capping && self.left(rules, elapsed) < 0.0 {
            return Standing::Lost(Drop::Sum);
        }
        if capping && !objective.constraints.is_empty() {
            let own = || observations(history, self.config, &self.order);
            if beyond_doubt(&objective.constraints, own) {
                return Standing::Lost(Drop::Constraint);
            }
        }
        if self.sums.count < self.order.len() || self.sums.incumbent.is_none() {
            return Standing::Open;
        }
        self.compare(rules, last)
    }

    /// The end of a batch. Sums are taken in the order of the race, so that they do not depend on
    /// the order in which parallel trials ended.
    fn compare(&self, rules: Rules<'_>, last: bool) -> Standing {
        let Rules { objective, history, incumbent, .. } = rules;
        let sum = |config| -> f64 {
            self.order.iter().filter_map(|&pair| known(history, objective, config, pair)).sum()
        };
        let cheaper = sum(self.config) <= sum(incumbent);
        if objective.constraints.is_empty() {
            return if cheaper { Standing::Won } else { Standing::Lost(Drop::Batch) };
        }
        let violation =
            |config| violation(&objective.constraints, || observations(history, config, &self.order));
        let (own, other) = (violation(self.config), violation(incumbent));
        match (own > 0.0, other > 0.0) {
            (false, false) if cheaper => Standing::Won,
            (false, false) => Standing::Lost(Drop::Batch),
            (false, true) => Standing::Won,
            (true, true) if own <= other => Standing::Won,
            // Perhaps feasible after all: more pairs will tell.
            (true, false) if !last && cheaper => Standing::Won,
            (true, _) => Standing::Lost(Drop::Constraint),
        }
    }
}

fn trial(history: &History, config: ConfigId, pair: Pair) -> Option<&Trial> {
    history.reading(config, history.find_pair(pair)?)
}

/// The compared cost of a configuration on a pair.
pub(super) fn compared(
    history: &History,
    objective: &Objective,
    config: ConfigId,
    pair: Pair,
) -> Option<Reading> {
    trial(history, config, pair).map(|trial| objective.compared(&trial.observation))
}

/// The compared cost of a configuration on a pair, if it is not only a bound.
pub(super) fn known(history: &History, objective: &Objective, config: ConfigId, pair: Pair) -> Option<f64> {
    compared(history, objective, config, pair)?.exact()
}

fn is_failure(history: &History, config: ConfigId, pair: Pair) -> bool {
    trial(history, config, pair).is_some_and(|trial| trial.observation.status().is_failure())
}

fn observations<'a>(
    history: &'a History,
    config: ConfigId,
    pairs: &[Pair],
) -> impl Iterator<Item = &'a crate::Observation> {
    pairs.iter().filter_map(move |&pair| trial(history, config, pair)).map(|trial| &trial.observation)
}
