//! What a challenger is held against on a pair.
//!
//! ```text
//! reference(π, s) = c(π, s)              where one seed tells all
//!                   mean over s' of c(π, s')     elsewhere, over the incumbent's seeds on this instance
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | π, s | instance, seed |
//! | c | the incumbent's compared cost |
//!
//! A randomised target draws other random numbers for another configuration, whatever the seed: the
//! incumbent's one cost with this seed is then nothing but one more draw, and a lucky one would stop every
//! challenger that meets it. Over all pairs of the incumbent both definitions have the same sum, so who
//! becomes the incumbent is decided on equal pairs either way.

use std::collections::HashMap;

use crate::trial::{InstanceId, Pair};

/// The incumbent's costs by instance.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    by_instance: HashMap<InstanceId, (f64, usize)>,
}

impl References {
    /// The incumbent's compared cost on one more pair.
    pub(super) fn take_in(&mut self, pair: Pair, cost: f64) {
        let (sum, count) = self.by_instance.entry(pair.instance).or_default();
        *sum += cost;
        *count += 1;
    }

    /// The mean on an instance; `None` while the incumbent is not known there.
    pub(super) fn mean(&self, instance: InstanceId) -> Option<f64> {
        self.by_instance.get(&instance).map(|&(sum, count)| sum / count as f64)
    }
}
