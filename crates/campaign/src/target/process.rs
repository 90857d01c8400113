//! The program of a scenario, run under `confine`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use confine::{Cores, Finished, LaunchError, Limits};
use engine::{Cap, Observation, Status, TrialRequest};

use super::verify::Whole;
use super::{Account, CommandLine, Detail, Leash, Target, TargetError, outcome, outputs, verify};
use crate::scenario::{CappedBy, Instance, Measure, Scenario};

/// Runs each trial as a process tree of its own.
#[derive(Clone, Debug)]
pub struct ProcessTarget {
    scenario: Arc<Scenario>,
    instances: Vec<Instance>,
    guardian: Option<PathBuf>,
}

impl ProcessTarget {
    /// The target of a scenario, on the instances to tune on in the scenario's order.
    pub fn new(scenario: Arc<Scenario>) -> Self {
        let instances = scenario.instances.train.clone();
        Self { scenario, instances, guardian: None }
    }

    /// On other instances, or in another order: trials name them by their places here.
    #[must_use]
    pub fn on(mut self, instances: Vec<Instance>) -> Self {
        self.instances = instances;
        self
    }

    /// Names the executable to start as guardian; see [`confine::Command::guardian`].
    #[must_use]
    pub fn guardian(mut self, executable: impl AsRef<Path>) -> Self {
        self.guardian = Some(executable.as_ref().to_owned());
        self
    }

    /// The command of a trial.
    pub fn command_line(&self, trial: &TrialRequest) -> Result<CommandLine, TargetError> {
        let pair = trial.key.pair;
        let count = self.instances.len();
        let instance = self.instances.get(pair.instance.index());
        let instance = instance.ok_or(TargetError::NoInstance { wanted: pair.instance, count })?;
        Ok(CommandLine::new(&self.scenario, &trial.configuration, instance, pair.seed, trial.cap))
    }

    /// Runs a trial to its end, and gives the record of its run besides: `None` if that was lost.
    pub fn run_with_record(
        &self,
        trial: &TrialRequest,
        leash: &Leash,
        cores: Option<&Cores>,
    ) -> Result<(Account, Option<Finished>), TargetError> {
        let line = self.command_line(trial)?;
        let mut command = line.command();
        if let Some(guardian) = &self.guardian {
            command = command.guardian(guardian);
        }
        for file in outputs::files(&self.scenario.outputs) {
            command = command.read_file(file);
        }
        let whole = Whole::of(&self.scenario)?;
        if let Some(whole) = &whole {
            command = command.stdout_file(whole.path());
        }
        match confine::run(&command, &self.limits(trial.cap, cores), leash.control()) {
            Ok(finished) => {
                let account = outcome::account(&self.scenario, trial.cap, leash.control(), &finished)?;
                let account = self.checked(account, trial, &line, leash, (&finished, whole.as_ref()))?;
                Ok((account, Some(finished)))
            }
            Err(LaunchError::SupervisorLost) => {
                let reason = Some("the supervisor was lost".to_owned());
                let observation = Observation::failed(Status::Lost, 0.0);
                Ok((Account { observation, detail: Detail { reason, ..Detail::default() } }, None))
            }
            Err(source) => Err(TargetError::Launch { command: line.to_string(), source }),
        }
    }

    /// The account with what is found of the answer, if the trial succeeded.
    fn checked(
        &self,
        account: Account,
        trial: &TrialRequest,
        line: &CommandLine,
        leash: &Leash,
        (finished, whole): (&Finished, Option<&Whole>),
    ) -> Result<Account, TargetError> {
        let (Status::Finished, Some(cost)) = (account.observation.status(), account.observation.cost())
        else {
            return Ok(account);
        };
        leash.settle(cost.lower_bound());
        let pair = trial.key.pair;
        let instance = (&self.instances[pair.instance.index()], pair.seed);
        let by = (leash.check(), self.guardian.as_deref());
        let said = verify::check(&self.scenario, instance, line, finished, whole, by)?;
        Ok(outcome::judged(account, finished, said))
    }

    /// The scenario's limits, and those that the cap brings.
    pub fn limits(&self, cap: Cap, cores: Option<&Cores>) -> Limits {
        let objective = &self.scenario.objective;
        let cutoff = objective.cutoff.unwrap_or(f64::INFINITY);
        // A target that stops itself, or runs to its end, is still stopped at the cutoff.
        let most = match objective.capped_by {
            CappedBy::Time => cap.cost().min(cutoff),
            CappedBy::Argument | CappedBy::Nobody => cutoff,
        };
        let mut limits = Limits { cores: cores.cloned(), ..self.scenario.limits.clone() };
        match objective.minimise {
            Measure::CpuTime => {
                limits.cpu = at_least(most);
                // By the cutoff and not by the cap: what this limit stops, no later trial would finish.
                let implied =
                    || at_least(cutoff).map(|d| d.saturating_mul(2).saturating_add(Duration::from_secs(5)));
                limits.wall = limits.wall.or_else(implied);
            }
            Measure::WallTime => {
                let both = [limits.wall, at_least(most)];
                limits.wall = both.into_iter().flatten().min();
            }
            Measure::Memory | Measure::Output(_) => {}
        }
        limits
    }
}

/// The shortest duration that is not below these seconds; none if they never end.
fn at_least(seconds: f64) -> Option<Duration> {
    let nearest = Duration::try_from_secs_f64(seconds).ok()?;
    let below = nearest.as_secs_f64() < seconds || nearest.is_zero();
    Some(if below { nearest.saturating_add(Duration::from_nanos(1)) } else { nearest })
}

impl Target for ProcessTarget {
    fn run_on(
        &self,
        trial: &TrialRequest,
        leash: &Leash,
        cores: Option<&Cores>,
    ) -> Result<Account, TargetError> {
        Ok(self.run_with_record(trial, leash, cores)?.0)
    }

    fn lower_cap(&self, leash: &Leash, cap: Cap) {
        leash.lower(cap);
        let objective = &self.scenario.objective;
        let Some(cap) = at_least(cap.cost()).filter(|_| objective.capped_by == CappedBy::Time) else {
            return;
        };
        match objective.minimise {
            Measure::CpuTime => leash.control().lower_cpu(cap),
            Measure::WallTime => leash.control().lower_wall(cap),
            Measure::Memory | Measure::Output(_) => {}
        }
    }

    fn reached(&self, leash: &Leash, seconds: f64) -> Option<f64> {
        if let Some(cost) = leash.settled() {
            return Some(cost).filter(|_| self.scenario.objective.minimise.is_time());
        }
        match self.scenario.objective.minimise {
            Measure::WallTime => Some(seconds),
            Measure::CpuTime => leash.used_cpu(seconds),
            Measure::Memory | Measure::Output(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_never_shorter_than_the_cap() {
        for step in 1..10_000 {
            let seconds = f64::from(step) * 0.000_313_7;
            let duration = at_least(seconds).unwrap();
            assert!(duration.as_secs_f64() >= seconds, "{seconds}");
            assert!(duration.as_secs_f64() - seconds < 3e-9, "{seconds}");
        }
        assert_eq!(at_least(1e-12), Some(Duration::from_nanos(1)));
        assert_eq!(at_least(f64::INFINITY), None);
    }
}
