//! The pairs that the incumbent gains.

use super::CappedRacer;
use crate::history::History;
use crate::racing::Ask;
use crate::racing::incumbent::IncumbentState;
use crate::racing::race::known;
use crate::racing::rematches::FINALISTS;
use crate::racing::snapshot::PendingTrial;
use crate::trial::{Pair, TrialKey, Why};

impl CappedRacer {
    /// Returns the pairs on which the incumbent is running and which it will therefore gain.
    pub(super) fn gains(&self) -> impl Iterator<Item = Pair> {
        let gain =
            |trial: &&PendingTrial| trial.why == Why::Incumbent && trial.key.config == self.state.incumbent();
        self.running.values().map(|running| &running.trial).filter(gain).map(|trial| trial.key.pair)
    }

    /// Returns the pairs on which the baseline is running, so that the incumbent can gain them afterwards.
    fn before_gains(&self, history: &History) -> impl Iterator<Item = Pair> {
        let baseline = self.state.baseline(history);
        let trials = self.running.values().map(|running| &running.trial);
        trials.filter(move |trial| Some(trial.key.config) == baseline).map(|trial| trial.key.pair)
    }

    /// Returns the next trial of the incumbent, if a pair is due. If the history already contains its cost on
    /// the pair, the incumbent gains the pair at once. If a constraint is relative to the baseline, the
    /// baseline is measured on the pair first.
    pub(super) fn gain(&mut self, history: &History) -> Option<Ask> {
        loop {
            let pending: Vec<Pair> = self.gains().chain(self.before_gains(history)).collect();
            if self.state.pairs().len() + pending.len() >= self.state.pairs_due(self.challengers) {
                return None;
            }
            let pair = self.state.next_pair(&pending)?;
            let config = self.state.incumbent();
            if let Some(baseline) = self.state.missing_baseline(pair, history) {
                let (key, cap) = (TrialKey { config: baseline, pair }, self.state.objective().full_cap());
                return Some(self.run(key, cap, Why::Baseline, None, history));
            }
            if known(history, self.state.objective(), config, pair).is_none() {
                let cap = self.state.objective().full_cap();
                return Some(self.run(TrialKey { config, pair }, cap, Why::Incumbent, None, history));
            }
            self.gained(pair, history);
        }
    }

    /// Records that the incumbent's cost is known on one more pair.
    pub(super) fn gained(&mut self, pair: Pair, history: &History) {
        let rules = |state: &IncumbentState| (state.is_ready(), state.is_feasible());
        let before = rules(&self.state);
        self.state.gain(pair, history);
        self.rematches.gained();
        let after = rules(&self.state);
        // The new pair changes the incumbent's means, if means are compared, and the spread of its
        // constrained outputs.
        let is_constrained = !self.state.problem.objective.constraints.is_empty();
        if after != before || is_constrained || !self.state.compares_seeds() {
            if before.1 && !after.1 && self.state.pairs().len() > 1 {
                self.recall_former(history);
            }
            self.judge_all(history);
        }
    }

    /// Lets former incumbents race again after the incumbent has turned out to be infeasible. It had beaten
    /// them by cost, but they may be feasible.
    pub(super) fn recall_former(&mut self, history: &History) {
        let mut busy = self.busy();
        busy.extend(&self.earlier);
        // Their feasibility is not checked, because it is unknown on pairs where they were capped.
        let latest = self.rematches.latest(self.state.field(history, &busy));
        let place = self.requested.min(self.earlier.len());
        for config in latest.into_iter().take(FINALISTS).rev() {
            self.earlier.insert(place, config);
        }
    }
}
