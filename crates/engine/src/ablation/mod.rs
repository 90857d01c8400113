//! Ablation: which of the changes from the baseline to the best configuration matter.
//!
//! ```text
//! θ = baseline
//! repeat: race every remaining change, made to θ; θ = the fastest of them
//! until:  the remaining changes together gain next to nothing, on the pairs and on fresh ones
//! ```
//!
//! A race is decided as in a search: by sums of compared costs on the same pairs, in batches of 4, 8, 16, …
//! pairs, with caps that follow from the leader's sum. A change takes along the parameters that it activates
//! or deactivates. Changes that are forbidden on their own are made in pairs, or all together. If outputs are
//! bounded, every configuration on the path satisfies the bounds.
//!
//! [`Plan::decide`] is a pure function of the readings so far: it returns the path so far and the trials that
//! are wanted next. So an ablation that was interrupted continues from the stored trials, and a report
//! computes the same result from them.
//!
//! C. Fawcett, H. Hoos, Analysing differences between algorithm configurations through ablation, 2016.
//!
//! | file | subject |
//! |---|---|
//! | `changes` | the candidates of a round |
//! | `race` | the race between them |
//! | `bounds` | whether a candidate satisfies the bounds on outputs |
//! | `decide` | the path |

mod bounds;
mod changes;
mod decide;
mod race;
#[cfg(test)]
mod tests;

pub use changes::changed;
pub use decide::{Check, End, Standing, Step};

use std::collections::HashMap;

use space::{Configuration, ParameterId, Space};
use surrogate::Reading;

use crate::observation::Observation;
use crate::problem::Objective;
use crate::trial::{Cap, Pair};

/// The two ends of an ablation, and the pairs on which it measures.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The space of the configurations.
    pub space: Space,
    /// The objective.
    pub objective: Objective,
    /// The configuration from which the path starts.
    pub baseline: Configuration,
    /// The configuration to which the path leads.
    pub best: Configuration,
    /// The pairs on which the changes race.
    pub pairs: Vec<Pair>,
    /// Fresh pairs on which the changes that matter are checked against the best configuration. If there are
    /// none, the result of the races stands.
    pub fresh: Vec<Pair>,
    /// The changed parameters in the order in which they race, the most promising first.
    pub order: Vec<ParameterId>,
}

/// A trial that an ablation wants.
#[derive(Clone, PartialEq, Debug)]
pub struct Wanted {
    /// The configuration.
    pub configuration: Configuration,
    /// The pair.
    pub pair: Pair,
    /// The cost at which to stop it.
    pub cap: Cap,
}

/// The readings of an ablation so far: the most informative one for each configuration and pair.
#[derive(Clone, Debug, Default)]
pub struct Readings(HashMap<(u128, Pair), Observation>);

impl Readings {
    /// Adds the result of a trial. Trials without evidence are ignored.
    pub fn add(&mut self, configuration: &Configuration, pair: Pair, observation: &Observation) {
        if observation.status().is_uninformative() {
            return;
        }
        let kept = self.0.entry((configuration.fingerprint(), pair)).or_insert_with(|| observation.clone());
        if crate::history::is_more_informative(observation, kept) {
            *kept = observation.clone();
        }
    }

    /// Returns the number of configurations and pairs with a reading.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no readings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the reading of a configuration on a pair.
    pub fn get(&self, configuration: &Configuration, pair: Pair) -> Option<&Observation> {
        self.0.get(&(configuration.fingerprint(), pair))
    }

    fn compared(&self, plan: &Plan, configuration: &Configuration, pair: Pair) -> Option<Reading> {
        plan.objective.compared(self.get(configuration, pair)?)
    }

    /// Returns the compared costs of a configuration on some pairs, if all are known exactly.
    fn costs(&self, plan: &Plan, configuration: &Configuration, pairs: &[Pair]) -> Option<Vec<f64>> {
        pairs.iter().map(|&pair| self.compared(plan, configuration, pair)?.exact()).collect()
    }
}
