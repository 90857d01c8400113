//! The default against the best configuration, pair by pair.

use engine::history::Trial;
use engine::{ConfigId, Observation, Status};
use serde::Serialize;

use super::material::{Material, is_bound};
use super::survival::{Lifetime, SurvivalStep, kaplan_meier};
use crate::ground::OnPair;

/// The default against the best configuration.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Duel {
    /// The number of the best configuration; 0 if the default is the best.
    pub best: u32,
    /// The cutoff of these trials.
    pub cutoff: Option<f64>,
    /// All pairs on which both were tried.
    pub pairs: Vec<DuelPair>,
    /// Results of the default.
    pub of_default: Solving,
    /// Results of the best configuration.
    pub of_best: Solving,
}

/// A pair on which both were tried.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DuelPair {
    /// The name of the instance.
    pub instance: String,
    /// The seed.
    pub seed: u32,
    /// Whether the pair was kept apart from the search.
    pub unseen: bool,
    /// The default's result.
    pub default: Side,
    /// The best configuration's result.
    pub best: Side,
}

/// The result of one configuration on one pair.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Side {
    /// The cost, or a lower bound; `None` if the trial failed.
    pub cost: Option<f64>,
    /// Whether the cost is a lower bound.
    pub censored: bool,
    /// How the trial ended.
    pub status: &'static str,
}

/// How many pairs a configuration solves, and how fast.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Solving {
    /// Costs of the pairs that it solved, in increasing order.
    pub solved: Vec<f64>,
    /// Number of pairs.
    pub pairs: usize,
    /// The estimated share of pairs that take longer than a time. Empty if costs can be negative.
    pub survival: Vec<SurvivalStep>,
}

impl Duel {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let best = material.records.best();
        let mut pairs = unseen(material, best);
        pairs.extend(trained(material, best));
        // The curves show unseen pairs if there are any, because the search chose the best on the others.
        let has_unseen = pairs.iter().any(|pair| pair.unseen);
        let shown = || pairs.iter().filter(|pair| pair.unseen || !has_unseen);
        Self {
            best: best.0,
            cutoff: material.objective().cutoff,
            of_default: Solving::of(shown().map(|pair| pair.default)),
            of_best: Solving::of(shown().map(|pair| pair.best)),
            pairs,
        }
    }
}

impl Side {
    fn of(observation: &Observation, material: &Material<'_>) -> Self {
        let cost = observation.cost().map(|cost| material.costs.number(cost.lower_bound()));
        Self { cost, censored: is_bound(observation.status()), status: observation.status().name() }
    }

    /// Returns whether the trial finished.
    pub fn is_solved(&self) -> bool {
        self.status == Status::Finished.name()
    }
}

impl Solving {
    fn of(sides: impl Iterator<Item = Side>) -> Self {
        let sides: Vec<Side> = sides.collect();
        let mut solved: Vec<f64> =
            sides.iter().filter(|side| side.is_solved()).filter_map(|side| side.cost).collect();
        solved.sort_by(f64::total_cmp);
        let lifetimes: Vec<Lifetime> = sides
            .iter()
            .filter_map(|side| Some(Lifetime { time: side.cost?, censored: side.censored }))
            .collect();
        let are_times = lifetimes.iter().all(|one| one.time >= 0.0);
        let survival = if are_times { kaplan_meier(&lifetimes) } else { Vec::new() };
        Self { solved, pairs: sides.len(), survival }
    }
}

/// Returns the pairs of the search on which both configurations have a result.
fn trained(material: &Material<'_>, best: ConfigId) -> Vec<DuelPair> {
    let (records, default) = (material.records, ConfigId(0));
    if best == default || !records.is_known(best) || !records.is_known(default) {
        return Vec::new();
    }
    let one = |own: &Trial, other: &Trial| DuelPair {
        instance: material.instance(own.key.pair.instance).to_owned(),
        seed: own.key.pair.seed.0,
        unseen: false,
        default: Side::of(&own.observation, material),
        best: Side::of(&other.observation, material),
    };
    let history = records.history();
    let both = history.readings(default).map(|(pair, own)| Some(one(own, history.reading(best, pair)?)));
    both.flatten().collect()
}

/// Returns the pairs that the verdict is based on.
fn unseen(material: &Material<'_>, best: ConfigId) -> Vec<DuelPair> {
    if best == ConfigId(0) {
        return Vec::new();
    }
    let one = |pair: &OnPair<'_>| DuelPair {
        instance: pair.instance.to_owned(),
        seed: pair.seed.0,
        unseen: true,
        default: Side::of(pair.default, material),
        best: Side::of(pair.own, material),
    };
    let mut pairs = material.ground.pairs(best);
    pairs.sort_by_key(|pair| (pair.instance, pair.seed));
    pairs.iter().map(one).collect()
}
