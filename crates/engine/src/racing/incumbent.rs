//! The incumbent and its pairs, and the rules for races that follow from them.

use std::collections::HashSet;

use super::Racing;
use super::pairs::Pairs;
use super::race::{Rules, known, trial};
use super::reference::References;
use super::rematches::Field;
use crate::history::History;
use crate::problem::constraint::Tally;
use crate::problem::{Objective, Problem};
use crate::trial::{ConfigId, Pair};

/// Largest number of pairs for an incumbent that has failed on all of its pairs.
const FAILURES: usize = 3;

/// The incumbent and the pairs on which its cost is known.
pub(super) struct IncumbentState {
    pub(super) problem: Problem,
    pub(super) racing: Racing,
    incumbent: ConfigId,
    /// The pairs on which the incumbent's cost is known, in the order in which it gained them.
    pairs: Vec<Pair>,
    met: HashSet<Pair>,
    source: Pairs,
    /// Index in `source` before which the incumbent has met all pairs.
    full: usize,
    tally: Tally,
    references: References,
    /// Number of pairs on which the incumbent failed.
    failures: usize,
}

impl IncumbentState {
    /// Returns the state of an incumbent without pairs.
    pub(super) fn new(problem: Problem, racing: Racing, incumbent: ConfigId) -> Self {
        let Objective { cutoff, par, grain, .. } = problem.objective;
        assert!(
            cutoff.is_none_or(|cutoff| cutoff > 0.0 && cutoff.is_finite()),
            "a cutoff must be positive and finite"
        );
        // If one of these factors were below 1, a challenger could be stopped although it had not lost.
        assert!(racing.slack >= 1.0 && par >= 1.0, "slack and penalty factor must be at least 1");
        assert!(grain >= 0.0, "a grain must not be negative");
        let source = Pairs::new(problem.instances, racing.deterministic, problem.seed);
        Self {
            problem,
            racing,
            incumbent,
            pairs: Vec::new(),
            met: HashSet::new(),
            source,
            full: 0,
            tally: Tally::default(),
            references: References::default(),
            failures: 0,
        }
    }

    /// Returns the state of an incumbent with these pairs. The history must contain its cost on
    /// each of them.
    pub(super) fn resumed(
        problem: Problem,
        racing: Racing,
        incumbent: ConfigId,
        pairs: &[Pair],
        history: &History,
    ) -> Self {
        let mut state = Self::new(problem, racing, incumbent);
        pairs.iter().for_each(|&pair| state.gain(pair, history));
        state
    }

    pub(super) fn incumbent(&self) -> ConfigId {
        self.incumbent
    }

    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub(super) fn objective(&self) -> &Objective {
        &self.problem.objective
    }

    /// Returns the number of pairs the incumbent needs before a challenger is judged.
    pub(super) fn least_pairs(&self) -> usize {
        self.racing.min_pairs.min(self.most_pairs()).min(self.source.count()).max(1)
    }

    /// Returns the largest number of pairs that the incumbent may have.
    pub(super) fn most_pairs(&self) -> usize {
        self.racing.max_pairs.max(1)
    }

    /// Returns the number of pairs due after this many challengers. This number stays small for an incumbent
    /// that has failed on all pairs: any challenger that does not fail will beat it.
    pub(super) fn pairs_due(&self, challengers: usize) -> usize {
        let least = self.least_pairs();
        if !self.is_ready() {
            // Races that open before the incumbent has its first pairs use exactly these pairs.
            return least;
        }
        let has_only_failed = self.failures == self.pairs.len();
        let most = if has_only_failed { FAILURES.min(self.most_pairs()) } else { self.most_pairs() };
        let due = self.racing.schedule.pairs(challengers, self.problem.instances as usize);
        due.min(most).max(least)
    }

    /// Returns whether configurations are compared seed by seed rather than by means over seeds.
    pub(super) fn compares_seeds(&self) -> bool {
        self.racing.deterministic || self.racing.common_seeds
    }

    /// Returns whether the incumbent has enough pairs to judge challengers.
    pub(super) fn is_ready(&self) -> bool {
        self.pairs.len() >= self.least_pairs()
    }

    /// Returns whether the incumbent satisfies all constraints, as far as measured.
    pub(super) fn is_feasible(&self) -> bool {
        !self.pairs.is_empty() && self.tally.violation(&self.objective().constraints) == 0.0
    }

    pub(super) fn rules<'a>(&'a self, history: &'a History) -> Rules<'a> {
        Rules {
            tally: &self.tally,
            objective: self.objective(),
            racing: &self.racing,
            history,
            incumbent: self.incumbent,
            pairs: &self.pairs,
            references: (!self.compares_seeds()).then_some(&self.references),
            ready: self.is_ready(),
            feasible: self.is_feasible(),
        }
    }

    /// Returns the facts that decide which configurations may race again; those in `busy` may not.
    pub(super) fn field<'a>(&self, history: &'a History, busy: &'a [ConfigId]) -> Field<'a> {
        let default = history.find(&self.problem.default).unwrap_or(self.incumbent);
        Field { history, default, incumbent: self.incumbent, pairs: self.pairs.len(), busy }
    }

