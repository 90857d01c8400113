//! Runs the program of a scenario under `confine`: determines its limits and which runs are repeated.
//! [`stages`] performs a single run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use confine::{Cores, End, Finished, Limits};
use engine::{Cap, Status, TrialRequest};
use regex::bytes::Regex;
use scenario::{CappedBy, Instance, Measure, Retry, Scenario, Step};

use super::command::Values;
use super::protocol::server::Servers;
use super::stages::{self, Run};
use super::{Account, CommandLine, Detail, Leash, Slot, Target, TargetError, constrained, output};
use crate::executor::{SlotError, available_gpus, share_gpus};

/// A target that runs each trial in its own process tree.
#[derive(Clone, Debug)]
pub struct ProcessTarget {
    scenario: Arc<Scenario>,
    instances: Vec<Instance>,
    guardian: Option<PathBuf>,
    servers: Servers,
}

impl ProcessTarget {
    /// Creates the target of a scenario with its training instances, in the order of the scenario.
    pub fn new(scenario: Arc<Scenario>) -> Self {
        let instances = scenario.instances.train.clone();
        Self { scenario, instances, guardian: None, servers: Servers::default() }
    }

    /// Replaces the instances or changes their order. Trials refer to instances by their index in this list.
    #[must_use]
    pub fn on(mut self, instances: Vec<Instance>) -> Self {
        self.instances = instances;
        self
    }

    /// Returns the target of a variant of the scenario whose servers start in the same way. Both share the
    /// idle servers, so that a slot never has two.
    #[must_use]
    pub fn variant(&self, scenario: Arc<Scenario>) -> Self {
        Self { scenario, ..self.clone() }
    }

    /// Sets the executable to start as guardian; see [`confine::Command::guardian`].
    #[must_use]
    pub fn guardian(mut self, executable: impl AsRef<Path>) -> Self {
        self.guardian = Some(executable.as_ref().to_owned());
        self
    }

    /// Returns the command of a trial.
    pub fn command_line(&self, trial: &TrialRequest) -> Result<CommandLine, TargetError> {
        Ok(CommandLine::new(&self.scenario, trial, self.instance(trial)?))
    }

    /// Returns the commands that run before and after a trial's own command, with their keys.
    pub fn steps(&self, trial: &TrialRequest) -> Result<Vec<(&'static str, CommandLine)>, TargetError> {
        let (instance, seed) = (self.instance(trial)?, trial.key.pair.seed.to_string());
        let values = Values::new(trial, instance, &seed, None);
        let target = &self.scenario.target;
        let steps = [("setup", &target.setup), ("teardown", &target.teardown)];
        let given = steps.into_iter().filter_map(|(key, step)| Some((key, step.as_ref()?)));
        let line = |step: &Step| CommandLine::filled(&self.scenario, &step.command, &values);
        Ok(given.map(|(key, step)| (key, line(step))).collect())
    }

    /// Returns a slot for a trial that runs outside any campaign. The slot may use any cores, and has as many
    /// GPUs as a trial needs.
    pub fn lone_slot(&self) -> Result<Slot, SlotError> {
        let parallel = &self.scenario.parallel;
        let mut slots = [Slot::default()];
        share_gpus(&mut slots, &available_gpus(parallel), parallel.gpus_per_trial as usize)?;
        let [slot] = slots;
        Ok(slot)
    }

    /// Runs a trial to its end and also returns the record of its run. The record is `None` if it was lost or
    /// if the run never started.
    pub fn run_with_record(
        &self,
        trial: &TrialRequest,
        leash: &Leash,
        slot: &Slot,
    ) -> Result<(Account, Option<Finished>), TargetError> {
        let mut repetitions = 0;
        loop {
            let run = stages::run(self, trial, leash, slot)?;
            self.check_instance(trial, &run)?;
            let Some((retry, reason)) = self.withdrawn(&run) else {
                let Run { account, record } = run;
                return Ok((constrained::with_readings(&self.scenario, account, record.as_ref()), record));
            };
            if repetitions == retry.times {
                return Err(TargetError::Unavailable { reason, times: repetitions });
            }
            repetitions += 1;
            if leash.wait(retry.wait) {
                let observation = stages::not_started(&self.scenario);
                return Ok((Account { observation, detail: Detail::default() }, None));
            }
        }
    }

    /// Returns an error if the run failed and its instance is gone: the configuration is not to blame.
    fn check_instance(&self, trial: &TrialRequest, run: &Run) -> Result<(), TargetError> {
        let path = Path::new(&self.instance(trial)?.argument);
        let has_failed = matches!(run.account.observation.status(), Status::Crashed | Status::Wrong);
        if has_failed && self.scenario.instances.are_files && !path.exists() {
            return Err(TargetError::InstanceGone { path: path.to_owned() });
        }
        Ok(())
    }

