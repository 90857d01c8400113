//! Warnings about a running campaign, given while the user can still act on them.

use std::collections::BTreeSet;

use engine::{ConfigId, Status};
use execution::Record;

use crate::event::Warning;
use crate::progress::Progress;
use crate::settings::Settings;

/// Number of the incumbent's pairs that must be known before its timeouts are judged.
const LEAST_PAIRS: usize = 10;
/// Number of trials that must have ended before their CPU time is judged.
const LEAST_TRIALS: u32 = 10;
/// Share of wall time below which CPU time counts as almost none.
const ALMOST_NONE: f64 = 0.1;
/// Smallest number of passes over the instances that a budget should cover.
const PASSES: f64 = 20.0;

/// A detector of reasons for warnings. Each warning is given once.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    failures: BTreeSet<String>,
    unmeasured: BTreeSet<usize>,
    left_behind: bool,
    timeouts: bool,
    cpu: bool,
    wall_limit: bool,
    passes: bool,
    trials: u32,
    wall_seconds: f64,
    cpu_seconds: f64,
}

impl Watch {
    /// Returns the warnings about a trial that has ended.
    pub(crate) fn trial(&mut self, told: &Record, settings: &Settings, workers: usize) -> Vec<Warning> {
        let mut warnings = Vec::new();
        warnings.extend(self.small_budget(told, settings, workers));
        if told.status().is_failure() {
            let reason = told.detail.reason.clone().unwrap_or_else(|| told.status().name().to_owned());
            if self.failures.insert(reason.clone()) {
                warnings.push(Warning::Failure { id: told.trial.id, reason });
            }
        }
        if told.is_lost()
            && let Some(reason) = told.detail.reason.clone()
            && self.failures.insert(reason.clone())
        {
            warnings.push(Warning::Lost { id: told.trial.id, reason });
        }
        if let Some(reason) = told.detail.teardown.clone()
            && self.failures.insert(reason.clone())
        {
            warnings.push(Warning::Teardown { id: told.trial.id, reason });
        }
        if let Some(reason) = told.detail.server.clone()
            && self.failures.insert(reason.clone())
        {
            warnings.push(Warning::Server { id: told.trial.id, reason });
        }
        if let Some(path) = told.detail.left_behind.clone()
            && !std::mem::replace(&mut self.left_behind, true)
        {
            warnings.push(Warning::LeftBehind { id: told.trial.id, path });
        }
        if told.trial.observation.is_unmeasured() {
            let missing = told
                .trial
                .observation
                .constraints()
                .iter()
                .enumerate()
                .filter(|(_, reading)| reading.is_none());
            for (constraint, _) in missing {
                if self.unmeasured.insert(constraint) {
                    warnings.push(Warning::Unmeasured { id: told.trial.id, constraint });
                }
            }
        }
        if let (Some(cpu), true) = (told.detail.cpu, settings.cpu_matters) {
            self.trials += 1;
            self.wall_seconds += told.detail.wall.unwrap_or(0.0);
            self.cpu_seconds += cpu;
            let cap = told.trial.cap.cost();
            if let (Some(wall), Status::Timeout, false) = (told.detail.wall, told.status(), self.wall_limit)
                && cpu < 0.99 * cap
            {
                self.wall_limit = true;
                warnings.push(Warning::WallLimit { id: told.trial.id, cpu, wall });
            }
            let share = self.cpu_seconds / self.wall_seconds;
            if !self.cpu && self.trials >= LEAST_TRIALS && share < ALMOST_NONE {
                self.cpu = true;
                warnings.push(Warning::AlmostNoCpu { share });
            }
        }
        warnings
    }

    /// Warns if the budget is small. The estimate uses the first trial of the default that has a cost.
    fn small_budget(&mut self, told: &Record, settings: &Settings, workers: usize) -> Option<Warning> {
        let is_of_default = told.trial.key.config == ConfigId(0) && !told.status().is_uninformative();
        if self.passes || !is_of_default || told.trial.observation.cost().is_none() {
            return None;
        }
        self.passes = true;
        let trials = settings.budget.trials_like(told, workers as u64)?;
        let passes = trials / f64::from(settings.problem.instances);
        (passes < PASSES).then_some(Warning::SmallBudget { passes })
    }

    /// Returns the warnings about the progress so far.
    pub(crate) fn progress(&mut self, progress: &Progress) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let (timeouts, pairs) = (progress.best.timeouts, progress.best.pairs);
        if !self.timeouts && pairs >= LEAST_PAIRS && 2 * timeouts > pairs {
            self.timeouts = true;
            warnings.push(Warning::MostlyTimeouts { timeouts, pairs });
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use engine::{Objective, Observation, Problem, Racing};
    use execution::testkit::record;
    use space::format::{Format, read};

    use super::*;
    use crate::budget::Budget;
    use crate::settings::{Search, Terms};

    #[test]
    fn a_timeout_below_the_cutoff_of_cpu_time_is_reported_once() {
        let timeout = |cpu: f64| {
            let mut told = record(1, 0, 1, Observation::timeout(cpu));
            told.trial.cap = engine::Cap::at(5.0);
            (told.detail.cpu, told.detail.wall) = (Some(cpu), Some(15.0));
            told
        };
        let space = read("x = { integer = [1, 9] }\n", "space.toml", Format::Toml).unwrap();
        let default = space.default_configuration();
        let problem = Problem { space, default, objective: Objective::capped(5.0), instances: 1, seed: 1 };
        let settings = Settings {
            problem,
            racing: Racing::default(),
            search: Search::Random,
            initial: Vec::new(),
            validation: Terms::default(),
            budget: Budget::default(),
            repeatable: false,
            cpu_matters: true,
        };
        let mut watch = Watch::default();
        let mut warned = |cpu: f64| {
            let warnings = watch.trial(&timeout(cpu), &settings, 1);
            warnings.iter().any(|warning| matches!(warning, Warning::WallLimit { .. }))
        };
        assert!(!warned(5.0), "this trial reached the cutoff");
        assert!(warned(4.3));
        assert!(!warned(4.3), "the warning is given once");
    }
}
