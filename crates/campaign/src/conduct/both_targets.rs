//! The targets for a search and for its validation, which may have different cutoffs.

use std::sync::Arc;

use engine::{Cap, TrialRequest, Why};
use execution::{Account, Leash, ProcessTarget, Slot, Target, TargetError};
use scenario::{Instance, Objective, Scenario};

/// A target that runs search trials with the objective's cutoff and validation trials with the validation's
/// cutoff.
pub(super) struct BothTargets {
    search: ProcessTarget,
    validation: ProcessTarget,
}

impl BothTargets {
    pub(super) fn new(scenario: &Arc<Scenario>, instances: &[Instance], cutoff: Option<f64>) -> Self {
        let search = ProcessTarget::new(Arc::clone(scenario)).on(instances.to_vec());
        let validation = match cutoff {
            Some(cutoff) => {
                let objective = Objective { cutoff: Some(cutoff), ..scenario.objective.clone() };
                let scenario = Scenario { objective, ..Scenario::clone(scenario) };
                search.variant(Arc::new(scenario))
            }
            None => search.clone(),
        };
        Self { search, validation }
    }

    fn of(&self, trial: &TrialRequest) -> &ProcessTarget {
        if trial.why == Why::Validation { &self.validation } else { &self.search }
    }
}

impl Target for BothTargets {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, slot: &Slot) -> Result<Account, TargetError> {
        self.of(trial).run_on(trial, leash, slot)
    }

    fn lower_cap(&self, leash: &Leash, cap: Cap) {
        self.search.lower_cap(leash, cap);
    }

    fn reached(&self, leash: &Leash, seconds: f64) -> Option<f64> {
        self.search.reached(leash, seconds)
    }

    fn longest(&self, trial: &TrialRequest) -> Option<f64> {
        self.of(trial).longest(trial)
    }
}
