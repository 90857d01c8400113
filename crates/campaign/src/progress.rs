//! Where a campaign stands, in figures.

use engine::history::{History, PairId, Trial};
use engine::problem::constraint::Tally;
use engine::problem::{Holding, Objective, Problem};
use engine::stats::{Interval, Measured, Validated, mean_cost, ratio_of_means};
use engine::{ConfigId, Racing, Status};
use scenario::are_kept;
use serde::{Deserialize, Serialize};

use crate::budget::Spent;
use crate::settings::Settings;

/// A picture of a running campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// What was used.
    pub spent: Spent,
    /// The part of the budget used.
    #[serde(with = "math::json_number")]
    pub fraction: f64,
    /// How many slots there are.
    pub workers: usize,
    /// How many trials are out.
    pub out: usize,
    /// The optimizer's own share of this session's time.
    #[serde(with = "math::json_number")]
    pub optimizer_share: f64,
    /// Trials told, by status in the order of [`Status::ALL`].
    pub counts: [u64; Status::ALL.len()],
    /// Trials that were lost; those cancelled on purpose are not among them.
    pub lost: u64,
    /// How many configurations have a trial that ended.
    pub configurations: usize,
    /// The incumbent.
    pub best: Standing,
    /// The default, on the pairs that both have met.
    pub default: Option<TrainingComparison>,
    /// The challenger that has been racing longest.
    pub racing: Option<Challenger>,
    /// How many other challengers are racing.
    pub others: usize,
    /// Whether the default keeps every constraint, as far as seen.
    pub default_is_feasible: bool,
    /// Finished trials that told a constrained output as no finite number.
    pub unmeasured: u64,
    /// By what factor capping has stretched trial time, by estimate.
    #[serde(with = "math::json_number")]
    pub saved: f64,
}

impl Progress {
    /// How many trials ended in a way.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }
}

/// One configuration's figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Its number.
    pub config: ConfigId,
    /// On how many pairs it is known.
    pub pairs: usize,
    /// Its mean compared cost there; not a number if there are none.
    #[serde(with = "math::json_number")]
    pub mean: f64,
    /// A 95 % interval of that mean.
    pub interval: Option<Interval>,
    /// On how many of them it times out.
    pub timeouts: usize,
    /// What it has shown of each constraint.
    pub holdings: Vec<Holding>,
}

impl Standing {
    /// Whether it keeps every constraint, as far as seen.
    pub fn is_feasible(&self) -> bool {
        are_kept(&self.holdings)
    }
}

/// Two configurations on the pairs that both have met.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrainingComparison {
    /// How many pairs.
    pub pairs: usize,
    /// The default's mean compared cost.
    #[serde(with = "math::json_number")]
    pub default: f64,
    /// The incumbent's.
    #[serde(with = "math::json_number")]
    pub incumbent: f64,
    /// How many times better the incumbent is; `None` where costs of both signs have no ratio.
    pub ratio: Option<f64>,
    /// Whether there are enough pairs for a ratio to mean something.
    pub has_enough_pairs: bool,
}

impl TrainingComparison {
    /// The ratio, if there are enough pairs for it to mean something.
    pub fn telling_ratio(&self) -> Option<f64> {
        self.ratio.filter(|_| self.has_enough_pairs)
    }
}

/// A challenger in its race.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Challenger {
    /// Its number.
    pub config: ConfigId,
    /// On how many pairs it is known.
    pub met: usize,
    /// The cap of its running trial.
    #[serde(with = "math::json_number")]
    pub cap: f64,
}

/// The figures of one configuration.
pub fn standing(history: &History, objective: &Objective, config: ConfigId) -> Standing {
    let known = || {
        let known = |trial: &Trial| objective.known(&trial.observation);
        history.readings(config).filter_map(move |(_, trial)| Some((known(trial)?, trial)))
    };
    let mean = mean_cost(known().map(|(cost, _)| cost));
    let timeout = |trial: &Trial| trial.observation.status() == Status::Timeout;
    Standing {
        config,
        pairs: mean.map_or(0, |mean| mean.pairs),
        mean: mean.map_or(f64::NAN, |mean| mean.mean),
        interval: mean.and_then(|mean| mean.interval),
        timeouts: known().filter(|(_, trial)| timeout(trial)).count(),
        holdings: holdings(history, objective, config),
    }
}

/// Whether every trial of a configuration that says anything is a failure, so that nobody would use it.
pub fn has_only_failed(history: &History, config: ConfigId) -> bool {
    let mut known = history.readings(config).peekable();
    known.peek().is_some() && known.all(|(_, trial)| trial.observation.status().is_failure())
}

/// What a configuration has shown of each constraint.
pub fn holdings(history: &History, objective: &Objective, config: ConfigId) -> Vec<Holding> {
    if objective.constraints.is_empty() {
        return Vec::new();
    }
    let trials = history.readings(config).map(|(_, trial)| &trial.observation);
    Tally::of(trials).holdings(&objective.constraints)
}

/// The default and the incumbent on the pairs that both are known on.
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

/// Pairs from which on a ratio of the training means something, if there are more. On one or two it says more of luck
/// than of the configuration, which was chosen for its luck there.
const ENOUGH_PAIRS: usize = 5;

/// The means of two configurations on the pairs that both are known on; `None` if there is none.
pub fn compare(
    history: &History,
    settings: &Settings,
    default: ConfigId,
    incumbent: ConfigId,
) -> Option<TrainingComparison> {
    let Problem { objective, instances, .. } = &settings.problem;
    let both = both_known(history, objective, default, incumbent);
    let mean = |cost: fn(&Measured) -> f64| {
        both.iter().map(|one| cost(&one.measured)).sum::<f64>() / both.len() as f64
    };
    let (pairs, default, incumbent) = (both.len(), mean(|one| one.default), mean(|one| one.tuned));
    let measured: Vec<Measured> = both.iter().map(|one| one.measured).collect();
    let ratio = ratio_of_means(&measured).ok();
    let Racing { deterministic, max_pairs, .. } = settings.racing;
    let all = if deterministic { max_pairs.min(*instances as usize) } else { max_pairs };
    let has_enough_pairs = pairs >= ENOUGH_PAIRS.min(all);
    (pairs > 0).then_some(TrainingComparison { pairs, default, incumbent, ratio, has_enough_pairs })
}
