//! At least half of trial time goes to challengers.
//!
//! What a challenger's trial counts is what it would have cost under the tightest capping (slack 1):
//! never more than it did cost, and the same however trials were capped, so that capping does not
//! change when the incumbent gains pairs. Later races of one that has lost count nothing: which of its
//! pairs are known by then does depend on capping.

use serde::{Deserialize, Serialize};

/// Trial time by purpose.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Balance {
    incumbent: f64,
    challengers: f64,
}

impl Balance {
    pub(super) fn incumbent_spent(&mut self, time: f64) {
        self.incumbent += time;
    }

    /// `left`: what the challenger could still cost before it had lost; below one grain the tightest
    /// capping would not have run the trial at all.
    pub(super) fn challenger_spent(&mut self, time: f64, left: f64, grain: f64) {
        if left >= grain {
            self.challengers += time.min(left);
        }
    }

    /// Whether the incumbent may have another trial, with some of its trials expected to cost
    /// `pending` still running.
    pub(super) fn favours_incumbent(&self, pending: f64) -> bool {
        self.incumbent + pending <= self.challengers
    }
}
