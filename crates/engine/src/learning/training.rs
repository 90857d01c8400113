//! The training sets of a history: what its trials told of the cost, of success, of what they used and of the
//! outputs that constraints bound.
//!
//! One point for each configuration and pair: the reading that tells most of it. Points keep the order
//! of their first reading, so that later training sets of a campaign begin with the earlier ones, some
//! readings told better. Trials without a cost are left out; penalties never come here.

use std::collections::HashMap;

use surrogate::{InstanceTable, Reading, Scale, TrainingSet, configuration_columns};

use super::Part;
use crate::history::{History, Trial, tells_more};
use crate::problem::constraint::Over;
use crate::problem::{Objective, Problem};
use crate::trial::{ConfigId, TrialKey};

/// The costs of the first so many trials of a history, or of a part of them.
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
    keep_the_most_telling(history, costs.map(|(row, _)| row), &mut kept);
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

/// Whether the first so many trials of a history succeeded: 1 or 0. A trial that was stopped had
/// not failed.
pub fn outcomes<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let part: Part = part.into();
    let telling = part.of(history).filter(|(_, trial)| !trial.observation.status().says_nothing());
    let mut kept: Vec<(TrialKey, usize)> = Vec::new();
    keep_the_most_telling(history, telling.map(|(row, _)| row), &mut kept);
    let outcomes = kept.into_iter().map(|(key, row)| {
        let failed = history.trials()[row].observation.status().is_failure();
        (key, Reading::Exact(if failed { 0.0 } else { 1.0 }))
    });
    of_trials(problem, history, instances, Scale::Linear, None, outcomes)
}

/// What the first so many trials of a history have used of the budget; of those that were stopped at least
/// that.
pub fn spent<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let part: Part = part.into();
    let told = part.of(history).filter(|(_, trial)| !trial.observation.status().says_nothing());
    let spent = told.map(|(_, Trial { key, observation, .. })| {
        let stopped = observation.cost().is_some_and(Reading::is_censored);
        let used = observation.spent();
        (*key, if stopped { Reading::AtLeast(used) } else { Reading::Exact(used) })
    });
    let scale = Scale::Log10 { grain: problem.objective.grain.max(1e-3) };
    of_trials(problem, history, instances, scale, None, spent)
}

/// What the first so many trials of a history have shown of the output that a constraint bounds. Of one
/// whose worst reading counts, the worst of each configuration so far, whatever the instance.
pub fn constraint<'a>(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    constraint: usize,
    instances: &'a InstanceTable,
) -> TrainingSet<'a> {
    let over = problem.objective.constraints[constraint].over;
    let Told { readings, .. } = Told::of(history, part.into(), constraint, over);
    let instances = if over == Over::Max { InstanceTable::unknown() } else { instances };
    of_trials(problem, history, instances, Scale::Linear, None, readings.into_iter())
}

/// Which reading of [that set](constraint) is due to each of the first trials, among others of its pair
/// or configuration; `None` if the trial did not tell the output or is not in the part.
pub fn constraint_places(
    problem: &Problem,
    history: &History,
    part: impl Into<Part>,
    constraint: usize,
) -> Vec<Option<usize>> {
    Told::of(history, part.into(), constraint, problem.objective.constraints[constraint].over).places
}

/// Logarithmic where costs are cut off, since those grow from nothing, and where every cost of
/// the first so many trials is positive.
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

/// What trials told of a constrained output.
struct Told {
    readings: Vec<(TrialKey, Reading)>,
    /// The reading of each trial.
    places: Vec<Option<usize>>,
}

impl Told {
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
                Some((_, known)) if !worst && says_more(reading, *known) => *known = reading,
                Some(_) => {}
            }
        }
        Self { readings, places }
    }
}

/// Whether one reading of a pair says more than another.
fn says_more(one: Reading, other: Reading) -> bool {
    other.is_censored() && (!one.is_censored() || one.lower_bound() > other.lower_bound())
}

/// Of the trials of each configuration and pair the one that tells most, in the order of their first.
fn keep_the_most_telling(
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
        } else if tells_more(&trials[row].observation, &trials[kept[place].1].observation) {
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

    fn told(history: &mut History, config: u32, instance: u32, observation: Observation) {
        let pair = Pair { instance: InstanceId(instance), seed: Seed(1) };
        let key = TrialKey { config: ConfigId(config), pair };
        let id = TrialId(history.trials().len() as u64);
        history.push(Trial { id, key, cap: Cap::at(100.0), why: Why::Challenge, observation });
    }

    #[test]
    fn constraints_are_learned_by_pair_or_by_the_worst() {
        let (mut problem, _) = campaign();
        let mut history = History::new();
        for code in [1.0, 2.0] {
            history.intern(&problem.space.configuration_of_codes(vec![code]).unwrap());
        }
        let mut tell = |config, instance, output: Option<Reading>| {
            let observation = Observation::finished(1.0).with_constraints([output, output]);
            told(&mut history, config, instance, observation);
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
        told(&mut history, 0, 0, Observation::capped(1.0));
        told(&mut history, 1, 0, Observation::failed(Status::Crashed, 1.0));
        told(&mut history, 1, 1, Observation::finished(0.0));
        told(&mut history, 0, 0, Observation::finished(10.0));
        told(&mut history, 2, 1, Observation::capped(10.0));
        told(&mut history, 2, 1, Observation::failed(Status::Lost, 0.0));
        told(&mut history, 2, 1, Observation::capped(5.0));
        told(&mut history, 2, 0, Observation::timeout(100.0));
        (Problem { space, default, objective, instances: 2, seed: 1 }, history)
    }

    #[test]
    fn each_pair_gives_its_most_telling_cost_in_the_order_of_appearance() {
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
    fn outcomes_tell_failures_from_the_rest() {
        let (problem, history) = campaign();
        let alike = InstanceTable::alike();
        let set = outcomes(&problem, &history, 8, &alike);
        assert_eq!(set.readings(), [1.0, 0.0, 1.0, 1.0, 1.0].map(Exact));
        assert_eq!((set.cutoff(), set.scale()), (None, Scale::Linear));
    }
}
