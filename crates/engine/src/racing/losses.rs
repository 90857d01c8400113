//! Configurations whose trials are lost again and again.
//!
//! A lost trial says nothing about its configuration, so it is run again. But the configuration itself may be what kills
//! the supervisor, by using up the memory or by killing its parent process. After a few losses in a row it is dropped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::trial::ConfigId;

/// Trials lost in a row after which a challenger is out.
const MOST: u32 = 3;

/// How many trials of each challenger were lost since its last one that said something.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Losses(BTreeMap<ConfigId, u32>);

impl Losses {
    /// A trial of its race was lost. Whether it is out.
    pub(super) fn lost(&mut self, config: ConfigId) -> bool {
        let lost = self.0.entry(config).or_default();
        *lost += 1;
        let is_out = *lost >= MOST;
        if is_out {
            self.0.remove(&config);
        }
        is_out
    }

    /// A trial of it has said something.
    pub(super) fn told(&mut self, config: ConfigId) {
        self.0.remove(&config);
    }
}
