//! A folder with several campaigns, each of which reserves a different fold of the instances for validation.

use std::path::{Path, PathBuf};

use engine::stats::Basis;
use engine::{ConfigId, Rng};
use scenario::{Scenario, read};

use super::open::{
    ConductError, Earlier, Opened, Opening, Order, begin, other_folds, resume, scenario_of_file,
};
use crate::budget::Budget;
use crate::folds::{FoldPlan, fold_folder};
use crate::validation;
use store::{Store, StoreError};

/// The folds in a folder. Their campaigns can be opened one after the other.
#[derive(Debug)]
pub struct Folds {
    /// The folder that contains all folds.
    pub folder: PathBuf,
    /// The common scenario, in which all instances are training instances.
    pub scenario: Scenario,
    text: String,
    order: Order,
    plan: FoldPlan,
}

/// Opens the folds of a scenario file or a folder. Assigns new instances to folds and stores the assignment.
/// Returns `None` if there are no folds.
pub fn open_folds(order: &Order) -> Result<Option<Folds>, ConductError> {
    let folder = order.folder();
    let kept = FoldPlan::read(&folder)?;
    let (text, scenario) = match &kept {
        _ if !order.path.is_dir() => scenario_of_file(&order.path)?,
        Some(kept) => {
            let scenario = read(&kept.scenario, Path::new(&kept.folder), "the stored scenario");
            let scenario = scenario.map_err(ConductError::Scenario)?;
            (kept.scenario.clone(), Scenario { name: kept.name.clone(), ..scenario })
        }
        None => return Ok(None),
    };
    let Some(count) = scenario.instances.folds else { return Ok(None) };
    let before = kept.as_ref().map(|kept| kept.folds.len());
    let has_one_campaign =
        before.is_none() && !matches!(Store::read(&folder), Err(StoreError::Missing { .. }));
    if has_one_campaign || before.is_some_and(|before| before != count as usize) {
        return Err(other_folds(folder, before, Some(count as usize)));
    }
    let known = kept.as_ref().map_or(&[][..], |kept| &kept.folds);
    let plan = FoldPlan {
        folds: scenario.instances.assigned_to_folds(count, known),
        seed: order.seed.or(kept.as_ref().and_then(|kept| kept.seed)),
        ..kept.clone().unwrap_or_else(|| FoldPlan {
            name: scenario.name.clone(),
            scenario: text.clone(),
            folder: scenario.folder.to_string_lossy().into_owned(),
            seed: None,
            folds: Vec::new(),
        })
    };
    // Write the plan before any campaign uses it. Otherwise, after a kill, it could be unknown which
    // instances a campaign was tuned on.
    if kept.as_ref() != Some(&plan) {
        plan.write(&folder)?;
    }
    Ok(Some(Folds { folder, scenario, text, order: order.clone(), plan }))
}

impl Folds {
    /// Returns the number of folds.
    pub fn count(&self) -> usize {
        self.plan.folds.len()
    }

    /// Opens the new or stored campaign of a fold. Fold numbers start at 1.
    pub fn open(&mut self, number: usize) -> Result<Opened, ConductError> {
        let Self { folder, scenario: whole, text, order, plan } = self;
        let count = plan.folds.len() as u32;
        let seed = Rng::new(plan.seed.unwrap_or(whole.seed), "fold", number as u64).bits() >> 33;
        let order =
            Order { budget: share(&order.budget, count), seed: order.seed.map(|_| seed), ..order.clone() };
        let part = plan.folds.get(number - 1).map_or(&[][..], |fold| &fold[..]);
        let scenario = Scenario {
            name: format!("{} fold {number}", whole.name),
            seed,
            instances: whole.instances.of_fold(part),
            ..whole.clone()
        };
        let own = fold_folder(folder, number);
        let opened = match Store::open(&own) {
            Ok(store) => resume(&order, scenario, text.clone(), own, store)?,
            Err(StoreError::Missing { .. }) => {
                begin(&order, scenario, text.clone(), own, None, Earlier::default())?.0
            }
            Err(error) => return Err(error.into()),
        };
        // The scenario is stored only now, after the campaign has accepted it.
        let kept = FoldPlan {
            name: whole.name.clone(),
            scenario: text.clone(),
            folder: whole.folder.to_string_lossy().into_owned(),
            ..plan.clone()
        };
        if *plan != kept {
            kept.write(folder)?;
            *plan = kept;
        }
        Ok(opened)
    }
}

/// Returns one fold's share of a budget.
fn share(budget: &Budget, folds: u32) -> Budget {
    Budget {
        wall: budget.wall.map(|wall| wall / f64::from(folds)),
        cpu: budget.cpu.map(|cpu| cpu / f64::from(folds)),
        trials: budget.trials.map(|trials| trials.div_ceil(u64::from(folds))),
    }
}

impl Opened {
    /// Returns whether nothing is left to do: the scenario is unchanged, the search is complete, and the best
    /// configuration has been validated. A search is complete if it has spent its budget or tried every
    /// configuration.
    pub fn is_finished(&self) -> Result<bool, ConductError> {
        if self.opening != Opening::Continue(Vec::new()) {
            return Ok(false);
        }
        let reader = self.store.reader();
        let summary = reader.summary()?;
        let reason = summary.sessions.last().and_then(|session| session.reason.as_deref());
        let is_spent = self.settings.budget.reached(&self.so_far()).is_some();
        if reason.is_none() || !(is_spent || reason == Some(super::run::EXHAUSTED)) {
            return Ok(false);
        }
        let best = summary.best.map_or(ConfigId(0), |leader| leader.incumbent.config);
        let unseen = &self.scenario.instances.test;
        let plan = validation::plan(&self.settings, unseen.len() as u32);
        let names: Vec<&String> = self.instances.iter().map(|one| &one.name).collect();
        let objective = validation::objective(&self.settings);
        let measured = validation::recorded(&plan, &names, best, &reader.validations()?, &objective);
        Ok(plan.basis != Basis::UnseenInstances || measured.validated.len() == plan.pairs.len())
    }
}
