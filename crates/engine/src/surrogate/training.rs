//! What surrogates learn from.
//!
//! One point for each configuration and pair: the reading that tells most of it. Points keep the order
//! of their first reading, so that later training sets of a campaign begin with the earlier ones, some
//! readings told better. Trials without a cost are left out; penalties never come here.

use std::collections::HashMap;

use super::{Column, FitError, InstanceTable, Part, Scale, configuration_columns};
use crate::history::{History, Trial, tells_more};
use crate::interrupt::Interrupt;
use crate::racing::Problem;
use crate::racing::constraint::Over;
use crate::reading::Reading;
use crate::trial::{ConfigId, TrialKey};

/// Where a reading was taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// Which of the set's configurations.
    pub configuration: u32,
    /// Which row of the instance table.
    pub instance: u32,
}

/// Configurations, instances and readings, on the model's scale.
#[derive(Clone, Debug)]
pub struct TrainingSet<'a> {
    columns: Vec<Column>,
    instances: &'a InstanceTable,
    scale: Scale,
    cutoff: Option<f64>,
    rows: Vec<f64>,
    points: Vec<Point>,
    readings: Vec<Reading>,
    interrupt: Interrupt,
}

impl<'a> TrainingSet<'a> {
    /// Without any point: the columns of configurations, what is known of instances, and the largest
    /// cost any trial may reach.
    pub fn new(
        configuration: &[Column],
        instances: &'a InstanceTable,
        scale: Scale,
        cutoff: Option<f64>,
    ) -> Self {
        let columns = configuration.iter().chain(instances.columns()).copied().collect();
        let cutoff = cutoff.map(|cutoff| scale.model(cutoff));
        Self {
            columns,
            instances,
            scale,
            cutoff,
            rows: Vec::new(),
            points: Vec::new(),
            readings: Vec::new(),
            interrupt: Interrupt::default(),
        }
    }

