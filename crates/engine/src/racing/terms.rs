//! What every race is about: the incumbent, its pairs, and the rules that follow from them.

use std::collections::HashSet;

use super::Racing;
use super::again::Field;
use super::pairs::Pairs;
use super::race::{Rules, known, trial};
use super::reference::References;
use crate::history::History;
use crate::problem::constraint::Tally;
use crate::problem::{Objective, Problem};
use crate::trial::{ConfigId, Pair};

/// Pairs of an incumbent that failed on all of them.
const FAILURES: usize = 3;

/// The incumbent and what it is known on.
pub(super) struct Terms {
    pub(super) problem: Problem,
    pub(super) racing: Racing,
    incumbent: ConfigId,
    /// The pairs on which the incumbent is known, in the order gained.
    pairs: Vec<Pair>,
    met: HashSet<Pair>,
    source: Pairs,
    /// The incumbent has met all pairs of the source before this place.
    full: usize,
    tally: Tally,
    references: References,
    /// On how many pairs the incumbent failed.
    failures: usize,
}

impl Terms {
    /// The incumbent before its first pair.
    pub(super) fn new(problem: Problem, racing: Racing, incumbent: ConfigId) -> Self {
        let Objective { cutoff, par, grain, .. } = problem.objective;
        assert!(
            cutoff.is_none_or(|cutoff| cutoff > 0.0 && cutoff.is_finite()),
            "a cutoff is positive and finite"
        );
        // With less than this a challenger that is stopped need not have lost.
        assert!(racing.slack >= 1.0 && par >= 1.0, "slack and penalty factor are 1 or more");
        assert!(grain >= 0.0, "a grain is not negative");
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

    /// The incumbent with the pairs it had.
    pub(super) fn resumed(
        problem: Problem,
        racing: Racing,
        incumbent: ConfigId,
        pairs: &[Pair],
        history: &History,
    ) -> Self {
        let mut terms = Self::new(problem, racing, incumbent);
        pairs.iter().for_each(|&pair| terms.gain(pair, history));
        terms
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

    /// How many pairs the incumbent has before a challenger is judged.
    pub(super) fn least_pairs(&self) -> usize {
        self.racing.min_pairs.min(self.most_pairs()).min(self.source.count()).max(1)
    }

    /// How many pairs the incumbent has at most.
    pub(super) fn most_pairs(&self) -> usize {
        self.racing.max_pairs.max(1)
    }

    /// Pairs that are due after so many challengers. An incumbent that has only failed needs no more to lose
    /// against whoever does not.
    pub(super) fn pairs_due(&self, challengers: usize) -> usize {
        let least = self.least_pairs();
        if !self.are_ready() {
            // Races opened before the incumbent has its first pairs are drawn from just those.
            return least;
        }
        let has_only_failed = self.failures == self.pairs.len();
        let most = if has_only_failed { FAILURES.min(self.most_pairs()) } else { self.most_pairs() };
        let due = self.racing.schedule.pairs(challengers, self.problem.instances as usize);
        due.min(most).max(least)
    }

    /// Whether two configurations are compared seed by seed, rather than with a mean over seeds.
    pub(super) fn compares_seeds(&self) -> bool {
        self.racing.deterministic || self.racing.common_seeds
    }

    /// Whether challengers may be judged.
    pub(super) fn are_ready(&self) -> bool {
        self.pairs.len() >= self.least_pairs()
    }

    /// Whether the incumbent keeps all constraints, as far as seen.
    pub(super) fn is_feasible(&self) -> bool {
        !self.pairs.is_empty() && self.tally.violation(&self.objective().constraints) == 0.0
    }

    pub(super) fn rules<'a>(&'a self, history: &'a History) -> Rules<'a> {
        Rules {
            objective: self.objective(),
            racing: &self.racing,
            history,
            incumbent: self.incumbent,
            pairs: &self.pairs,
            references: (!self.compares_seeds()).then_some(&self.references),
            ready: self.are_ready(),
            feasible: self.is_feasible(),
        }
    }

    /// Those who may race again, but for the busy ones.
    pub(super) fn field<'a>(&self, history: &'a History, busy: &'a [ConfigId]) -> Field<'a> {
        let default = history.find(&self.problem.default).unwrap_or(self.incumbent);
        Field { history, default, incumbent: self.incumbent, pairs: self.pairs.len(), busy }
    }

    /// The first pair that the incumbent has not met, and which is not `pending`.
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

    /// The incumbent is known on one more pair.
    pub(super) fn gain(&mut self, pair: Pair, history: &History) {
        if self.met.insert(pair) {
            self.pairs.push(pair);
            self.take_in(pair, history);
        }
    }

    /// The incumbent gains all pairs that the history can answer, as far as they come one after the
    /// other.
    pub(super) fn gain_all_known(&mut self, history: &History) {
        while self.pairs.len() < self.most_pairs()
            && let Some(pair) = self.next_pair(&[])
            && known(history, self.objective(), self.incumbent, pair).is_some()
        {
            self.gain(pair, history);
        }
    }

    /// How far a configuration is from feasible on these pairs.
    fn violation_on(&self, config: ConfigId, pairs: &[Pair], history: &History) -> f64 {
        let trials = pairs.iter().filter_map(|&pair| trial(history, config, pair));
        Tally::of(trials.map(|trial| &trial.observation)).violation(&self.objective().constraints)
    }

    /// Who takes over if the incumbent is barred, with the pairs it is known on: a feasible one if there is
    /// any; of those known on most of the incumbent's pairs, as earlier incumbents are, the best on them;
    /// `None` if nobody is left.
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

    /// On how many pairs a configuration is known.
    pub(super) fn known_pairs(&self, config: ConfigId, history: &History) -> usize {
        history
            .readings(config)
            .filter(|(_, trial)| self.objective().known(&trial.observation).is_some())
            .count()
    }

    fn take_in(&mut self, pair: Pair, history: &History) {
        if let Some(trial) = trial(history, self.incumbent, pair) {
            self.tally.take_in(&trial.observation);
            self.failures += usize::from(trial.observation.status().is_failure());
            if let Some(cost) = self.objective().known(&trial.observation) {
                self.references.take_in(pair, cost);
            }
        }
    }

    /// Another configuration, known on all the pairs, is the incumbent now; tells which one was.
    pub(super) fn crown(&mut self, config: ConfigId, history: &History) -> ConfigId {
        let before = std::mem::replace(&mut self.incumbent, config);
        self.tally = Tally::default();
        self.references = References::default();
        self.failures = 0;
        for place in 0..self.pairs.len() {
            self.take_in(self.pairs[place], history);
        }
        before
    }
}