    /// Returns the first pair that the incumbent has not met and that is not `pending`.
    pub(super) fn next_pair(&mut self, pending: &[Pair]) -> Option<Pair> {
        while self.source.get(self.full).is_some_and(|pair| self.met.contains(&pair)) {
            self.full += 1;
        }
        let mut place = self.full;
        loop {
            let pair = self.source.get(place)?;
            if !self.met.contains(&pair) && !pending.contains(&pair) {
                return Some(pair);
            }
            place += 1;
        }
    }

    /// Returns the baseline if it must be measured on a pair before the incumbent gains that pair.
    pub(super) fn missing_baseline(&self, pair: Pair, history: &History) -> Option<ConfigId> {
        self.baseline(history).filter(|&baseline| {
            known(history, self.objective(), baseline, pair).is_none() && !history.is_barred(baseline)
        })
    }

    /// Returns the baseline if a constraint is relative to it and it is not the incumbent.
    pub(super) fn baseline(&self, history: &History) -> Option<ConfigId> {
        let is_needed = self.objective().needs_baseline();
        let baseline = is_needed.then(|| history.find(&self.problem.default)).flatten();
        baseline.filter(|&baseline| baseline != self.incumbent)
    }

    /// Adds a pair on which the incumbent's cost is known.
    pub(super) fn gain(&mut self, pair: Pair, history: &History) {
        if self.met.insert(pair) {
            self.pairs.push(pair);
            self.add(pair, history);
        }
    }

    /// Adds all pairs on which the history contains the incumbent's cost, and the baseline's if that is needed, up to
    /// the first pair without them.
    pub(super) fn gain_all_known(&mut self, history: &History) {
        while self.pairs.len() < self.most_pairs()
            && let Some(pair) = self.next_pair(&[])
            && known(history, self.objective(), self.incumbent, pair).is_some()
            && self.missing_baseline(pair, history).is_none()
        {
            self.gain(pair, history);
        }
    }

    /// Returns how much a configuration violates the constraints on these pairs.
    fn violation_on(&self, config: ConfigId, pairs: &[Pair], history: &History) -> f64 {
        let trials = pairs.iter().filter_map(|&pair| trial(history, config, pair));
        Tally::of(trials.map(|trial| &trial.observation)).violation(&self.objective().constraints)
    }

    /// Chooses the successor of a barred incumbent and returns it with the pairs on which its cost is known.
    /// Feasible configurations come first. Among these, the one whose cost is known on the largest number of
    /// the incumbent's pairs is chosen; usually this is a former incumbent. If there are several, the best of
    /// them on these pairs is chosen. Returns `None` if no configuration is left.
    pub(super) fn successor(&self, history: &History) -> Option<(ConfigId, Vec<Pair>)> {
        let of = |config: ConfigId| -> Vec<Pair> {
            let known = |pair: &&Pair| known(history, self.objective(), config, **pair).is_some();
            self.pairs.iter().filter(known).copied().collect()
        };
        let all = (0..history.configurations().len() as u32).map(ConfigId);
        let left = all.filter(|&config| config != self.incumbent && !history.is_barred(config));
        left.map(|config| (config, of(config))).filter(|(_, pairs)| !pairs.is_empty()).reduce(|best, next| {
            let both: Vec<_> = best
                .1
                .iter()
                .filter_map(|&pair| Some((trial(history, next.0, pair)?, trial(history, best.0, pair)?)))
                .map(|(next, best)| (&next.observation, &best.observation))
                .collect();
            let violation = |one: &(ConfigId, Vec<Pair>)| self.violation_on(one.0, &one.1, history);
            let (own, other) = (violation(&next), violation(&best));
            let better = (own == 0.0)
                .cmp(&(other == 0.0))
                .then_with(|| next.1.len().cmp(&best.1.len()))
                .then_with(|| other.total_cmp(&own))
                .then_with(|| self.objective().compare(&both).reverse());
            if better.is_gt() { next } else { best }
        })
    }

    /// Returns the number of pairs on which a configuration's cost is known.
    pub(super) fn known_pairs(&self, config: ConfigId, history: &History) -> usize {
        history
            .readings(config)
            .filter(|(_, trial)| self.objective().known(&trial.observation).is_some())
            .count()
    }

    fn add(&mut self, pair: Pair, history: &History) {
        if let Some(trial) = trial(history, self.incumbent, pair) {
            self.tally.add(&trial.observation);
            self.failures += usize::from(trial.observation.status().is_failure());
            if let Some(cost) = self.objective().known(&trial.observation) {
                self.references.add(pair, cost);
            }
        }
    }

    /// Makes another configuration the incumbent and returns the previous one. The cost of the new incumbent
    /// must be known on all pairs.
    pub(super) fn promote(&mut self, config: ConfigId, history: &History) -> ConfigId {
        let before = std::mem::replace(&mut self.incumbent, config);
        self.tally = Tally::default();
        self.references = References::default();
        self.failures = 0;
        for place in 0..self.pairs.len() {
            self.add(self.pairs[place], history);
        }
        before
    }
}
