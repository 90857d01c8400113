//! From runs to trials of a scenario.
//!
//! | a run that | becomes |
//! |---|---|
//! | finished at or below the cutoff | finished, at its cost |
//! | finished above the cutoff | a timeout: at least the cutoff |
//! | was stopped at the cutoff or above | a timeout: at least the cutoff |
//! | was stopped below the cutoff | capped: at least what it had reached |
//! | was stopped, where costs are not capped | crashed: its cost is not known |
//! | failed | the same failure |

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;

use engine::history::{History, Trial};
use engine::space::{Bound, ConfigurationError, Literal};
use engine::{
    Cap, ConfigId, Configuration, InstanceId, Observation, Pair, Seed, Space, Status, TrialId, TrialKey, Why,
};

use super::{Ending, Run, Values};
use crate::Settings;
use crate::scenario::Instance;

/// A number that is this much outside its range, relative to the bound, was rounded by whoever wrote it.
const ROUNDING: f64 = 1e-9;

/// Why a run is left out that is there already.
pub const KNOWN: &str = "known already";

/// Why runs were left out, and how many.
pub type Left = BTreeMap<String, usize>;

/// Adds the runs that fit to a history, in which the default is the first configuration, and says which
/// did not. A run that the history knows already is left out.
pub fn take_in(history: &mut History, runs: &[Run], settings: &Settings, instances: &[Instance]) -> Left {
    let space = &settings.problem.space;
    let mut left = Left::new();
    let places = Places::of(instances);
    let known: BTreeSet<_> = history.trials().iter().map(identity).collect();
    let named: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.values.iter().map(|(name, _)| name.as_str())).collect();
    let mut translated: BTreeMap<*const (String, Literal), Result<ConfigId, String>> = BTreeMap::new();
    for run in runs {
        let mut trial = || {
            let observation = observation(run, settings)?;
            let instance = places
                .find(&run.instance)
                .ok_or_else(|| format!("instance `{}` is none of the scenario", run.instance))?;
            let seed = u32::try_from(run.seed).ok().filter(|seed| *seed < 1 << 31);
            let seed = seed.ok_or_else(|| format!("the seed {} is not from 0 to 2^31 - 1", run.seed))?;
            // Runs of one configuration share its values.
            let config = translated.entry(run.values.as_ptr()).or_insert_with(|| {
                let configuration = configuration(&run.values, &named, settings, space)?;
                Ok(history.intern(&configuration))
            });
            let config = config.clone()?;
            let key = TrialKey { config, pair: Pair { instance, seed: Seed(seed) } };
            let cap = run.cap.or(settings.problem.objective.cutoff);
            let cap = cap.filter(|cap| *cap > 0.0).map_or(Cap::NONE, Cap::at);
            let why = if config == ConfigId(0) { Why::Incumbent } else { Why::Challenge };
            Ok(Trial { id: TrialId(0), key, cap, why, observation })
        };
        let trial: Result<Trial, String> = trial();
        match trial {
            Ok(trial) if known.contains(&identity(&trial)) => {
                *left.entry(KNOWN.to_owned()).or_default() += 1;
            }
            Ok(trial) => {
                let id = TrialId(history.trials().len() as u64);
                history.push(Trial { id, ..trial });
            }
            Err(why) => *left.entry(why).or_default() += 1,
        }
    }
    left
}

/// What makes a trial the same as another: its key, how it ended, and the bits of its cost.
fn identity(trial: &Trial) -> (TrialKey, Status, Option<u64>) {
    let cost = trial.observation.cost().map(|cost| cost.lower_bound().to_bits());
    (trial.key, trial.observation.status(), cost)
}

/// What the run told, seen from the scenario.
fn observation(run: &Run, settings: &Settings) -> Result<Observation, String> {
    let cutoff = settings.problem.objective.cutoff;
    let spent = run.time.unwrap_or(0.0);
    let stopped = |at: f64| match cutoff {
        Some(cutoff) if at >= cutoff => Observation::timeout(cutoff),
        Some(_) => Observation::capped(at),
        None => Observation::failed(Status::Crashed, spent),
    };
    match run.ending {
        Ending::Finished(cost) if !cost.is_finite() => Ok(Observation::failed(Status::Crashed, spent)),
        Ending::Finished(cost) if cutoff.is_some_and(|cutoff| cost > cutoff) => Ok(stopped(cost)),
        Ending::Finished(cost) => Ok(Observation::finished(cost)),
        Ending::StoppedAt(at) | Ending::OutOfTime(at) if at.is_finite() => Ok(stopped(at)),
        Ending::StoppedAt(_) | Ending::OutOfTime(_) | Ending::Crashed => {
            Ok(Observation::failed(Status::Crashed, spent))
        }
        Ending::Memory => Ok(Observation::failed(Status::Memory, spent)),
        Ending::Nothing(ref why) => Err(format!("it tells nothing: {why}")),
    }
}