    /// Returns the reason why a run must be repeated, if it must.
    fn withdrawn(&self, run: &Run) -> Option<(&Retry, String)> {
        let retry = self.scenario.target.retry.as_ref()?;
        let record = run.record.as_ref().filter(|_| run.account.observation.status() == Status::Crashed)?;
        let by_exit = matches!(record.end(), End::Exited(code) if retry.exit.contains(&code));
        let streams = [&record.stdout, &record.stderr];
        let found = |pattern: &Regex| streams.iter().any(|stream| output::matches(stream, pattern));
        if !by_exit && !retry.pattern.as_ref().is_some_and(found) {
            return None;
        }
        Some((retry, run.account.detail.reason.clone().unwrap_or_default()))
    }

    pub(super) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the servers, which keep running between trials.
    pub(super) fn servers(&self) -> &Servers {
        &self.servers
    }

    pub(super) fn instance(&self, trial: &TrialRequest) -> Result<&Instance, TargetError> {
        let wanted = trial.key.pair.instance;
        let missing = TargetError::NoInstance { wanted, count: self.instances.len() };
        self.instances.get(wanted.index()).ok_or(missing)
    }

    /// Sets the guardian for a command.
    pub(super) fn with_guardian(&self, command: confine::Command) -> confine::Command {
        match &self.guardian {
            Some(guardian) => command.guardian(guardian),
            None => command,
        }
    }

    /// Returns the scenario's limits together with those that follow from the cap.
    pub fn limits(&self, cap: Cap, cores: Option<&Cores>) -> Limits {
        let objective = &self.scenario.objective;
        let cutoff = objective.cutoff.unwrap_or(f64::INFINITY);
        // A target that stops itself or is not capped is still stopped at the cutoff.
        let most = match objective.capped_by {
            CappedBy::Time => cap.cost().min(cutoff),
            CappedBy::Argument | CappedBy::Nobody => cutoff,
        };
        let mut limits = Limits { cores: cores.cloned(), ..self.scenario.limits.clone() };
        match objective.minimise {
            Measure::CpuTime => {
                limits.cpu = at_least(most);
                // This limit depends on the cutoff rather than the cap. So a trial that it stops would not
                // finish with a larger cap either.
                let implied =
                    || at_least(cutoff).map(|d| d.saturating_mul(2).saturating_add(Duration::from_secs(5)));
                limits.wall = limits.wall.or_else(implied);
            }
            Measure::WallTime => {
                let both = [limits.wall, at_least(most)];
                limits.wall = both.into_iter().flatten().min();
            }
            Measure::Output(_) if objective.capped_by == CappedBy::Argument && self.caps_in_seconds() => {
                // The target knows its cap, but the time that it measures may be less than the wall-clock
                // time.
                let grace = |cap: Duration| cap.saturating_mul(2).saturating_add(Duration::from_secs(5));
                let limit = at_least(cap.cost().min(cutoff)).map(grace);
                limits.wall = [limits.wall, limit].into_iter().flatten().min();
            }
            Measure::Memory | Measure::Output(_) => {}
        }
        limits
    }

    fn caps_in_seconds(&self) -> bool {
        self.scenario.target.protocol.caps_in_seconds()
    }
}

/// Returns the shortest duration that is at least this many seconds; `None` if `seconds` is infinite.
fn at_least(seconds: f64) -> Option<Duration> {
    let nearest = Duration::try_from_secs_f64(seconds).ok()?;
    let below = nearest.as_secs_f64() < seconds || nearest.is_zero();
    Some(if below { nearest.saturating_add(Duration::from_nanos(1)) } else { nearest })
}

impl Target for ProcessTarget {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, slot: &Slot) -> Result<Account, TargetError> {
        Ok(self.run_with_record(trial, leash, slot)?.0)
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
        // A run may be withdrawn and repeated. The cost that it has reached by then does not count.
        if self.scenario.target.retry.is_some() {
            return None;
        }
        match self.scenario.objective.minimise {
            Measure::WallTime => leash.run_time(),
            Measure::CpuTime => leash.used_cpu(seconds),
            Measure::Memory | Measure::Output(_) => None,
        }
    }

    fn longest(&self, trial: &TrialRequest) -> Option<f64> {
        let limits = self.limits(trial.cap, None);
        // A busy target reaches its CPU limit after about as much wall-clock time. The longer wall-clock
        // limit is for targets that hang.
        let both = [limits.wall, limits.cpu];
        both.into_iter().flatten().min().map(|time| time.as_secs_f64())
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
