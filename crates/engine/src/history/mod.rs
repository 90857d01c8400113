//! All trials so far, in memory.
//!
//! New trials are appended and never changed. Configurations and pairs are interned, so a trial stores only
//! their numbers. For each configuration, the history records the pairs it has been tried on. If there are
//! several trials on a pair, it records the most informative one.

mod fingerprint;
mod mixing;
mod relative;
mod table;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use space::Configuration;

use crate::observation::{Observation, Status};
use crate::problem::Constraint;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, Why};
use fingerprint::AlreadyMixed;
use mixing::Mixing;
use relative::Relative;
pub use relative::rated;
use table::Readings;
pub(crate) use table::is_more_informative;

/// A trial that has ended, with everything that the search needs to know about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// Its number. Trials are numbered in the order in which they were requested.
    pub id: TrialId,
    /// Its configuration and pair.
    pub key: TrialKey,
    /// Its cap: the cost at which it was or would have been stopped.
    pub cap: Cap,
    /// The reason for requesting it.
    pub why: Why,
    /// Its result.
    pub observation: Observation,
}

/// A pair's number in the history. Pairs are numbered in order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PairId(pub u32);

/// All trials, in the order in which their results were reported.
#[derive(Clone, Debug, Default)]
pub struct History {
    configurations: Vec<Configuration>,
    by_fingerprint: HashMap<u128, ConfigId, AlreadyMixed>,
    pairs: Vec<Pair>,
    by_pair: HashMap<Pair, PairId, Mixing>,
    trials: Vec<Trial>,
    readings: Vec<Readings>,
    counts: [u64; Status::ALL.len()],
    /// Number of trials of each configuration.
    trials_of: Vec<u32>,
    /// Number of configurations with at least one trial.
    tried: usize,
    /// Number of wrong answers from each configuration that has given any.
    wrong: BTreeMap<ConfigId, u32>,
    /// Data for rating outputs relative to the baseline's; `None` if no constraint is relative.
    relative: Option<Relative>,
}

impl History {
    /// Returns an empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty history with memory for this many configurations and trials.
    pub fn with_capacity(configurations: usize, trials: usize) -> Self {
        Self {
            configurations: Vec::with_capacity(configurations),
            by_fingerprint: HashMap::with_capacity_and_hasher(configurations, AlreadyMixed::default()),
            trials: Vec::with_capacity(trials),
            readings: Vec::with_capacity(configurations),
            trials_of: Vec::with_capacity(configurations),
            ..Self::default()
        }
    }

    /// Returns the number of a configuration; assigns one if it is new.
    pub fn intern(&mut self, configuration: &Configuration) -> ConfigId {
        let next = ConfigId(self.configurations.len() as u32);
        let id = *self.by_fingerprint.entry(configuration.fingerprint()).or_insert(next);
        if id == next {
            self.configurations.push(configuration.clone());
            self.readings.push(Readings::default());
            self.trials_of.push(0);
        }
        id
    }

    /// Returns the number of a configuration, if the history contains it.
    pub fn find(&self, configuration: &Configuration) -> Option<ConfigId> {
        self.by_fingerprint.get(&configuration.fingerprint()).copied()
    }

    /// Returns the number of configurations with at least one trial that has ended, whatever its status. The
    /// other configurations have only been proposed.
    pub fn tried(&self) -> usize {
        self.tried
    }

    /// Returns all configurations, ordered by their numbers.
    pub fn configurations(&self) -> &[Configuration] {
        &self.configurations
    }

    /// Returns the configuration with this number.
    pub fn configuration(&self, id: ConfigId) -> &Configuration {
        &self.configurations[id.index()]
    }

    /// Returns the number of a pair; assigns one if it is new.
    pub fn intern_pair(&mut self, pair: Pair) -> PairId {
        let next = PairId(self.pairs.len() as u32);
        let id = *self.by_pair.entry(pair).or_insert(next);
        if id == next {
            self.pairs.push(pair);
        }
        id
    }

    /// Returns the pair with this number.
    pub fn pair(&self, id: PairId) -> Pair {
        self.pairs[id.0 as usize]
    }

    /// Returns the number of a pair, if the history contains it.
    pub fn find_pair(&self, pair: Pair) -> Option<PairId> {
        self.by_pair.get(&pair).copied()
    }

    /// Divides the outputs of relative constraints by those of the baseline, in all trials so far and in all
    /// later ones. Has no effect if it was called before or if no constraint is relative.
    pub fn relate(&mut self, baseline: ConfigId, constraints: &[Constraint]) {
        if self.relative.is_none() {
            self.relative = Relative::new(baseline, constraints);
            (0..self.trials.len()).for_each(|row| self.rate(row));
        }
    }

