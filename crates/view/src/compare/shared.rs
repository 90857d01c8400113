//! Compares the best configuration of each campaign on the pairs that all campaigns have in common.
//!
//! Campaigns with the same seed and instances use the same pairs. Results on validation pairs are unbiased.
//! Results on training pairs make each campaign look better than it is, because its best configuration was
//! chosen by these results. So training pairs are used only if the validations have no pairs in common.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use campaign::Settings;
use campaign::validation;
use engine::history::History;
use engine::stats::{self, Measured};
use engine::{ConfigId, InstanceId, Rng};
use scenario::{Measure, Scenario};
use serde::{Serialize, Serializer};
use store::StoredValidation;

/// One of the compared campaigns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contestant<'a> {
    /// Its scenario.
    pub(super) scenario: &'a Scenario,
    /// Its settings.
    pub(super) settings: &'a Settings,
    /// The names of its training instances, indexed by instance number.
    pub(super) instances: &'a [String],
    /// Its trials.
    pub(super) history: &'a History,
    /// Its validation trials.
    pub(super) validations: &'a [StoredValidation],
    /// Its best configuration.
    pub(super) best: ConfigId,
}

/// Reason why a campaign cannot be ranked against the first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// A setting of the objective or the constraints differs.
    Objective {
        /// The key of this setting in the scenario.
        key: &'static str,
        /// The value in the first campaign.
        first: String,
        /// The value in this campaign.
        other: String,
    },
    /// The training instances differ.
    Instances {
        /// Number of instances that only the first campaign has.
        only_first: usize,
        /// Number of instances that only this campaign has.
        only_other: usize,
        /// Name of one of these instances.
        example: String,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objective { key, first, other } => {
                write!(f, "has `{key}` {other}, but the first campaign has {first}")
            }
            Self::Instances { only_first, only_other, example } => write!(
                f,
                "is not tuned on the same instances as the first campaign: {only_other} added, {only_first} missing, such as {example}"
            ),
        }
    }
}

impl Serialize for Obstacle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The source of the common pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// Validation trials, which were not used to choose the configurations.
    Validation,
    /// The training trials of each campaign.
    Training,
}

/// Results of every campaign's best configuration on the common pairs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Common {
    /// The source of the pairs.
    pub(super) ground: Ground,
    /// Number of pairs.
    pub(super) pairs: usize,
    /// The mean compared cost of each campaign's best configuration.
    pub(super) means: Vec<f64>,
    /// The comparison of each best configuration with that of the first campaign. `None` for the first
    /// campaign itself, and if no ratio can be computed from the costs.
    pub(super) against_first: Vec<Option<stats::Comparison>>,
}

/// Returns the reasons why a campaign cannot be ranked against the first one; empty if it can be.
pub(super) fn obstacles(first: &Contestant<'_>, other: &Contestant<'_>) -> Vec<Obstacle> {
    let (ours, theirs) = (facts(first.scenario), facts(other.scenario));
    let differing = ours.into_iter().zip(theirs).filter(|(first, other)| first.1 != other.1);
    let mut found: Vec<Obstacle> =
        differing.map(|((key, first), (_, other))| Obstacle::Objective { key, first, other }).collect();
    let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<String>>();
    let (ours, theirs) = (set(first.instances), set(other.instances));
    if let Some(example) = ours.symmetric_difference(&theirs).next() {
        found.push(Obstacle::Instances {
            only_first: ours.difference(&theirs).count(),
            only_other: theirs.difference(&ours).count(),
            example: example.clone(),
        });
    }
    found
}

