//! Configurations whose trials are lost repeatedly.
//!
//! A lost trial is no evidence about its configuration, so it is run again. But the configuration itself may
//! be what kills the supervisor, by using up the memory or by killing its parent process. After a few losses
//! in a row it is dropped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::trial::ConfigId;

/// Number of trials lost in a row after which a challenger is dropped.
const MOST: u32 = 3;

/// Number of trials of each challenger lost since its last trial with a result.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Losses(BTreeMap<ConfigId, u32>);

impl Losses {
    /// Takes in that a trial was lost; returns whether the challenger is to be dropped.
    pub(super) fn lost(&mut self, config: ConfigId) -> bool {
        let lost = self.0.entry(config).or_default();
        *lost += 1;
        let is_out = *lost >= MOST;
        if is_out {
            self.0.remove(&config);
        }
        is_out
    }

    /// Takes in that a trial had a result.
    pub(super) fn told(&mut self, config: ConfigId) {
        self.0.remove(&config);
    }
}
