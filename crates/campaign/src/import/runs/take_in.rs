//! Turns runs into trials of a scenario.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;

use engine::history::{History, Trial};
use engine::{
    Cap, ConfigId, Configuration, InstanceId, Observation, Pair, Reading, Seed, Space, Status, TrialId,
    TrialKey, Why,
};
use scenario::{Instance, Measure, Scenario, Sense};
use space::{Bound, ConfigurationError, Literal};
use store::fingerprint::Fingerprints;

use super::misfit::{Misfit, Misfits, Names};
use super::outcome::{below_zero, contradict, kept_reading, observation, reading, shown};
use super::{Run, Runs, Values};
use crate::Settings;

/// Relative tolerance for numbers outside their range. A number that exceeds its bound by no more than this
/// was probably rounded by the program that wrote it.
const ROUNDING: f64 = 1e-9;

/// The reason for leaving out a run that is already in the campaign.
pub const KNOWN: &str = "already known";

/// The reason for leaving out a run whose result contradicts a trial of the campaign.
const MEASURED: &str = "already measured here, with a different result";

/// Reasons why runs were left out, with the number of runs for each.
pub type Left = BTreeMap<String, usize>;

/// The outputs of a trial, by name.
pub type Outputs = BTreeMap<String, f64>;

/// The result of importing runs into a history.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TakenIn {
    /// The outputs of each trial that was added, as far as the scenario declares them.
    pub outputs: Vec<Outputs>,
    /// Reasons why runs were left out, with the number of runs for each.
    pub left: Left,
    /// Parameters that no run names, with the values that captune assigned to them.
    pub filled: BTreeMap<String, String>,
    /// Parts of the source that are not used.
    pub unused: Vec<String>,
}

/// The scenario, compared with the campaign that recorded the runs.
#[derive(Debug)]
pub struct Former<'a> {
    /// For each constraint: the index of its readings in that campaign; `None` if it was added later.
    pub kept: Vec<Option<usize>>,
    /// The fingerprints of the scenario's files as they are now.
    pub files: &'a Fingerprints,
}

