//! Suggestions without a tuner: the best configuration to try next, given what is known.

use engine::history::{History, Trial};
use engine::propose::Proposer;
use engine::{
    Cap, ConfigId, Configuration, InstanceId, Pair, Reading, Seed, SettingError, Space, TrialId, TrialKey,
    Why,
};

use crate::builder::TunerBuilder;
use crate::outcome::{Outcome, TellError};
use crate::tuner::Tuner;

/// A trial whose result is known.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    /// The configuration.
    pub configuration: Configuration,
    /// The instance it was tried on, numbered from 0.
    pub instance: u32,
    /// The result.
    pub outcome: Outcome,
}

/// Reason why no configuration can be suggested.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuggestError {
    /// A setting is invalid.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A result is invalid.
    #[error("trial {index}: {error}")]
    Known {
        /// Index of the trial.
        index: usize,
        /// Why its result is invalid.
        error: TellError,
    },
    /// A configuration belongs to another space.
    #[error("configuration {0} belongs to another space; build it with the space of the search")]
    OtherSpace(usize),
    /// A trial has an instance that does not exist.
    #[error("trial {index} has the instance {instance}, but `instances` is {count}")]
    Instance {
        /// Index of the trial.
        index: usize,
        /// Its instance.
        instance: u32,
        /// Number of instances.
        count: u32,
    },
}

/// Returns the configuration to try next, given readings of the cost of some configurations. A reading is
/// exact, or a lower bound if the trial was stopped. Returns `None` if no untried configuration is left.
///
/// The result depends only on the arguments. For constraints, instances or pending trials, use
/// [`TunerBuilder::suggest`].
///
/// ```
/// use captune::{Format, Reading, read_space, suggest};
///
/// let space = read_space("x = { float = [0, 1], default = 0.2 }", "line", Format::Toml)?;
/// let first = suggest(&space, &[], 1)?.unwrap();
/// assert_eq!(first, space.default_configuration());
/// let next = suggest(&space, &[(first, Reading::Exact(3.0))], 1)?.unwrap();
/// assert_ne!(next, space.default_configuration());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn suggest(
    space: &Space,
    readings: &[(Configuration, Reading)],
    seed: u64,
) -> Result<Option<Configuration>, SuggestError> {
    let known = readings.iter().map(|(configuration, reading)| Known {
        configuration: configuration.clone(),
        instance: 0,
        outcome: match *reading {
            Reading::Exact(cost) => Outcome::finished(cost),
            Reading::AtLeast(bound) => Outcome::stopped(bound),
        },
    });
    let known: Vec<Known> = known.collect();
    Tuner::builder(space.clone()).seed(seed).deterministic(true).suggest(&known, &[])
}

impl TunerBuilder {
    /// Returns the configuration to try next, given all trials so far and the configurations whose trials are
    /// still running. Returns `None` if no untried configuration is left.
    ///
    /// The result depends only on the settings and the arguments: first the baseline, then the initial
    /// configurations, then a design that covers the space, then what the search proposes.
    pub fn suggest(
        &self,
        known: &[Known],
        pending: &[Configuration],
    ) -> Result<Option<Configuration>, SuggestError> {
        let problem = self.problem()?;
        let mut rules = self.rules();
        rules.takes_any_bound = true;
        let all = known.iter().map(|one| &one.configuration).chain(pending);
        if let Some(place) = all.clone().position(|one| *one.space() != problem.space) {
            return Err(SuggestError::OtherSpace(place));
        }
        let mut history = History::new();
        let baseline = history.intern(&problem.default);
        history.relate(baseline, &problem.objective.constraints);
        for (index, Known { configuration, instance, outcome }) in known.iter().enumerate() {
            let error = |error| SuggestError::Known { index, error };
            let observation = rules.observation(outcome).map_err(error)?;
            let (instance, count) = (*instance, problem.instances);
            if instance >= count {
                return Err(SuggestError::Instance { index, instance, count });
            }
            let config = history.intern(configuration);
            // Each trial has its own seed, so that no reading replaces another one.
            let pair = Pair { instance: InstanceId(instance), seed: Seed(index as u32) };
            let (id, key) = (TrialId(index as u64), TrialKey { config, pair });
            history.push(Trial { id, key, cap: Cap::NONE, why: Why::Challenge, observation });
        }
        pending.iter().for_each(|one| {
            history.intern(one);
        });
        let mut proposer: Box<dyn Proposer> = self.with_assembly(&problem, |assembly| {
            assembly.check()?;
            // A design would only repeat what enough trials of other configurations have shown.
            let search = assembly.suited_search();
            let enough = search.design() + assembly.initial.len();
            if history.tried() > enough { Ok(search.proposer(&problem)) } else { assembly.proposer() }
        })?;
        if !all.clone().any(|one| *one == problem.default) {
            return Ok(Some(problem.default));
        }
        Ok(proposer.propose(&history, best_of(&history, &problem)))
    }
}

/// Returns the configuration with the lowest mean cost among those with the smallest violation of the
/// constraints; the baseline if no cost is known.
fn best_of(history: &History, problem: &engine::Problem) -> ConfigId {
    let mut best = (f64::INFINITY, f64::INFINITY, ConfigId(0));
    for number in 0..history.configurations().len() as u32 {
        let found = engine::stats::standing(history, &problem.objective, ConfigId(number));
        if found.pairs > 0 {
            let violation: f64 = found.holdings.iter().map(|holding| holding.violation).sum();
            if (violation, found.mean) < (best.0, best.1) {
                best = (violation, found.mean, ConfigId(number));
            }
        }
    }
    best.2
}