/// The configuration of these values. Parameters that are gone are left out; those that no run names
/// are new, and take their default.
fn configuration(
    values: &Values,
    named: &BTreeSet<&str>,
    settings: &Settings,
    space: &Space,
) -> Result<Configuration, String> {
    let known: Vec<(&str, Literal)> = values
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), within(space, space.find(name)?, value))))
        .collect();
    let made = space.configuration(known.clone()).or_else(|error| match error {
        ConfigurationError::Missing(_) => {
            let new = settings.problem.default.iter().filter(|(name, _)| !named.contains(name));
            space.configuration(known.into_iter().chain(new))
        }
        other => Err(other),
    });
    made.map_err(|error| format!("the configuration is none of the space: {error}"))
}

/// The value, put back on the bound that rounding has moved it across.
fn within(space: &Space, id: engine::space::ParameterId, value: &Literal) -> Literal {
    let (Some(range), Some(number)) = (space.parameter(id).range(), value.number()) else {
        return value.clone();
    };
    let near = |bound: f64| (number - bound).abs() <= ROUNDING * bound.abs().max(f64::MIN_POSITIVE);
    match (range.lower(), range.upper()) {
        (Bound::Number(lower), _) if number < *lower && near(*lower) => Literal::Float(*lower),
        (_, Bound::Number(upper)) if number > *upper && near(*upper) => Literal::Float(*upper),
        _ => value.clone(),
    }
}

/// Finds instances by what runs call them: their name, their argument, or the end of their path if that fits
/// one only.
struct Places<'a> {
    instances: &'a [Instance],
    exact: HashMap<&'a str, u32>,
    /// Those whose path ends alike.
    by_file: HashMap<&'a OsStr, Vec<u32>>,
}

impl<'a> Places<'a> {
    fn of(instances: &'a [Instance]) -> Self {
        let mut places = Self { instances, exact: HashMap::new(), by_file: HashMap::new() };
        for (instance, place) in instances.iter().zip(0..) {
            for name in [&instance.name, &instance.argument] {
                places.exact.entry(name).or_insert(place);
            }
            if let Some(file) = Path::new(&instance.argument).file_name() {
                places.by_file.entry(file).or_default().push(place);
            }
        }
        places
    }

    fn find(&self, name: &str) -> Option<InstanceId> {
        let ends = |long: &str, short: &str| !short.is_empty() && Path::new(long).ends_with(Path::new(short));
        let by_end = || {
            let short = name.trim_start_matches("./");
            let fits = |place: &&u32| {
                let instance = &self.instances[**place as usize];
                ends(&instance.argument, short) || ends(short, &instance.name)
            };
            let alike = self.by_file.get(Path::new(short).file_name()?)?;
            let mut found = alike.iter().filter(fits);
            match (found.next(), found.next()) {
                (Some(&place), None) => Some(place),
                _ => None,
            }
        };
        self.exact.get(name).copied().or_else(by_end).map(InstanceId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_found_by_the_end_of_its_path() {
        let instance =
            |name: &str| Instance { name: name.to_owned(), argument: format!("/data/{name}"), family: None };
        let all = [instance("in/a.cnf"), instance("in/b.cnf"), instance("other/b.cnf")];
        let found = |name: &str| Places::of(&all).find(name).map(|id| id.0);
        assert_eq!(found("in/a.cnf"), Some(0));
        assert_eq!(found("/data/in/b.cnf"), Some(1));
        assert_eq!(found("a.cnf"), Some(0));
        assert_eq!(found("./a.cnf"), Some(0));
        assert_eq!(found("/home/me/in/b.cnf"), Some(1));
        assert_eq!(found("b.cnf"), None, "two of them");
        assert_eq!(found("c.cnf"), None);
        assert_eq!(Places::of(&[Instance::new("", "")]).find(""), Some(InstanceId(0)));
    }
}
