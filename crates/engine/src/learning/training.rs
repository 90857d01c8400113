//! Training sets built from a history: costs, successes, the budget that trials used, and
//! constrained outputs.
//!
//! A set has one point for each configuration and pair, with the most informative reading. Points are ordered
//! by their first reading. Later training sets of a campaign therefore begin with the points of earlier ones,
//! some of them with more informative readings. Trials without a cost are left out of the costs; penalties
//! are never used here.

use std::collections::HashMap;

use surrogate::{InstanceTable, Reading, Scale, TrainingSet, configuration_columns};

use super::Part;
use crate::history::{History, Trial, is_more_informative};
use crate::problem::constraint::Over;
use crate::problem::{Objective, Problem};
use crate::trial::{ConfigId, TrialKey};

/// Returns the costs of the first trials in a history, or of a part of them.
pub fn costs<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let part: Part = part.into();
    let scale = scale_of(&problem.objective, history, part.trials);
    let costs = part.of(history).filter(|(_, trial)| trial.observation.cost().is_some());
    let mut kept: Vec<(TrialKey, usize)> = Vec::new();
    keep_most_informative(history, costs.map(|(row, _)| row), &mut kept);
    of_trials(
        problem,
        history,
        instances,
        scale,
        problem.objective.cutoff,
        kept.into_iter()
            .filter_map(|(key, row)| history.trials()[row].observation.cost().map(|cost| (key, cost))),
    )
}

/// Returns 1 for each of the first trials that succeeded and 0 for each that failed. A trial that
/// was stopped counts as a success.
pub fn outcomes<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let part: Part = part.into();
    let informative = part.of(history).filter(|(_, trial)| !trial.observation.status().is_uninformative());
    let mut kept: Vec<(TrialKey, usize)> = Vec::new();
    keep_most_informative(history, informative.map(|(row, _)| row), &mut kept);
    let outcomes = kept.into_iter().map(|(key, row)| {
        let failed = history.trials()[row].observation.status().is_failure();
        (key, Reading::Exact(if failed { 0.0 } else { 1.0 }))
    });
    of_trials(problem, history, instances, Scale::Linear, None, outcomes)
}

/// Returns the budget that each of the first trials used. For stopped trials, this is a lower
/// bound.
pub fn spent<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let part: Part = part.into();
    let informative = part.of(history).filter(|(_, trial)| !trial.observation.status().is_uninformative());
    let spent = informative.map(|(_, Trial { key, observation, .. })| {
        let stopped = observation.cost().is_some_and(Reading::is_censored);
        let used = observation.spent();
        (*key, if stopped { Reading::AtLeast(used) } else { Reading::Exact(used) })
    });
    let scale = Scale::Log10 { grain: problem.objective.grain.max(1e-3) };
    of_trials(problem, history, instances, scale, None, spent)
}

/// Returns the readings of a constrained output from the first trials in a history. If the constraint is on
/// the maximum, the set has one point for each configuration: its largest reading so far on any instance.
pub fn constraint<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    constraint: usize,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let over = problem.objective.constraints[constraint].over;
    let Outputs { readings, .. } = Outputs::of(history, part.into(), constraint, over);
    let instances = if over == Over::Max { InstanceTable::unknown() } else { instances };
    of_trials(problem, history, instances, Scale::Linear, None, readings.into_iter())
}

/// Returns the index of the reading in the [training set](constraint) that each of the first trials
/// contributed to. Several trials of a pair or configuration may share a reading. Returns `None` for a trial
/// that did not report the output or is not in the part.
pub fn constraint_places(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    constraint: usize,
) -> Vec<Option<usize>> {
    Outputs::of(history, part.into(), constraint, problem.objective.constraints[constraint].over).places
}

