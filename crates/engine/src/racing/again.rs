//! Who races again.
//!
//! Where pairs are few, luck decides: a good configuration may lose its race, a lucky one may win. So
//! whoever is out may come back when there is more to compare on.
//!
//! | who | when |
//! |---|---|
//! | whoever was the incumbent, the default first of all | the incumbent has gained a pair, and has twice as many as at their last meeting |
//! | the one that a model expects least of, if that is less than of the incumbent | likewise, one whenever the incumbent has twice as many pairs as when the last such one returned |
//! | whoever was the incumbent, the last five of them | the incumbent has gained a pair and is no longer feasible: at once |
//! | before the end, the default and those that a model expects least of, or that were the incumbent last | at once |
//!
//! Nobody returns who failed as the incumbent. One returns for each pair gained at most. Whoever returns and loses again mostly does so in its first batch, at the cost of a trial or two. Those of a
//! model are few, since there are always some of which it expects much: time for them is missing elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::trial::ConfigId;

/// How many race again before the end.
pub(super) const FINALISTS: usize = 5;

/// What is remembered of those that are out. There are no more of them than pairs gained and incumbents.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Again {
    /// Whoever was the incumbent without failing, in the order of their fall.
    former: Vec<ConfigId>,
    /// How many pairs the incumbent had when these last raced again.
    returned: BTreeMap<ConfigId, usize>,
    /// How many pairs the incumbent had when the last one returned that a model expected more of.
    hoped: usize,
    /// Whether the incumbent has gained a pair since somebody returned.
    due: bool,
    /// Whether the finalists were named.
    is_final: bool,
}

/// What may return.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) history: &'a History,
    pub(super) default: ConfigId,
    pub(super) incumbent: ConfigId,
    /// How many pairs the incumbent has.
    pub(super) pairs: usize,
    /// Those that race now, or have a trial running.
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

impl Again {
    /// The incumbent has gained a pair.
    pub(super) fn gained(&mut self) {
        self.due = true;
    }

    /// Whether somebody may return.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// One incumbent gave way to another. One that failed stays out: it and others that fail would take turns.
    pub(super) fn fell(&mut self, before: ConfigId, history: &History) {
        self.former.retain(|&config| config != before);
        if !has_failed(before, history) {
            self.former.push(before);
        }
    }

    /// Whoever was the incumbent and is out, the last one first.
    pub(super) fn latest(&self, field: Field<'_>) -> Vec<ConfigId> {
        self.former.iter().rev().copied().filter(|&config| field.is_out(config)).collect()
    }

    /// Whether one that a model expects less of may return.
    pub(super) fn hopes(&self, field: Field<'_>) -> bool {
        field.pairs >= 2 * self.hoped
    }

    /// Who returns, if anybody, with what a model expects of configurations by number.
    pub(super) fn next(&mut self, field: Field<'_>, expected: &[f64]) -> Option<ConfigId> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let is_due =
            |config: ConfigId| field.is_out(config) && 2 * self.last_met(config, field) <= field.pairs;
        let former = self.former.iter().copied().find(|&config| is_due(config));
        let better = || {
            if !self.hopes(field) {
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
        let hoped_for = better()?;
        self.hoped = field.pairs;
        Some(hoped_for)
    }

    /// One that was met before races again, against an incumbent of so many pairs.
    pub(super) fn returns(&mut self, config: ConfigId, pairs: usize) {
        self.returned.insert(config, pairs);
    }

    /// Whether it has raced again against an incumbent of so many pairs.
    pub(super) fn has_met(&self, config: ConfigId, pairs: usize) -> bool {
        self.returned.get(&config) == Some(&pairs)
    }

    /// How many pairs the incumbent had, or at least how many this one met, when it was last seen.
    fn last_met(&self, config: ConfigId, field: Field<'_>) -> usize {
        let met = field.history.readings(config).count();
        self.returned.get(&config).map_or(met, |&pairs| pairs.max(met))
    }

    /// Whether the finalists were named.
    pub(super) fn is_final(&self) -> bool {
        self.is_final
    }

    /// Who races before the end; nobody if the end is not near after all.
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

/// The configurations of which something is expected.
fn expectations(expected: &[f64]) -> impl Iterator<Item = (ConfigId, f64)> {
    (0..).map(ConfigId).zip(expected.iter().copied()).filter(|(_, cost)| cost.is_finite())
}