/// Adds the runs that fit the scenario to a history, whose first configuration is the default. `former` is
/// needed for the runs of a campaign. Returns the reasons why other runs were left out, for example because
/// they are already in the history. If the runs do not fit the scenario, returns an error; the history must no
/// longer be used then.
pub fn take_in(
    history: &mut History,
    runs: &Runs,
    settings: &Settings,
    scenario: &Scenario,
    former: Option<&Former<'_>>,
) -> Result<TakenIn, Misfits> {
    let space = &settings.problem.space;
    let cutoff = settings.problem.objective.cutoff;
    let mut misfits = unfit(runs, settings, scenario);
    // The costs of a captune campaign, and of its export for SMAC3, already have the sign that the search uses.
    let have_engines_sign = runs.charter.is_some() || runs.is_own && runs.sense == Some(Sense::Minimise);
    let sense = if have_engines_sign { Sense::Minimise } else { scenario.objective.sense };
    let reported: BTreeSet<&str> =
        runs.list.iter().flat_map(|run| run.outputs.iter().map(|(name, _)| name.as_str())).collect();
    let mut taken = TakenIn { unused: unused(runs, scenario), ..TakenIn::default() };
    let places = Places::of(&scenario.instances.train);
    let mut known: BTreeSet<_> = history.trials().iter().map(identity).collect();
    let mut measured: HashMap<TrialKey, Vec<Observation>> = HashMap::new();
    for trial in history.trials() {
        measured.entry(trial.key).or_default().push(trial.observation.clone());
    }
    let mut recorded: HashMap<TrialKey, Vec<(&str, Observation)>> = HashMap::new();
    let mut unreported = Names::default();
    let named: BTreeSet<&str> =
        runs.list.iter().flat_map(|run| run.values.iter().map(|(name, _)| name.as_str())).collect();
    let mut translated: BTreeMap<*const (String, Literal), Result<ConfigId, String>> = BTreeMap::new();
    for run in &runs.list {
        let mut trial = || {
            let observation = observation(run, sense, cutoff)?;
            let instance = places
                .find(&run.instance)
                .ok_or_else(|| format!("instance `{}` is not in the scenario", run.instance))?;
            if former.is_some_and(|former| {
                has_changed(run, runs, former, &scenario.instances.train[instance.index()])
            }) {
                return Err(format!("the content of the instance `{}` has changed", run.instance));
            }
            let seed = u32::try_from(run.seed).ok().filter(|seed| *seed < 1 << 31);
            let seed = seed.ok_or_else(|| format!("the seed {} is not between 0 and 2^31 - 1", run.seed))?;
            // Runs of the same configuration share their values, so each configuration is translated only
            // once.
            let config = translated.entry(run.values.as_ptr()).or_insert_with(|| {
                let configuration = configuration(&run.values, &named, settings, space, &mut taken.filled)?;
                Ok(history.intern(&configuration))
            });
            let config = config.clone()?;
            let readings = scenario.constraints.iter().enumerate().map(|(number, one)| {
                if let Some(place) = former.and_then(|former| former.kept[number]) {
                    let stored = run.readings.get(place).copied().flatten();
                    return kept_reading(one, stored, run, &observation, scenario);
                }
                reading(one, run, &observation, scenario).unwrap_or_else(|()| {
                    // captune itself accepts a trial whose output is not a number.
                    if !(runs.is_own && reported.contains(one.name.as_str())) {
                        unreported.add(&one.name, &run.place);
                    }
                    None
                })
            });
            let readings: Vec<_> = readings.collect();
            let observation = observation.with_constraints(readings);
            let key = TrialKey { config, pair: Pair { instance, seed: Seed(seed) } };
            let cap = cap(run, &observation, cutoff);
            let why = if config == ConfigId(0) { Why::Incumbent } else { Why::Challenge };
            Ok(Trial { id: TrialId(0), key, cap, why, observation })
        };
        let mut leave = |why: String| *taken.left.entry(why).or_default() += 1;
        let trial: Trial = match trial() {
            Ok(trial) => trial,
            Err(why) => {
                leave(why);
                continue;
            }
        };
        let told = &trial.observation;
        if known.contains(&identity(&trial)) {
            leave(KNOWN.to_owned());
            continue;
        }
        if measured.get(&trial.key).is_some_and(|all| all.iter().any(|one| contradict(one, told))) {
            leave(MEASURED.to_owned());
            continue;
        }
        // captune may have measured a pair twice with different results. In other sources, that is an error.
        if !runs.is_own {
            let before = recorded.entry(trial.key).or_default();
            if let Some((place, one)) = before.iter().find(|(_, one)| contradict(one, told)) {
                let first = ((*place).to_owned(), shown(one));
                misfits.push(Misfit::Contradiction { first, second: (run.place.clone(), shown(told)) });
            }
            before.push((&run.place, told.clone()));
        }
        known.insert(identity(&trial));
        let told = run.outputs.iter().filter(|(name, _)| is_output(name, scenario));
        taken.outputs.push(told.cloned().collect());
        let id = TrialId(history.trials().len() as u64);
        history.push(Trial { id, ..trial });
    }
    misfits.extend(unreported.unreported());
    if misfits.is_empty() {
        Ok(taken)
    } else {
        Err(Misfits { source_name: runs.source.clone(), list: misfits })
    }
}

/// Returns whether the run's instance has another content than when the run was recorded.
fn has_changed(run: &Run, runs: &Runs, former: &Former<'_>, instance: &Instance) -> bool {
    let before = runs.files.as_ref().and_then(|files| files.training_instance(&run.instance));
    let now = former.files.training_instance(&instance.name);
    before.zip(now).is_some_and(|(before, now)| before != now)
}

/// Returns the cap of a run in this campaign. The cap is at most the cutoff, and at least the cost that the
/// run had reached, because other programs may stop a run late.
fn cap(run: &Run, observation: &Observation, cutoff: Option<f64>) -> Cap {
    let most = cutoff.unwrap_or(f64::INFINITY);
    let recorded = run.cap.filter(|cap| *cap > 0.0).unwrap_or(most);
    let reached = observation.cost().map_or(0.0, Reading::lower_bound);
    Cap::at(recorded.max(reached).min(most))
}

/// Returns the misfits that can be found without creating configurations.
fn unfit(runs: &Runs, settings: &Settings, scenario: &Scenario) -> Vec<Misfit> {
    let mut misfits = Vec::new();
    let word = |sense: Sense| match sense {
        Sense::Minimise => "minimise",
        Sense::Maximise => "maximise",
    };
    if let Some(sense) = runs.sense.filter(|sense| !runs.is_own && *sense != scenario.objective.sense) {
        misfits.push(Misfit::Sense { scenario: word(scenario.objective.sense), source: word(sense) });
    }
    let space = &settings.problem.space;
    let (mut parameters, mut outputs) = (Names::default(), Names::default());
    // A campaign, and so its export, may have had outputs that its scenario no longer declares.
    let is_known = |name: &str| is_output(name, scenario) || is_measure(name) || runs.is_own;
    for run in &runs.list {
        let names = run.values.iter().map(|(name, _)| name.as_str());
        names.filter(|name| space.find(name).is_none()).for_each(|name| parameters.add(name, &run.place));
        let names = run.outputs.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !is_known(name)).for_each(|name| outputs.add(name, &run.place));
    }
    let known = space.parameters().iter().map(|parameter| parameter.name());
    misfits.extend(parameters.unknown(known).into_iter().map(Misfit::Parameter));
    let known = scenario.outputs.iter().map(|output| output.name.as_str());
    misfits.extend(outputs.unknown(known).into_iter().map(Misfit::Output));
    // The costs of a captune campaign were already checked against its own scenario.
    let foreign = runs.list.iter().filter(|_| runs.charter.is_none());
    misfits.extend(foreign.flat_map(|run| {
        let wrong = below_zero(run, scenario, settings.problem.objective.cutoff);
        wrong.into_iter().map(|what| Misfit::BelowZero { place: run.place.clone(), what })
    }));
    misfits
}

