//! The readings that the verdict is based on.
//!
//! A store can contain several validations: on other pairs, from other machines, and of pairs that were
//! measured again. The verdict uses one set of readings, and so does every picture of unseen pairs.

use campaign::Settings;
use campaign::validation::{self, OnBoth, Plan};
use engine::problem::Objective;
use engine::stats::Basis;
use engine::{ConfigId, Observation, Pair, Seed};
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
    /// The identities of both trials.
    pub(crate) rows: [*const StoredValidation; 2],
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
        let both =
            validation::measured_on_both(&self.plan, &self.names, config, &self.measured, &self.objective);
        both.into_iter().map(|(pair, rows)| OnPair::of(pair, rows)).collect()
    }
}

impl<'a> OnPair<'a> {
    fn of(pair: Pair, rows: [&'a StoredValidation; 2]) -> Self {
        let [default, own] = rows.map(|row| &row.record.trial.observation);
        let instance = rows[1].instance.as_str();
        Self { instance, seed: pair.seed, default, own, rows: rows.map(std::ptr::from_ref) }
    }
}
