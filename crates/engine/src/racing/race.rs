//! One challenger against the incumbent.

use std::collections::VecDeque;

use math::Rng;
use serde::{Deserialize, Serialize};
use surrogate::Reading;

use super::reference::References;
use super::{Drop, Racing};
use crate::history::{History, Trial};
use crate::observation::Observation;
use crate::problem::constraint::Tally;
use crate::problem::{Noise, Objective, Total};
use crate::trial::{ConfigId, Pair, TrialId, Why};

/// Tolerance for configurations that race again: on n pairs, they may be worse than the incumbent by a factor of
/// `1 + TOLERANCE / sqrt(n)`.
pub(super) const TOLERANCE: f64 = 2.0;

/// The state of a race.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Race {
    pub(super) config: ConfigId,
    /// Tolerance: on its first n pairs, the challenger may be worse than the incumbent by a factor of `1 +
    /// tolerance / sqrt(n)` without being dropped. There is no tolerance for costs without a cutoff.
    tolerance: f64,
    /// The pairs of this and earlier batches, in the order that was drawn for this challenger.
    pub(super) order: Vec<Pair>,
    /// Number of batches so far.
    batches: u32,
    /// The numbers of its running trials.
    pub(super) running: Vec<TrialId>,
    pub(super) sums: Sums,
    tally: Tally,
    /// The pairs on which the challenger's cost is unknown and no trial is running, in the order in which
    /// their trials will start.
    pub(super) todo: VecDeque<Pair>,
}

/// Sums of compared costs over the pairs in `order`.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sums {
    /// The incumbent's sum; `None` while its cost on one of the pairs is unknown.
    pub(super) incumbent: Option<f64>,
    /// The challenger's sum over the pairs on which its cost is known.
    pub(super) known: f64,
    /// Number of pairs on which the challenger's cost is known.
    pub(super) count: usize,
    /// Sum of the challenger's lower bounds, over the pairs on which it was capped.
    pub(super) bounds: f64,
    /// Number of pairs on which the challenger failed and the incumbent did not.
    pub(super) failures: usize,
}

/// The rules and the incumbent's data by which a race is judged.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) objective: &'a Objective,
    pub(super) racing: &'a Racing,
    pub(super) history: &'a History,
    pub(super) incumbent: ConfigId,
    /// The incumbent's pairs, in the order in which it gained them.
    pub(super) pairs: &'a [Pair],
    /// The incumbent's mean costs by instance; `None` if costs are compared seed by seed.
    pub(super) references: Option<&'a References>,
    /// Whether the incumbent has enough pairs to judge challengers.
    pub(super) ready: bool,
    /// Whether the incumbent satisfies all constraints.
    pub(super) feasible: bool,
    /// The incumbent's constrained outputs.
    pub(super) tally: &'a Tally,
}

impl Rules<'_> {
    /// Returns whether a challenger may be stopped because of its cost. While the incumbent is infeasible, no
    /// challenger may be stopped: a fast infeasible incumbent would stop every slower feasible challenger.
    fn capping(&self) -> bool {
        self.objective.cutoff.is_some() && self.ready && self.feasible
    }

    /// Returns the incumbent's cost that a challenger is compared with on a pair; `None` if it is not yet
    /// known.
    fn reference(&self, pair: Pair) -> Option<f64> {
        match self.references {
            Some(references) => references.mean(pair.instance),
            None => known(self.history, self.objective, self.incumbent, pair),
        }
    }
}

/// The state of a race after judging it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Standing {
    Open,
    Lost(Drop),
    /// The batch is won.
    Won,
}

impl Race {
    pub(super) fn new(config: ConfigId) -> Self {
        Self {
            config,
            tolerance: 0.0,
            order: Vec::new(),
            batches: 0,
            running: Vec::new(),
            sums: Sums::default(),
            tally: Tally::default(),
            todo: VecDeque::new(),
        }
    }

    /// Returns a race of a configuration that has lost before, with tolerance. The race starts with the pairs that the
    /// configuration had as the incumbent. Its other known costs do not count yet, because they depend on the caps:
    /// without caps, more of them would be known.
    pub(super) fn again(config: ConfigId, rules: Rules<'_>) -> Self {
        let was_gained = |pair: &Pair| {
            trial(rules.history, config, *pair).is_some_and(|trial| trial.why == Why::Incumbent)
        };
        // An incumbent knows its cost on all earlier pairs, too.
        let count = rules.pairs.iter().rposition(was_gained).map_or(0, |last| last + 1);
        Self::starting_with(config, &rules.pairs[..count], rules)
    }

    /// Returns a race in an exhausted space, with tolerance. The race starts with all pairs on which the challenger's
    /// cost is already known.
    pub(super) fn in_exhausted_space(config: ConfigId, rules: Rules<'_>) -> Self {
        Self::starting_with(config, rules.pairs, rules)
    }

