//! The progress of a campaign in numbers.

use engine::history::{History, PairId, Trial};
use engine::problem::constraint::Tally;
use engine::problem::{Constraint, Objective};
use engine::stats::{Measured, Validated, ratio_of_means};
pub use engine::stats::{Standing, holdings, standing};
use engine::{ConfigId, Status};
use serde::{Deserialize, Serialize};

use crate::budget::Spent;
use crate::settings::Settings;

/// The current state of a running campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// The time and trials spent so far.
    pub spent: Spent,
    /// Share of the budget used.
    #[serde(with = "math::json_number")]
    pub fraction: f64,
    /// Number of slots.
    pub workers: usize,
    /// Number of trials running.
    pub out: usize,
    /// The optimizer's own share of this session's time.
    #[serde(with = "math::json_number")]
    pub optimizer_share: f64,
    /// Number of trials that have ended with each status, in the order of [`Status::ALL`].
    pub counts: [u64; Status::ALL.len()],
    /// Number of lost trials, excluding trials that were cancelled on purpose.
    pub lost: u64,
    /// Number of configurations for which at least one trial has ended.
    pub configurations: usize,
    /// The incumbent.
    pub best: Standing,
    /// Comparison of the default and the incumbent on the pairs that both have been tried on.
    pub default: Option<TrainingComparison>,
    /// The racing challenger with the lowest number.
    pub racing: Option<Challenger>,
    /// Number of other challengers that are racing.
    pub others: usize,
    /// Whether the default satisfies every constraint so far.
    pub default_is_feasible: bool,
    /// Number of finished trials that reported a non-finite value for a constrained output.
    pub unmeasured: u64,
    /// Estimated factor by which capping has reduced the total cost of the trials.
    #[serde(with = "math::json_number")]
    pub saved: f64,
}

impl Progress {
    /// Returns the number of trials that ended with this status.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }
}

/// Comparison of two configurations on the pairs that both have been tried on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrainingComparison {
    /// Number of pairs.
    pub pairs: usize,
    /// The default's mean compared cost.
    #[serde(with = "math::json_number")]
    pub default: f64,
    /// The incumbent's mean compared cost.
    #[serde(with = "math::json_number")]
    pub incumbent: f64,
    /// Factor by which the incumbent is better; `None` if some costs are negative and others positive.
    pub ratio: Option<f64>,
    /// Whether there are enough pairs for the ratio to be meaningful.
    pub has_enough_pairs: bool,
}

impl TrainingComparison {
    /// Returns the ratio, if there are enough pairs for it to be meaningful.
    pub fn meaningful_ratio(&self) -> Option<f64> {
        self.ratio.filter(|_| self.has_enough_pairs)
    }
}

/// A challenger that is racing.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Challenger {
    /// Its number.
    pub config: ConfigId,
    /// Number of pairs on which its cost is known.
    pub met: usize,
    /// The cap of its running trial.
    #[serde(with = "math::json_number")]
    pub cap: f64,
}

/// Returns whether a configuration has informative trials and all of them failed. Such a configuration is
/// useless.
pub fn has_only_failed(history: &History, config: ConfigId) -> bool {
    let mut known = history.readings(config).peekable();
    known.peek().is_some() && known.all(|(_, trial)| trial.observation.status().is_failure())
}

/// Returns the number of configurations that violate a constraint, as far as measured. A configuration without
/// a reading of some constraint does not count.
pub fn violating(history: &History, constraints: &[Constraint]) -> usize {
    let violates = |config: &ConfigId| {
        let trials = history.readings(*config).map(|(_, trial)| &trial.observation);
        let holdings = Tally::of(trials).holdings(constraints);
        holdings.iter().any(|one| one.value.is_some() && !one.is_kept())
    };
    (0..history.configurations().len() as u32).map(ConfigId).filter(violates).count()
}

/// Returns the costs of the default and the incumbent on the pairs where both costs are known.
pub fn both_known(
    history: &History,
    objective: &Objective,
    default: ConfigId,
    incumbent: ConfigId,
) -> Vec<Validated> {
    let solved = |trial: &Trial| trial.observation.status() == Status::Finished;
    let both = |(pair, own): (PairId, &Trial)| {
        let other = history.reading(incumbent, pair)?;
        let cost = |trial: &Trial| objective.known(&trial.observation);
        let measured = Measured { instance: own.key.pair.instance, default: cost(own)?, tuned: cost(other)? };
        Some(Validated {
            measured,
            default_solved: solved(own),
            tuned_solved: solved(other),
            tuned_wrong: false,
        })
    };
    history.readings(default).filter_map(both).collect()
}

/// Smallest number of pairs for a meaningful ratio in training. On one or two pairs the ratio mostly shows
/// luck, because the configuration was chosen for its results on these pairs.
const ENOUGH_PAIRS: usize = 5;

/// Compares the mean costs of two configurations on the pairs where both costs are known; returns `None` if
/// there are no such pairs.
pub fn compare(
    history: &History,
    settings: &Settings,
    default: ConfigId,
    incumbent: ConfigId,
) -> Option<TrainingComparison> {
    let both = both_known(history, &settings.problem.objective, default, incumbent);
    let mean = |cost: fn(&Measured) -> f64| {
        both.iter().map(|one| cost(&one.measured)).sum::<f64>() / both.len() as f64
    };
    let (pairs, default, incumbent) = (both.len(), mean(|one| one.default), mean(|one| one.tuned));
    let measured: Vec<Measured> = both.iter().map(|one| one.measured).collect();
    let ratio = ratio_of_means(&measured).ok();
    let has_enough_pairs = pairs >= ENOUGH_PAIRS;
    (pairs > 0).then_some(TrainingComparison { pairs, default, incumbent, ratio, has_enough_pairs })
}
