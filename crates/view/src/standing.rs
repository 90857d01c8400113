//! What is known of the costs of one configuration, and of two in the training.

use campaign::progress;
use serde::Serialize;

use crate::bounds::Held;
use crate::costs::Costs;

/// One configuration's figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// Its number.
    pub configuration: u32,
    /// On how many pairs it is known.
    pub pairs: usize,
    /// Its mean compared cost there; not a number if there are none.
    pub cost: f64,
    /// A 95 % interval of that mean.
    pub interval: Option<[f64; 2]>,
    /// On how many of them it times out.
    pub timeouts: usize,
    /// Whether it keeps every constraint, as far as seen.
    pub feasible: bool,
    /// What it has shown of each.
    pub constraints: Vec<Held>,
}

impl Standing {
    /// Figures of the search as the user measures.
    pub fn of(standing: &progress::Standing, costs: &Costs) -> Self {
        Self {
            configuration: standing.config.0,
            pairs: standing.pairs,
            cost: costs.number(standing.mean),
            interval: standing.interval.map(|interval| costs.ends(interval)),
            timeouts: standing.timeouts,
            feasible: standing.is_feasible(),
            constraints: costs.held(&standing.holdings),
        }
    }
}

/// The default and the best on the pairs that both have met in the training.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Training {
    /// How many pairs.
    pub pairs: usize,
    /// The default's mean compared cost.
    pub default: f64,
    /// The best's.
    pub best: f64,
    /// How many times better the best is; `None` on too few pairs, and where costs of both signs have no ratio.
    pub ratio: Option<f64>,
    /// The same on however few pairs.
    #[serde(skip)]
    pub any_ratio: Option<f64>,
    /// Whether there are enough pairs for a ratio to mean something.
    #[serde(skip)]
    pub has_enough_pairs: bool,
    /// By how much the best is better, whichever way that is.
    #[serde(skip)]
    pub saved: f64,
}

impl Training {
    /// Figures of the search as the user measures.
    pub fn of(both: &progress::TrainingComparison, costs: &Costs) -> Self {
        Self {
            pairs: both.pairs,
            default: costs.number(both.default),
            best: costs.number(both.incumbent),
            ratio: both.telling_ratio(),
            any_ratio: both.ratio,
            has_enough_pairs: both.has_enough_pairs,
            saved: both.default - both.incumbent,
        }
    }
}