    /// The same; fits to it, and to parts of it, break off when the flag is raised.
    #[must_use]
    pub fn until(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// The flag.
    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether a fit is still wanted: an error if it is to break off.
    pub fn wanted(&self) -> Result<(), FitError> {
        if self.interrupt.is_raised() { Err(FitError::Interrupted) } else { Ok(()) }
    }

    /// Adds a configuration by its row; its number.
    ///
    /// # Panics
    /// If the row has not one value for each column of configurations.
    pub fn push_configuration(&mut self, row: &[f64]) -> u32 {
        assert_eq!(row.len(), self.configuration_width(), "a value for each column");
        let number = self.rows.len() / row.len().max(1);
        self.rows.extend_from_slice(row);
        number as u32
    }

    /// Adds what is known of the cost of a configuration on an instance.
    ///
    /// # Panics
    /// If the configuration or the instance is unknown, or the cost no finite number.
    pub fn push(&mut self, configuration: u32, instance: usize, cost: Reading) {
        assert!(cost.lower_bound().is_finite(), "costs are finite numbers");
        assert!(instance < self.instances.count(), "instance {instance} has no row");
        assert!((configuration as usize) < self.configurations(), "configuration {configuration} has no row");
        self.points.push(Point { configuration, instance: instance as u32 });
        self.readings.push(self.scale.reading(cost));
    }

    /// The points that are wanted, of the same configurations.
    pub fn subset(&self, wanted: impl Fn(&Point) -> bool) -> Self {
        let kept = self.points.iter().zip(&self.readings).filter(|(point, _)| wanted(point));
        let (points, readings) = kept.map(|(&point, &reading)| (point, reading)).unzip();
        Self {
            points,
            readings,
            columns: self.columns.clone(),
            rows: self.rows.clone(),
            interrupt: self.interrupt.clone(),
            ..*self
        }
    }

    /// The costs of the first so many trials of a history, or of a part of them.
    pub fn costs(
        problem: &Problem,
        history: &History,
        part: impl Into<Part>,
        instances: &'a InstanceTable,
    ) -> Self {
        let part: Part = part.into();
        let scale = Scale::of(&problem.objective, history, part.trials);
        let costs = part.of(history).filter(|(_, trial)| trial.observation.cost().is_some());
        let mut kept: Vec<(TrialKey, usize)> = Vec::new();
        keep_the_most_telling(history, costs.map(|(row, _)| row), &mut kept);
        Self::of_trials(
            problem,
            history,
            instances,
            scale,
            kept.into_iter()
                .filter_map(|(key, row)| history.trials()[row].observation.cost().map(|cost| (key, cost))),
        )
    }

    /// Whether the first so many trials of a history succeeded: 1 or 0. A trial that was stopped had
    /// not failed.
    pub fn outcomes(
        problem: &Problem,
        history: &History,
        part: impl Into<Part>,
        instances: &'a InstanceTable,
    ) -> Self {
        let part: Part = part.into();
        let telling = part.of(history).filter(|(_, trial)| !trial.observation.status().says_nothing());
        let mut kept: Vec<(TrialKey, usize)> = Vec::new();
        keep_the_most_telling(history, telling.map(|(row, _)| row), &mut kept);
        let outcomes = kept.into_iter().map(|(key, row)| {
            let failed = history.trials()[row].observation.status().is_failure();
            (key, Reading::Exact(if failed { 0.0 } else { 1.0 }))
        });
        Self { cutoff: None, ..Self::of_trials(problem, history, instances, Scale::Linear, outcomes) }
    }

    /// What the first so many trials of a history have used of the budget; of those that were stopped at least
    /// that.
    pub fn spent(
        problem: &Problem,
        history: &History,
        part: impl Into<Part>,
        instances: &'a InstanceTable,
    ) -> Self {
        let part: Part = part.into();
        let told = part.of(history).filter(|(_, trial)| !trial.observation.status().says_nothing());
        let spent = told.map(|(_, Trial { key, observation, .. })| {
            let stopped = observation.cost().is_some_and(Reading::is_censored);
            let used = observation.spent();
            (*key, if stopped { Reading::AtLeast(used) } else { Reading::Exact(used) })
        });
        let scale = Scale::Log10 { grain: problem.objective.grain.max(1e-3) };
        Self { cutoff: None, ..Self::of_trials(problem, history, instances, scale, spent) }
    }

    /// What the first so many trials of a history have shown of the output that a constraint bounds. Of one
    /// whose worst reading counts, the worst of each configuration so far, whatever the instance.
    pub fn constraint(
        problem: &Problem,
        history: &History,
        part: impl Into<Part>,
        constraint: usize,
        instances: &'a InstanceTable,
    ) -> Self {
        let over = problem.objective.constraints[constraint].over;
        let Told { readings, .. } = Told::of(history, part.into(), constraint, over);
        let instances = if over == Over::Max { InstanceTable::unknown() } else { instances };
        let set = Self::of_trials(problem, history, instances, Scale::Linear, readings.into_iter());
        Self { cutoff: None, ..set }
    }

    /// Which reading of [that set](Self::constraint) is due to each of the first trials, among others of its pair
    /// or configuration; `None` if the trial did not tell the output or is not in the part.
    pub fn constraint_places(
        problem: &Problem,
        history: &History,
        part: impl Into<Part>,
        constraint: usize,
    ) -> Vec<Option<usize>> {
        Told::of(history, part.into(), constraint, problem.objective.constraints[constraint].over).places
    }

    fn of_trials(
        problem: &Problem,
        history: &History,
        instances: &'a InstanceTable,
        scale: Scale,
        readings: impl Iterator<Item = (TrialKey, Reading)>,
    ) -> Self {
        let columns = configuration_columns(&problem.space);
        let mut set = Self::new(&columns, instances, scale, problem.objective.cutoff);
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

    /// What its columns mean: those of configurations, then those of instances.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// What is known of the instances.
    pub fn instances(&self) -> &'a InstanceTable {
        self.instances
    }

    /// How many columns belong to configurations.
    pub fn configuration_width(&self) -> usize {
        self.columns.len() - self.instances.columns().len()
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> usize {
        self.rows.len() / self.configuration_width().max(1)
    }

    /// The rows of all configurations, one after the other.
    pub fn configuration_rows(&self) -> &[f64] {
        &self.rows
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is nothing to learn from.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Where the readings were taken.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// What was read, on the model's scale.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The deviation of what was read, bounds included.
    pub fn spread(&self) -> f64 {
        let count = self.readings.len().max(1) as f64;
        let unit = self.unit();
        let values = || self.readings.iter().map(|reading| reading.lower_bound() / unit);
        let mean = values().map(|value| value / count).sum::<f64>();
        unit * values().map(|value| (value - mean) * (value - mean) / count).sum::<f64>().sqrt()
    }

    /// What readings are divided by before they are summed or squared: 1, unless that would overflow.
    pub(super) fn unit(&self) -> f64 {
        let largest = self.readings.iter().map(|reading| reading.lower_bound().abs()).fold(1.0, f64::max);
        if largest > 1e140 { largest } else { 1.0 }
    }

    /// The largest cost any trial may reach, on the model's scale.
    pub fn cutoff(&self) -> Option<f64> {
        self.cutoff
    }

    /// The scale of the readings.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The values of a point's columns.
    pub fn row(&self, point: usize) -> impl Iterator<Item = f64> {
        let Point { configuration, instance } = self.points[point];
        let width = self.configuration_width();
        let own = &self.rows[configuration as usize * width..(configuration as usize + 1) * width];
        own.iter().chain(self.instances.row(instance as usize)).copied()
    }
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
    use crate::observation::{Observation, Status};
    use crate::racing::Objective;
    use crate::reading::Reading::{AtLeast, Exact};
    use crate::space::Space;
    use crate::space::format::{Format, read};
    use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, Why};

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
            problem.objective.constraints.push(crate::racing::Constraint::new(0.0, over));
        }
        let named = InstanceTable::named(2);
        let set = |index| TrainingSet::constraint(&problem, &history, 5, index, &named);
        assert_eq!(set(0).readings(), [Exact(2.0), Exact(3.0), Exact(-5.0)]);
        assert_eq!(set(1).readings(), [Exact(3.0), Exact(-5.0)]);
        assert_eq!((set(0).columns().len(), set(1).columns().len()), (2, 1));
        let places = |index| TrainingSet::constraint_places(&problem, &history, 5, index);
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
        let set = TrainingSet::costs(&problem, &history, 8, &named);
        assert_eq!(set.readings(), [Exact(1.0), Exact(-3.0), AtLeast(1.0), AtLeast(2.0)]);
        assert_eq!(set.cutoff(), Some(2.0));
        assert_eq!(set.configurations(), 3);
        assert_eq!(set.row(2).collect::<Vec<_>>(), [0.625, 0.75], "the third of four, the second of two");
        let earlier = TrainingSet::costs(&problem, &history, 3, &named);
        assert_eq!(earlier.readings(), [AtLeast(0.0), Exact(-3.0)]);
        assert_eq!(earlier.points(), &set.points()[..2], "later sets begin with earlier ones");
    }

    #[test]
    fn outcomes_tell_failures_from_the_rest() {
        let (problem, history) = campaign();
        let alike = InstanceTable::alike();
        let set = TrainingSet::outcomes(&problem, &history, 8, &alike);
        assert_eq!(set.readings(), [1.0, 0.0, 1.0, 1.0, 1.0].map(Exact));
        assert_eq!((set.cutoff(), set.scale()), (None, Scale::Linear));
    }
}