/// Returns whether the scenario declares an output with this name.
fn is_output(name: &str, scenario: &Scenario) -> bool {
    scenario.outputs.iter().any(|output| output.name == name)
}

/// Returns whether captune measures a quantity with this name itself.
fn is_measure(name: &str) -> bool {
    Measure::NAMED.iter().any(|(own, _)| *own == name)
}

/// Returns the parts of the source that are not used, including outputs that the scenario neither declares nor
/// constrains.
fn unused(runs: &Runs, scenario: &Scenario) -> Vec<String> {
    let is_bounded = |name: &str| scenario.constraints.iter().any(|one| one.name == name);
    // captune records its measures with every trial, whether the scenario asks for them or not.
    let is_used =
        |name: &str| is_output(name, scenario) || is_bounded(name) || runs.is_own && is_measure(name);
    let outputs: BTreeSet<&str> =
        runs.list.iter().flat_map(|run| run.outputs.iter().map(|(name, _)| name.as_str())).collect();
    let unused = outputs.into_iter().filter(|name| !is_used(name)).map(|name| match is_measure(name) {
        true => format!("the output `{name}`: the scenario does not constrain it"),
        false => format!("the output `{name}`: the scenario does not declare it"),
    });
    runs.unused.iter().cloned().chain(unused).collect()
}

/// Returns the identity of a trial: its key, its status and the bits of its cost.
fn identity(trial: &Trial) -> (TrialKey, Status, Option<u64>) {
    let cost = trial.observation.cost().map(|cost| cost.lower_bound().to_bits());
    (trial.key, trial.observation.status(), cost)
}

/// Creates the configuration with these values. A parameter that no run names gets its default value, which
/// is recorded in `filled`.
fn configuration(
    values: &Values,
    named: &BTreeSet<&str>,
    settings: &Settings,
    space: &Space,
    filled: &mut BTreeMap<String, String>,
) -> Result<Configuration, String> {
    let known: Vec<(&str, Literal)> = values
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), within(space, space.find(name)?, value))))
        .collect();
    let made = space.configuration(known.clone()).or_else(|error| match error {
        ConfigurationError::Missing(_) => {
            let default = settings.problem.default.iter();
            let new: Vec<_> = default.filter(|(name, _)| !named.contains(name)).collect();
            let made = space.configuration(known.into_iter().chain(new.clone()));
            if made.is_ok() {
                filled.extend(new.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())));
            }
            made
        }
        other => Err(other),
    });
    made.map_err(|error| format!("the configuration is not in the space: {error}"))
}

/// Returns the value. If rounding has moved it slightly outside its range, returns the bound instead.
fn within(space: &Space, id: space::ParameterId, value: &Literal) -> Literal {
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

/// An index for finding instances by the names that runs use. A name matches the instance's name or its
/// argument. Otherwise it may match the end of an instance's path, if only one instance has such a path.
struct Places<'a> {
    instances: &'a [Instance],
    exact: HashMap<&'a str, u32>,
    /// Instances by file name.
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
    fn instances_are_found_by_the_end_of_their_path() {
        let instance =
            |name: &str| Instance { name: name.to_owned(), argument: format!("/data/{name}"), family: None };
        let all = [instance("in/a.cnf"), instance("in/b.cnf"), instance("other/b.cnf")];
        let found = |name: &str| Places::of(&all).find(name).map(|id| id.0);
        assert_eq!(found("in/a.cnf"), Some(0));
        assert_eq!(found("/data/in/b.cnf"), Some(1));
        assert_eq!(found("a.cnf"), Some(0));
        assert_eq!(found("./a.cnf"), Some(0));
        assert_eq!(found("/home/me/in/b.cnf"), Some(1));
        assert_eq!(found("b.cnf"), None, "two instances match");
        assert_eq!(found("c.cnf"), None);
        assert_eq!(Places::of(&[Instance::new("", "")]).find(""), Some(InstanceId(0)));
    }
}