    /// Rates the outputs of a trial, and those of trials that were waiting only for this one.
    fn rate(&mut self, row: usize) {
        let (Some(relative), Some(trial)) = (&mut self.relative, self.trials.get_mut(row)) else { return };
        let pair = trial.key.pair;
        let outputs = relative.rated(row, (trial.key.config, pair), trial.observation.constraints());
        trial.observation.set_constraints(outputs);
        for (row, outputs) in relative.take_due(pair) {
            self.trials[row].observation.set_constraints(outputs);
        }
    }

    /// Adds a trial that has ended; its configuration must have been interned.
    pub fn push(&mut self, trial: Trial) {
        let pair = self.intern_pair(trial.key.pair);
        let row = self.trials.len() as u32;
        self.counts[trial.observation.status() as usize] += 1;
        let own = &mut self.trials_of[trial.key.config.index()];
        *own += 1;
        self.tried += usize::from(*own == 1);
        if trial.observation.status().bars() {
            *self.wrong.entry(trial.key.config).or_default() += 1;
        }
        if !trial.observation.status().is_uninformative() {
            self.readings[trial.key.config.index()].insert(pair, row, &trial.observation, &self.trials);
        }
        self.trials.push(trial);
        self.rate(row as usize);
    }

    /// Removes and returns all trials except the first `told`.
    pub fn take_after(&mut self, told: usize) -> Vec<Trial> {
        let taken = self.trials.split_off(told.min(self.trials.len()));
        for trial in &taken {
            let Trial { key, observation, .. } = trial;
            self.counts[observation.status() as usize] -= 1;
            let own = &mut self.trials_of[key.config.index()];
            *own -= 1;
            self.tried -= usize::from(*own == 0);
            if observation.status().bars()
                && let Some(count) = self.wrong.get_mut(&key.config)
            {
                *count -= 1;
            }
            let Some(pair) = self.find_pair(key.pair) else { continue };
            let readings = &mut self.readings[key.config.index()];
            readings.remove(pair);
            for (row, left) in self.trials.iter().enumerate().filter(|(_, left)| left.key == *key) {
                if !left.observation.status().is_uninformative() {
                    readings.insert(pair, row as u32, &left.observation, &self.trials);
                }
            }
        }
        taken
    }

    /// Returns all trials in the order in which their results were reported.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Returns the number of trials with this status.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// Returns whether a configuration has given a wrong answer and can therefore never win.
    pub fn is_barred(&self, config: ConfigId) -> bool {
        self.wrong.get(&config).is_some_and(|&count| count > 0)
    }

    /// Returns the most informative trial of a configuration on a pair, if there is one.
    pub fn reading(&self, config: ConfigId, pair: PairId) -> Option<&Trial> {
        let row = self.readings[config.index()].find(pair)?;
        Some(&self.trials[row as usize])
    }

    /// Returns the pairs a configuration has been tried on, ordered by number, with the most
    /// informative trial on each.
    pub fn readings(&self, config: ConfigId) -> impl Iterator<Item = (PairId, &Trial)> {
        self.readings[config.index()].iter().map(|(pair, row)| (pair, &self.trials[row as usize]))
    }
}

#[cfg(test)]
mod tests {
    use space::Literal;
    use space::format::{Format, read};

    use super::*;
    use crate::trial::{InstanceId, Seed};

    #[test]
    fn only_configurations_with_a_trial_have_been_tried() {
        let space = read("x = { integer = [1, 9] }\n", "space.toml", Format::Toml).unwrap();
        let mut history = History::new();
        let configs: Vec<ConfigId> = (1..=3)
            .map(|x| history.intern(&space.configuration([("x", Literal::Integer(x))]).unwrap()))
            .collect();
        assert_eq!(history.tried(), 0);
        let trials = [
            (0, Observation::finished(1.0)),
            (1, Observation::failed(Status::Lost, 0.0)),
            (1, Observation::finished(2.0)),
        ];
        for (number, (place, observation)) in trials.into_iter().enumerate() {
            let pair = Pair { instance: InstanceId(0), seed: Seed(number as u32) };
            let key = TrialKey { config: configs[place], pair };
            let (id, cap, why) = (TrialId(number as u64), Cap::NONE, Why::Challenge);
            history.push(Trial { id, key, cap, why, observation });
        }
        assert_eq!((history.tried(), history.configurations().len()), (2, 3));
        history.take_after(2);
        assert_eq!(history.tried(), 2, "a lost trial counts as well");
        history.take_after(1);
        assert_eq!(history.tried(), 1);
    }
}
