//! Rematches: which configurations race again.
//!
//! With few pairs, luck decides: a good configuration may lose its race, and a lucky one may win.
//! Configurations that were dropped may therefore race again when there are more pairs to compare on.
//!
//! | which | when |
//! |---|---|
//! | former incumbents, the earliest (the default) first | when the incumbent has gained a pair and has at least twice as many as at their last meeting |
//! | the configuration with the lowest cost expected by a model, if lower than the incumbent's | likewise, but only when the incumbent has at least twice as many pairs as at the last such rematch |
//! | the last five former incumbents | at once, when the incumbent has gained a pair and is no longer feasible |
//! | the default and the configurations with the lowest costs expected by a model, then the latest former incumbents | at once, when the end of the campaign is near |
//!
//! A former incumbent that failed never returns. For each pair that the incumbent gains, at most one
//! configuration returns. A former incumbent begins with the pairs that it had as the incumbent, so that one
//! unlucky pair does not decide. On its first n pairs, a configuration that returns may be worse than the
//! incumbent by a factor of `1 + 2 / sqrt(n)`; on all pairs it must be better. Rematches suggested by a model
//! are rare on purpose: the model always favours some configurations, and their rematches take time away from
//! other challengers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::trial::ConfigId;

/// Number of configurations that race again shortly before the end.
pub(super) const FINALISTS: usize = 5;

/// Past incumbents and rematches. The number of entries is at most the number of gained pairs plus the number
/// of former incumbents.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rematches {
    /// Former incumbents that never failed, in the order in which they were replaced.
    former: Vec<ConfigId>,
    /// Number of pairs the incumbent had when each configuration last raced again.
    returned: BTreeMap<ConfigId, usize>,
    /// Number of pairs the incumbent had at the last rematch suggested by a model.
    hoped: usize,
    /// Whether the incumbent has gained a pair since the last rematch.
    due: bool,
    /// Whether the finalists have been chosen.
    is_final: bool,
}

/// The facts that decide which configurations may race again.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) history: &'a History,
    pub(super) default: ConfigId,
    pub(super) incumbent: ConfigId,
    /// Number of pairs on which the incumbent's cost is known.
    pub(super) pairs: usize,
    /// Configurations that are racing or have a running trial.
    pub(super) busy: &'a [ConfigId],
}

impl Field<'_> {
    fn is_out(&self, config: ConfigId) -> bool {
        config != self.incumbent && !self.busy.contains(&config) && !self.history.is_barred(config)
    }
}

fn has_failed(config: ConfigId, history: &History) -> bool {
    history.readings(config).any(|(_, trial)| trial.observation.status().is_failure())
}

impl Rematches {
    /// Records that the incumbent has gained a pair.
    pub(super) fn gained(&mut self) {
        self.due = true;
    }

    /// Returns whether a configuration may race again.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// Records that an incumbent was replaced. If it failed, it never returns; otherwise
    /// configurations that fail would replace each other again and again.
    pub(super) fn replaced(&mut self, before: ConfigId, history: &History) {
        self.former.retain(|&config| config != before);
        if !has_failed(before, history) {
            self.former.push(before);
        }
    }

    /// Returns the former incumbents that may race, latest first.
    pub(super) fn latest(&self, field: Field<'_>) -> Vec<ConfigId> {
        self.former.iter().rev().copied().filter(|&config| field.is_out(config)).collect()
    }

    /// Returns whether a rematch suggested by a model is due.
    pub(super) fn needs_model(&self, field: Field<'_>) -> bool {
        field.pairs >= 2 * self.hoped
    }

    /// Returns the configuration that races again, if any. `expected` contains the costs that a
    /// model expects, indexed by the number of the configuration.
    pub(super) fn next(&mut self, field: Field<'_>, expected: &[f64]) -> Option<ConfigId> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let is_due =
            |config: ConfigId| field.is_out(config) && 2 * self.last_met(config, field) <= field.pairs;
        let former = self.former.iter().copied().find(|&config| is_due(config));
        let better = || {
            if !self.needs_model(field) {
                return None;
            }
            let own = expected.get(field.incumbent.index()).copied().unwrap_or(f64::NAN);
            let is_due = |config| is_due(config) && !has_failed(config, field.history);
            let cheaper = expectations(expected).filter(|&(config, cost)| cost < own && is_due(config));
            cheaper.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(config, _)| config)
        };
        if former.is_some() {
            return former;
        }
        let better = better()?;
        self.hoped = field.pairs;
        Some(better)
    }

    /// Records that a configuration races again, against an incumbent with this many pairs.
    pub(super) fn record(&mut self, config: ConfigId, pairs: usize) {
        self.returned.insert(config, pairs);
    }

    /// Returns whether the incumbent had this many pairs at the last rematch of a configuration.
    pub(super) fn has_met(&self, config: ConfigId, pairs: usize) -> bool {
        self.returned.get(&config) == Some(&pairs)
    }

    /// Returns the number of pairs the incumbent had at the last rematch of a configuration, or the
    /// number of pairs the configuration has met if that is larger.
    fn last_met(&self, config: ConfigId, field: Field<'_>) -> usize {
        let met = field.history.readings(config).count();
        self.returned.get(&config).map_or(met, |&pairs| pairs.max(met))
    }

    /// Returns whether the finalists have been chosen.
    pub(super) fn is_final(&self) -> bool {
        self.is_final
    }

    /// Chooses the configurations that race shortly before the end. Returns no configuration if the end is
    /// not near.
    pub(super) fn finalists(&mut self, near: bool, field: Field<'_>, expected: &[f64]) -> Vec<ConfigId> {
        self.is_final = near;
        if !near {
            return Vec::new();
        }
        let mut best: Vec<(ConfigId, f64)> = expectations(expected).collect();
        best.sort_by(|a, b| a.1.total_cmp(&b.1));
        let best = best.into_iter().map(|(config, _)| config);
        let latest = self.former.iter().rev().copied();
        let mut finalists: Vec<ConfigId> = Vec::new();
        for config in std::iter::once(field.default).chain(best).chain(latest) {
            let is_new = field.is_out(config) && !finalists.contains(&config);
            if finalists.len() < FINALISTS && is_new && !has_failed(config, field.history) {
                finalists.push(config);
            }
        }
        finalists
    }
}

/// Returns the configurations that have an expected cost, with these costs.
fn expectations(expected: &[f64]) -> impl Iterator<Item = (ConfigId, f64)> {
    (0..).map(ConfigId).zip(expected.iter().copied()).filter(|(_, cost)| cost.is_finite())
}