/// Chooses the scale of a model. The scale is logarithmic if there is a cutoff, since costs with a cutoff
/// grow from zero, or if all costs of the first trials are positive.
pub fn scale_of(objective: &Objective, history: &History, trials: usize) -> Scale {
    let positive = || {
        let mut costs = history.trials()[..trials].iter().filter_map(|trial| trial.observation.cost());
        costs.all(|cost| cost.lower_bound() > 0.0)
    };
    if objective.cutoff.is_some() || positive() {
        return Scale::Log10 { grain: objective.grain };
    }
    Scale::Linear
}

fn of_trials<'a>(
    problem: &Problem,
    history: &History,
    instances: &'a InstanceTable,
    scale: Scale,
    cutoff: Option<f64>,
    readings: impl Iterator<Item = (TrialKey, Reading)>,
) -> TrainingSet<'a> {
    let columns = configuration_columns(&problem.space);
    let mut set = TrainingSet::new(&columns, instances, scale, cutoff);
    let mut numbers: HashMap<ConfigId, u32> = HashMap::new();
    for (key, reading) in readings {
        let number = *numbers.entry(key.config).or_insert_with(|| {
            set.push_configuration(&problem.space.encode(history.configuration(key.config)))
        });
        let instance = if instances.count() == 1 { 0 } else { key.pair.instance.index() };
        set.push(number, instance, reading);
    }
    set
}

/// The readings of a constrained output.
struct Outputs {
    readings: Vec<(TrialKey, Reading)>,
    /// The index of each trial's reading.
    places: Vec<Option<usize>>,
}

impl Outputs {
    fn of(history: &History, part: Part, constraint: usize, over: Over) -> Self {
        let worst = over == Over::Max;
        let (mut readings, mut places) = (Vec::<(TrialKey, Reading)>::new(), vec![None; part.trials]);
        let (mut by_pair, mut by_configuration) = (HashMap::new(), HashMap::new());
        for (Trial { key, observation, .. }, own) in history.trials().iter().zip(&mut places) {
            if !(if worst { part.has_configuration(key.config) } else { part.has(key) }) {
                continue;
            }
            let output = observation.constraints().get(constraint).copied().flatten();
            let Some(reading) = output else { continue };
            let place = if worst {
                *by_configuration.entry(key.config).or_insert(readings.len())
            } else {
                *by_pair.entry(*key).or_insert(readings.len())
            };
            *own = Some(place);
            match readings.get_mut(place) {
                None => readings.push((*key, reading)),
                Some((_, known)) if worst && reading.lower_bound() > known.lower_bound() => *known = reading,
                Some((_, known)) if !worst && improves_on(reading, *known) => *known = reading,
                Some(_) => {}
            }
        }
        Self { readings, places }
    }
}

/// Returns whether one reading of a pair is more informative than another.
fn improves_on(one: Reading, other: Reading) -> bool {
    other.is_censored() && (!one.is_censored() || one.lower_bound() > other.lower_bound())
}