    fn starting_with(config: ConfigId, pairs: &[Pair], rules: Rules<'_>) -> Self {
        let is_known = |pair: &&Pair| known(rules.history, rules.objective, config, **pair).is_some();
        let order = pairs.iter().filter(is_known).copied().collect();
        let mut race = Self { tolerance: TOLERANCE, order, ..Self::new(config) };
        race.refresh(rules);
        race
    }

    /// Adds a batch twice the size of the last one, drawn from the pairs that the challenger has
    /// not met.
    pub(super) fn add_batch(&mut self, incumbent_pairs: &[Pair], seed: u64, rules: Rules<'_>) {
        let first = self.order.len();
        self.draw_batch(incumbent_pairs, seed);
        let is_open = |pair: &Pair| known(rules.history, rules.objective, self.config, *pair).is_none();
        self.todo.extend(self.order[first..].iter().copied().filter(is_open));
        self.refresh(rules);
    }

    fn draw_batch(&mut self, incumbent_pairs: &[Pair], seed: u64) {
        let left = incumbent_pairs.len() - self.order.len();
        let size = left.min(1usize << self.batches.min(40));
        let mut rng = Rng::new(seed, "order", u64::from(self.config.0) << 32 | u64::from(self.batches));
        self.batches += 1;
        if (self.order.len() + size) * 2 <= incumbent_pairs.len() {
            // If few of many pairs are needed, drawing until a new one appears is cheaper than listing
            // them all.
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

    /// Recomputes the sums.
    pub(super) fn refresh(&mut self, rules: Rules<'_>) {
        self.sums = Sums { incumbent: Some(0.0), ..Sums::default() };
        self.tally = Tally::default();
        for place in 0..self.order.len() {
            let pair = self.order[place];
            let reference = rules.reference(pair);
            self.sums.incumbent = self.sums.incumbent.zip(reference).map(|(sum, cost)| sum + cost);
            self.add(pair, rules);
        }
    }

    /// Adds the challenger's result on one pair.
    pub(super) fn add(&mut self, pair: Pair, rules: Rules<'_>) {
        let Rules { objective, history, incumbent, .. } = rules;
        let Some(Trial { observation, .. }) = trial(history, self.config, pair) else { return };
        self.tally.add(observation);
        match objective.compared(observation) {
            Some(Reading::Exact(cost)) => {
                self.sums.known += cost;
                self.sums.count += 1;
                let incumbent_failed = || {
                    trial(history, incumbent, pair).is_none_or(|met| met.observation.status().is_failure())
                };
                self.sums.failures += usize::from(observation.status().is_failure() && !incumbent_failed());
            }
            Some(Reading::AtLeast(cost)) => self.sums.bounds += cost,
            None => {}
        }
    }

    /// Returns the factor on the incumbent's sum. The challenger continues after a batch if its own sum is at
    /// most the product.
    fn factor(&self, rules: Rules<'_>) -> f64 {
        let tolerant = rules.objective.cutoff.is_some() && !self.has_met_all(rules);
        if tolerant { 1.0 + self.tolerance / libm::sqrt(self.order.len() as f64) } else { 1.0 }
    }

    /// Returns the largest sum of costs with which the challenger stays in the race.
    pub(super) fn bound(&self, rules: Rules<'_>) -> f64 {
        let slack = rules.racing.slack.max(self.factor(rules));
        match self.sums.incumbent {
            // An infinite slack times a sum of zero would be NaN.
            Some(sum) if rules.capping() && slack.is_finite() => {
                // Each pair adds at least a tiny grain. Otherwise, an incumbent with costs of zero would stop
                // every challenger before its first trial.
                let grain = rules.objective.grain.max(f64::MIN_POSITIVE);
                slack * sum.max(0.0) + self.order.len() as f64 * grain
            }
            _ => f64::INFINITY,
        }
    }

    /// Returns the cost that the challenger may still use. `elapsed` is the total cost that its running
    /// trials have reached beyond earlier lower bounds.
    pub(super) fn left(&self, rules: Rules<'_>, elapsed: f64) -> f64 {
        let bound = self.bound(rules);
        // Without a cutoff, the sum of costs may be infinite as well, and the difference would be
        // NaN.
        if bound.is_finite() { bound - (self.sums.known + self.sums.bounds + elapsed) } else { bound }
    }

    /// Returns the smallest remaining cost that makes another trial worthwhile. This is one grain, or an
    /// amount that is not lost to rounding when added to a sum of this size, whichever is larger.
    pub(super) fn least_left(&self, rules: Rules<'_>) -> f64 {
        let bound = self.bound(rules);
        let resolution = if bound.is_finite() { bound * 1e-12 } else { 0.0 };
        rules.objective.grain.max(resolution)
    }

    /// Returns whether the sum exceeds the bound. This includes the case in which the challenger was stopped
    /// on a pair and too little of the bound is left to run it there again.
    fn is_too_slow(&self, rules: Rules<'_>, elapsed: f64) -> bool {
        let left = self.left(rules, elapsed);
        left < 0.0 || self.sums.bounds > 0.0 && left < self.least_left(rules)
    }

    /// Returns whether the challenger has met all pairs of the incumbent.
    pub(super) fn has_met_all(&self, rules: Rules<'_>) -> bool {
        self.order.len() >= rules.pairs.len()
    }

    /// Judges the race, with `elapsed` as in [`Self::left`].
    pub(super) fn standing(&self, rules: Rules<'_>, elapsed: f64) -> Standing {
        if !rules.ready {
            return Standing::Open;
        }
        if self.sums.failures > 0 {
            return Standing::Lost(Drop::Failure);
        }
        if self.is_too_slow(rules, elapsed) {
            return Standing::Lost(Drop::Sum);
        }
        if rules.feasible && self.tally.proves_violation(&rules.objective.constraints, rules.tally) {
            return Standing::Lost(Drop::Constraint);
        }
        if self.sums.count < self.order.len() || self.sums.incumbent.is_none() {
            return Standing::Open;
        }
        self.compare(rules)
    }

    /// Returns whether the challenger continues after a batch that is not the last one.
    fn is_promising(&self, rules: Rules<'_>) -> bool {
        let of = |cost: &dyn Fn(Pair) -> Option<f64>| -> Total {
            self.order.iter().filter_map(|&pair| cost(pair)).sum()
        };
        let own = of(&|pair| known(rules.history, rules.objective, self.config, pair));
        let other = of(&|pair| rules.reference(pair));
        let factor = self.factor(rules);
        own <= Total { failures: other.failures, cost: other.cost * factor }
    }

    /// Judges the race at the end of a batch. The costs are summed in a fixed order, so that the sums do not
    /// depend on the order in which parallel trials ended.
    fn compare(&self, rules: Rules<'_>) -> Standing {
        let Rules { objective, history, incumbent, feasible, .. } = rules;
        let last = self.has_met_all(rules);
        let pairs = if last { rules.pairs } else { &self.order };
        let both: Vec<(&Observation, &Observation)> = pairs
            .iter()
            .filter_map(|&pair| {
                let (own, other) = (trial(history, self.config, pair)?, trial(history, incumbent, pair)?);
                Some((&own.observation, &other.observation))
            })
            .collect();
        let equal_pairs = last || rules.references.is_none() && self.factor(rules) == 1.0;
        let cheaper = if equal_pairs { objective.compare(&both).is_le() } else { self.is_promising(rules) };
        if objective.constraints.is_empty() {
            return if cheaper { Standing::Won } else { Standing::Lost(Drop::Batch) };
        }
        let violation =
            |config| Tally::of(observations(history, config, pairs)).violation(&objective.constraints);
        let own = violation(self.config);
        match (own == 0.0, feasible) {
            (_, true) if !cheaper => Standing::Lost(Drop::Batch),
            // Before the last batch, the challenger may still turn out to be feasible when it has met more
            // pairs.
            (false, true) if last => Standing::Lost(Drop::Constraint),
            (true, true) if last && self.is_doubtful(rules) => Standing::Lost(Drop::Constraint),
            (_, true) | (true, false) => Standing::Won,
            (false, false) => {
                let other = violation(incumbent);
                let better = own < other || own == other && cheaper;
                if better { Standing::Won } else { Standing::Lost(Drop::Constraint) }
            }
        }
    }

    /// Returns whether a challenger that satisfies the constraints on average might owe that to luck, and more so than
    /// the incumbent.
    fn is_doubtful(&self, rules: Rules<'_>) -> bool {
        let constraints = &rules.objective.constraints;
        let mut noise = Noise::default();
        for config in [self.config, rules.incumbent] {
            let met = |&pair: &Pair| Some((pair.instance, &trial(rules.history, config, pair)?.observation));
            noise.add(rules.pairs.iter().filter_map(met));
        }
        let own = Tally::of(observations(rules.history, self.config, rules.pairs));
        let doubt = noise.doubt(&own, constraints);
        doubt > 0.0 && doubt > noise.doubt(rules.tally, constraints)
    }
}

/// Returns the most informative trial of a configuration on a pair.
pub(super) fn trial(history: &History, config: ConfigId, pair: Pair) -> Option<&Trial> {
    history.reading(config, history.find_pair(pair)?)
}

/// Returns the compared cost of a configuration on a pair.
pub(super) fn compared(
    history: &History,
    objective: &Objective,
    config: ConfigId,
    pair: Pair,
) -> Option<Reading> {
    objective.compared(&trial(history, config, pair)?.observation)
}

/// Returns the compared cost of a configuration on a pair, if it is known exactly.
pub(super) fn known(history: &History, objective: &Objective, config: ConfigId, pair: Pair) -> Option<f64> {
    compared(history, objective, config, pair)?.exact()
}

fn observations<'a>(
    history: &'a History,
    config: ConfigId,
    pairs: &[Pair],
) -> impl Iterator<Item = &'a Observation> {
    pairs.iter().filter_map(move |&pair| trial(history, config, pair)).map(|trial| &trial.observation)
}
