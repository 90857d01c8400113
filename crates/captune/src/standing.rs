//! What the trials so far say about a configuration, with the user's signs.

use engine::history::History;
use engine::problem::{Problem, Side};
use engine::stats::{self, Interval};
use engine::{ConfigId, Configuration, Reading};

use crate::outcome::Rules;

/// A configuration and its results so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Its number.
    pub id: ConfigId,
    /// The configuration.
    pub configuration: Configuration,
    /// Its mean cost, in which a trial without a cost counts as `par` times the cutoff; `None` if no cost is
    /// known.
    pub cost: Option<f64>,
    /// 95 % confidence interval for the mean cost.
    pub interval: Option<Interval>,
    /// Number of pairs on which its cost is known.
    pub pairs: usize,
    /// Number of these pairs on which it reaches the cutoff.
    pub timeouts: usize,
    /// Its outputs that have bounds.
    pub outputs: Vec<BoundedOutput>,
}

/// The value of an output that has a bound.
#[derive(Clone, PartialEq, Debug)]
pub struct BoundedOutput {
    /// Its name.
    pub name: String,
    /// Its mean or its worst value over all pairs; `None` if it was never measured.
    pub value: Option<Reading>,
    /// Number of pairs that count.
    pub pairs: usize,
    /// Whether the value satisfies the bound, as far as measured.
    pub is_kept: bool,
}

impl Standing {
    /// Returns whether every output satisfies its bound, as far as measured.
    pub fn is_feasible(&self) -> bool {
        self.outputs.iter().all(|output| output.is_kept)
    }

    pub(crate) fn of(rules: &Rules, problem: &Problem, history: &History, config: ConfigId) -> Self {
        let found = stats::standing(history, &problem.objective, config);
        let outputs =
            rules.bounds.iter().zip(&found.holdings).map(|((name, bound), holding)| BoundedOutput {
                name: name.clone(),
                value: holding.value.map(|value| shown(bound.side(), value)),
                pairs: holding.pairs,
                is_kept: holding.is_kept(),
            });
        let interval = found.interval.map(|Interval { low, high }| {
            let [one, other] = [low, high].map(|end| rules.sense.signed(end));
            Interval { low: one.min(other), high: one.max(other) }
        });
        Self {
            id: config,
            configuration: history.configuration(config).clone(),
            cost: (found.pairs > 0).then(|| rules.sense.signed(found.mean)),
            interval,
            pairs: found.pairs,
            timeouts: found.timeouts,
            outputs: outputs.collect(),
        }
    }
}

/// Converts a reading from the engine's sign to the user's.
fn shown(side: Side, reading: Reading) -> Reading {
    match reading {
        Reading::Exact(value) => Reading::Exact(side.signed(value)),
        Reading::AtLeast(value) => Reading::AtLeast(side.signed(value)),
    }
}