/// Keeps the most informative trial for each configuration and pair, in the order of their first trials.
fn keep_most_informative(
    history: &History,
    rows: impl Iterator<Item = usize>,
    kept: &mut Vec<(TrialKey, usize)>,
) {
    let mut places: HashMap<TrialKey, usize> = HashMap::new();
    let trials = history.trials();
    for row in rows {
        let key = trials[row].key;
        let place = *places.entry(key).or_insert(kept.len());
        if place == kept.len() {
            kept.push((key, row));
        } else if is_more_informative(&trials[row].observation, &trials[kept[place].1].observation) {
            kept[place].1 = row;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reading::{AtLeast, Exact};
    use crate::observation::{Observation, Status};
    use crate::problem::Objective;
    use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, Why};
    use space::Space;
    use space::format::{Format, read};

    fn record(history: &mut History, config: u32, instance: u32, observation: Observation) {
        let pair = Pair { instance: InstanceId(instance), seed: Seed(1) };
        let key = TrialKey { config: ConfigId(config), pair };
        let id = TrialId(history.trials().len() as u64);
        history.push(Trial { id, key, cap: Cap::at(100.0), why: Why::Challenge, observation });
    }

    #[test]
    fn constraints_are_learned_per_pair_or_from_the_largest_reading() {
        let (mut problem, _) = campaign();
        let mut history = History::new();
        for code in [1.0, 2.0] {
            history.intern(&problem.space.configuration_of_codes(vec![code]).unwrap());
        }
        let mut tell = |config, instance, output: Option<Reading>| {
            let observation = Observation::finished(1.0).with_constraints([output, output]);
            record(&mut history, config, instance, observation);
        };
        tell(0, 0, Some(AtLeast(1.0)));
        tell(0, 1, Some(Exact(3.0)));
        tell(1, 0, None);
        tell(0, 0, Some(Exact(2.0)));
        tell(1, 1, Some(Exact(-5.0)));
        for over in [Over::Mean, Over::Max] {
            problem.objective.constraints.push(crate::problem::Constraint::new(0.0, over));
        }
        let named = InstanceTable::named(2);
        let set = |index| constraint(&problem, &history, 5, index, &named);
        assert_eq!(set(0).readings(), [Exact(2.0), Exact(3.0), Exact(-5.0)]);
        assert_eq!(set(1).readings(), [Exact(3.0), Exact(-5.0)]);
        assert_eq!((set(0).columns().len(), set(1).columns().len()), (2, 1));
        let places = |index| constraint_places(&problem, &history, 5, index);
        assert_eq!(places(0), [Some(0), Some(1), None, Some(0), Some(2)]);
        assert_eq!(places(1), [Some(0), Some(0), None, Some(0), Some(1)]);
    }

    fn campaign() -> (Problem, History) {
        let space: Space = read("a = { integer = [1, 4] }\n", "space", Format::Toml).unwrap();
        let default = space.default_configuration();
        let objective = Objective::capped(100.0);
        let mut history = History::new();
        for code in [1.0, 2.0, 3.0] {
            history.intern(&space.configuration_of_codes(vec![code]).unwrap());
        }
        record(&mut history, 0, 0, Observation::capped(1.0));
        record(&mut history, 1, 0, Observation::failed(Status::Crashed, 1.0));
        record(&mut history, 1, 1, Observation::finished(0.0));
        record(&mut history, 0, 0, Observation::finished(10.0));
        record(&mut history, 2, 1, Observation::capped(10.0));
        record(&mut history, 2, 1, Observation::failed(Status::Lost, 0.0));
        record(&mut history, 2, 1, Observation::capped(5.0));
        record(&mut history, 2, 0, Observation::timeout(100.0));
        (Problem { space, default, objective, instances: 2, seed: 1 }, history)
    }

    #[test]
    fn each_pair_gives_its_most_informative_cost_in_order_of_appearance() {
        let (problem, history) = campaign();
        let named = InstanceTable::named(2);
        let set = costs(&problem, &history, 8, &named);
        assert_eq!(set.readings(), [Exact(1.0), Exact(-3.0), AtLeast(1.0), AtLeast(2.0)]);
        assert_eq!(set.cutoff(), Some(2.0));
        assert_eq!(set.configurations(), 3);
        assert_eq!(set.row(2).collect::<Vec<_>>(), [0.625, 0.75], "the third of four, the second of two");
        let earlier = costs(&problem, &history, 3, &named);
        assert_eq!(earlier.readings(), [AtLeast(0.0), Exact(-3.0)]);
        assert_eq!(earlier.points(), &set.points()[..2], "later sets begin with earlier ones");
    }

    #[test]
    fn outcomes_distinguish_failures_from_other_trials() {
        let (problem, history) = campaign();
        let alike = InstanceTable::alike();
        let set = outcomes(&problem, &history, 8, &alike);
        assert_eq!(set.readings(), [1.0, 0.0, 1.0, 1.0, 1.0].map(Exact));
        assert_eq!((set.cutoff(), set.scale()), (None, Scale::Linear));
    }
}
