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
    /// The rows of both results among the trials that can be compared.
    pub(crate) rows: [usize; 2],
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
        self.on_pairs(config, |rows, _| rows.last().copied())
    }

    /// Returns the readings of a configuration that the verdict is not about, each with the default's reading
    /// that was stored closest to it. The load of a machine changes, so the default's last reading may come
    /// from a validation of another configuration.
    pub(crate) fn side_by_side(&self, config: ConfigId) -> Vec<OnPair<'_>> {
        self.on_pairs(config, |rows, own| rows.iter().copied().min_by_key(|row| row.abs_diff(own)))
    }

    /// Pairs the last readings of a configuration with the default's. `choose` selects one of the default's
    /// rows, given these rows and the configuration's row.
    fn on_pairs(
        &self,
        config: ConfigId,
        choose: impl Fn(&[usize], usize) -> Option<usize>,
    ) -> Vec<OnPair<'_>> {
        let mut known: HashMap<_, Vec<usize>> = HashMap::new();
        for (row, validation) in self.measured.iter().enumerate() {
            if self.objective.known(&validation.record.trial.observation).is_some() {
                known.entry(validation.key()).or_default().push(row);
            }
        }
        let pairs = self.plan.pairs.iter().filter_map(|pair| {
            let instance = self.names.get(pair.instance.index())?.as_str();
            let find = |config: ConfigId| known.get(&(config, instance, pair.seed));
            let own = find(config)?.last().copied()?;
            let rows = [choose(find(ConfigId(0))?, own)?, own];
            let [default, own] = rows.map(|row| &self.measured[row].record.trial.observation);
            Some(OnPair { instance, seed: pair.seed, default, own, rows })
        });
        pairs.collect()
    }
}