/// Returns the settings that must be equal for costs to be comparable, as pairs of key and value.
fn facts(scenario: &Scenario) -> [(&'static str, String); 5] {
    let objective = &scenario.objective;
    let measure = match objective.minimise {
        Measure::CpuTime => "cpu_time".to_owned(),
        Measure::WallTime => "wall_time".to_owned(),
        Measure::Memory => "memory".to_owned(),
        Measure::Output(place) => scenario.outputs[place].name.clone(),
    };
    let cutoff = objective.cutoff.map_or_else(|| "none".to_owned(), |cutoff| cutoff.to_string());
    let constraints: Vec<String> = scenario.constraints.iter().map(ToString::to_string).collect();
    let constraints = if constraints.is_empty() { "none".to_owned() } else { constraints.join(", ") };
    [
        ("constraints", constraints),
        ("objective", format!("{:?} {measure}", objective.sense).to_lowercase()),
        ("objective.cutoff", cutoff),
        ("objective.par", objective.par.to_string()),
        ("objective.capped_by", format!("{:?}", objective.capped_by).to_lowercase()),
    ]
}

/// Compared costs by instance and seed.
type Costs = BTreeMap<(String, u32), f64>;

/// Compares all campaigns on their common pairs; returns `None` if there are no such pairs. The caller must
/// have checked that no campaign has an [`Obstacle`].
pub(super) fn common(all: &[Contestant<'_>]) -> Option<Common> {
    let validated: Vec<Costs> = all.iter().map(validated).collect();
    let cutoffs: Vec<Option<f64>> =
        all.iter().map(|one| validation::objective(one.settings).cutoff).collect();
    let same_cutoff = cutoffs.windows(2).all(|both| both[0] == both[1]);
    let by_validation = same_cutoff.then(|| on_common_pairs(Ground::Validation, &validated)).flatten();
    by_validation.or_else(|| on_common_pairs(Ground::Training, &all.iter().map(trained).collect::<Vec<_>>()))
}

fn validated(one: &Contestant<'_>) -> Costs {
    let objective = validation::objective(one.settings);
    let known = one.validations.iter().filter_map(|row| {
        let (config, instance, seed) = row.key();
        let cost = objective.known(&row.record.trial.observation)?;
        (config == one.best).then(|| ((instance.to_owned(), seed.0), cost))
    });
    known.collect()
}

fn trained(one: &Contestant<'_>) -> Costs {
    if one.best.index() >= one.history.configurations().len() {
        return Costs::new();
    }
    let objective = &one.settings.problem.objective;
    let known = one.history.readings(one.best).filter_map(|(_, trial)| {
        let cost = objective.known(&trial.observation)?;
        let name = one.instances.get(trial.key.pair.instance.index())?;
        Some(((name.clone(), trial.key.pair.seed.0), cost))
    });
    known.collect()
}

fn on_common_pairs(ground: Ground, all: &[Costs]) -> Option<Common> {
    let (first, others) = all.split_first()?;
    let shared: Vec<&(String, u32)> =
        first.keys().filter(|pair| others.iter().all(|costs| costs.contains_key(pair))).collect();
    if shared.is_empty() {
        return None;
    }
    let names: BTreeSet<&str> = shared.iter().map(|(name, _)| name.as_str()).collect();
    let numbers: BTreeMap<&str, u32> = names.into_iter().zip(0..).collect();
    let mean = |costs: &Costs| shared.iter().map(|pair| costs[*pair]).sum::<f64>() / shared.len() as f64;
    let against = |costs: &Costs| {
        let both = |pair: &&(String, u32)| Measured {
            instance: InstanceId(numbers[pair.0.as_str()]),
            default: first[*pair],
            tuned: costs[*pair],
        };
        let measured: Vec<Measured> = shared.iter().map(both).collect();
        stats::compare(&measured, &mut Rng::new(0, "campaigns", 0)).ok()
    };
    let against_first = std::iter::once(None).chain(others.iter().map(against)).collect();
    Some(Common { ground, pairs: shared.len(), means: all.iter().map(mean).collect(), against_first })
}

#[cfg(test)]
mod tests {
    use engine::{Observation, Status};
    use execution::testkit::record;

    use super::*;

    fn costs(all: &[(&str, u32, f64)]) -> Costs {
        all.iter().map(|&(name, seed, cost)| ((name.to_owned(), seed), cost)).collect()
    }

    #[test]
    fn only_common_pairs_count() {
        // Only the first campaign has `c` with seed 1, and the third campaign lacks `e`.
        let first = costs(&[("a", 1, 4.0), ("b", 1, 8.0), ("c", 1, 100.0), ("e", 1, 50.0)]);
        let second = costs(&[("a", 1, 2.0), ("b", 1, 4.0), ("c", 2, 0.1), ("e", 1, 1.0)]);
        let third = costs(&[("a", 1, 4.0), ("b", 1, 8.0), ("d", 1, 1.0)]);
        let found = on_common_pairs(Ground::Training, &[first.clone(), second, third]).unwrap();
        assert_eq!((found.pairs, &found.means[..]), (2, &[6.0, 3.0, 6.0][..]));
        let ratio = |place: usize| found.against_first[place].as_ref().map(|one| one.ratio);
        assert_eq!([ratio(0), ratio(1), ratio(2)], [None, Some(2.0), Some(1.0)]);
        assert_eq!(on_common_pairs(Ground::Training, &[first, costs(&[("a", 2, 1.0)])]), None);
    }

    #[test]
    fn only_the_best_of_a_validation_counts_and_stopped_trials_have_the_penalty() {
        let text = "[target]\ncommand = [\"true\", \"{params}\"]\n[objective]\nminimise = \"cpu_time\"\n\
            cutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
        let scenario = scenario::read(text, std::path::Path::new("."), "test.toml").unwrap();
        let settings = campaign::conduct::settings(&scenario, &campaign::conduct::Order::default());
        let row = |config, seed, observation| StoredValidation {
            instance: "a".to_owned(),
            record: record(config, 0, seed, observation),
            host: None,
            session: None,
        };
        let validations = [
            row(0, 1, Observation::finished(7.0)),
            row(3, 1, Observation::finished(4.0)),
            row(3, 2, Observation::timeout(9.0)),
            // These rows belong to an earlier best configuration, which was validated before the campaign was
            // resumed.
            row(2, 1, Observation::finished(6.0)),
            row(2, 3, Observation::finished(5.0)),
            // A lost trial has no result.
            row(3, 4, Observation::failed(Status::Lost, 0.0)),
        ];
        let history = History::default();
        let one = |best| Contestant {
            scenario: &scenario,
            settings: &settings,
            instances: &[],
            history: &history,
            validations: &validations,
            best: ConfigId(best),
        };
        assert_eq!(validated(&one(3)), costs(&[("a", 1, 4.0), ("a", 2, 90.0)]));
        assert_eq!(validated(&one(0)), costs(&[("a", 1, 7.0)]));
    }
}
