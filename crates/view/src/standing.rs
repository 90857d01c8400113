//! The results of one configuration, and the comparison of two configurations on the training pairs.

use campaign::progress;
use serde::Serialize;

use crate::bounds::Held;
use crate::costs::Costs;

/// The results of one configuration.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// Its number.
    pub configuration: u32,
    /// Number of pairs on which its cost is known.
    pub pairs: usize,
    /// Its mean compared cost on these pairs; NaN if there are none.
    pub cost: f64,
    /// 95 % confidence interval for the mean.
    pub interval: Option<[f64; 2]>,
    /// Number of these pairs on which the configuration times out.
    pub timeouts: usize,
    /// Whether it satisfies every constraint so far.
    pub feasible: bool,
    /// Its result for each constraint.
    pub constraints: Vec<Held>,
}

impl Standing {
    /// Converts the search's results to the user's sign.
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

/// Comparison of the default and the best configuration on the training pairs that both have been tried on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Training {
    /// Number of pairs.
    pub pairs: usize,
    /// The default's mean compared cost.
    pub default: f64,
    /// The best configuration's mean compared cost.
    pub best: f64,
    /// Factor by which the best configuration is better. `None` if there are too few pairs, or if some costs
    /// are negative and others positive.
    pub ratio: Option<f64>,
    /// The ratio, even if there are too few pairs.
    #[serde(skip)]
    pub any_ratio: Option<f64>,
    /// Whether there are enough pairs for the ratio to be meaningful.
    #[serde(skip)]
    pub has_enough_pairs: bool,
    /// Amount by which the best configuration is better; positive means better, whether the objective is
    /// minimised or maximised.
    #[serde(skip)]
    pub saved: f64,
}

impl Training {
    /// Converts a comparison by the search to the user's sign.
    pub fn of(both: &progress::TrainingComparison, costs: &Costs) -> Self {
        Self {
            pairs: both.pairs,
            default: costs.number(both.default),
            best: costs.number(both.incumbent),
            ratio: both.meaningful_ratio(),
            any_ratio: both.ratio,
            has_enough_pairs: both.has_enough_pairs,
            saved: both.default - both.incumbent,
        }
    }
}
