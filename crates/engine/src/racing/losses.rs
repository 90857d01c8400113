//! Configurations whose trials are lost again and again.
//!
//! A lost trial provides no evidence about its configuration, so it is run again. But the configuration
//! itself may kill the supervisor, by using up the memory or by killing its parent process. So a challenger
//! is dropped after a few lost trials in a row.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::trial::ConfigId;

/// Number of trials lost in a row after which a challenger is dropped.
const MOST: u32 = 3;

/// The number of trials that each challenger has lost since its last trial with a result.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Losses(BTreeMap<ConfigId, u32>);

impl Losses {
    /// Records that a trial was lost; returns whether the challenger should be dropped.
    pub(super) fn lost(&mut self, config: ConfigId) -> bool {
        let lost = self.0.entry(config).or_default();
        *lost += 1;
        let is_out = *lost >= MOST;
        if is_out {
            self.0.remove(&config);
        }
        is_out
    }

    /// Records that a trial had a result.
    pub(super) fn told(&mut self, config: ConfigId) {
        self.0.remove(&config);
    }
}
