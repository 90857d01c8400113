//! The readings that the verdict is based on.
//!
//! A store can contain several validations: on other pairs, from other machines, and of pairs that were
//! measured again. The verdict uses one set of readings, and so does every picture of unseen pairs.

use std::collections::HashMap;

use campaign::Settings;
use campaign::validation::{self, OnBoth, Plan};
use engine::problem::Objective;
use engine::stats::Basis;
use engine::{ConfigId, Observation, Seed};
use store::StoredValidation;

use crate::error::ViewError;
use crate::records::Records;

/// The pairs of the verdict, and the readings on them that count.
#[derive(Debug)]
pub struct Ground<'a> {
    plan: Plan,
    names: Vec<&'a String>,
    /// The trials that can be compared with each other.
    measured: Vec<StoredValidation>,
    objective: Objective,
}

/// A pair that was measured with both the default and another configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct OnPair<'a> {
    /// The name of the instance.
    pub(crate) instance: &'a str,
    /// The seed.
    pub(crate) seed: Seed,
    /// The default's result.
    pub(crate) default: &'a Observation,
    /// The other configuration's result.
    pub(crate) own: &'a Observation,
}

impl<'a> Ground<'a> {
    pub(crate) fn of(records: &Records<'a>, mut settings: Settings) -> Result<Self, ViewError> {
        // All stored pairs count, whatever the budget of the session that measured them.
        settings.budget.trials = None;
        let (names, unseen) = (records.names()?, records.kept.scenario()?.instances.test.len());
        Ok(Self {
            plan: validation::plan(&settings, unseen as u32),
            names,
            measured: validation::comparable(records.validations().to_vec(), &settings.validation, None),
            objective: validation::objective(&settings),
        })
    }

    /// Returns the difference between these pairs and the training pairs.
    pub(crate) fn basis(&self) -> Basis {
        self.plan.basis
    }

    /// Returns the objective of the validation.
    pub(crate) fn objective(&self) -> &Objective {
        &self.objective
    }

    /// Returns the readings as the verdict takes them.
    pub(crate) fn on_both(&self, config: ConfigId) -> OnBoth {
        validation::recorded(&self.plan, &self.names, config, &self.measured, &self.objective)
    }

    /// Returns the same readings with their trials, in the order of the plan.
    pub(crate) fn pairs(&self, config: ConfigId) -> Vec<OnPair<'_>> {
        // If a pair was measured several times, the last measurement counts.
        let known: HashMap<_, _> = self
            .measured
            .iter()
            .map(|row| (row.key(), &row.record.trial.observation))
            .filter(|(_, observation)| self.objective.known(observation).is_some())
            .collect();
        let pairs = self.plan.pairs.iter().filter_map(|pair| {
            let instance = self.names.get(pair.instance.index())?.as_str();
            let find = |config: ConfigId| known.get(&(config, instance, pair.seed)).copied();
            Some(OnPair { instance, seed: pair.seed, default: find(ConfigId(0))?, own: find(config)? })
        });
        pairs.collect()
    }
}
