//! The reference: the incumbent's cost that a challenger is compared with on a pair.
//!
//! ```text
//! reference(π, s) = c(π, s)                    if costs are compared seed by seed
//!                   mean over s' of c(π, s')   otherwise, over the incumbent's seeds on this instance
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | π, s | instance, seed |
//! | c | the incumbent's compared cost |
//!
//! A randomised target draws different random numbers for each configuration, even with the same seed. The
//! incumbent's cost with one seed is then only one random draw, and a single lucky draw would stop every
//! challenger that meets this pair. Over all pairs of the incumbent, both definitions have the same sum. So
//! the choice between them does not change which configuration becomes the incumbent.

use std::collections::HashMap;

use crate::trial::{InstanceId, Pair};

/// The incumbent's costs by instance.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    by_instance: HashMap<InstanceId, (f64, usize)>,
}

impl References {
    /// Adds the incumbent's compared cost on a pair.
    pub(super) fn add(&mut self, pair: Pair, cost: f64) {
        let (sum, count) = self.by_instance.entry(pair.instance).or_default();
        *sum += cost;
        *count += 1;
    }

    /// Returns the incumbent's mean cost on an instance; `None` if it is not yet known.
    pub(super) fn mean(&self, instance: InstanceId) -> Option<f64> {
        self.by_instance.get(&instance).map(|&(sum, count)| sum / count as f64)
    }
}
