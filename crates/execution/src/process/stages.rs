//! One run of a trial: set-up, the target's command and teardown, one after the other in one process tree.
//!
//! | stage | counts towards | runs | its remaining processes |
//! |---|---|---|---|
//! | set-up | nothing | first | keep running |
//! | command | the cost | if the set-up succeeded | are killed |
//! | teardown | nothing | always, last | are killed, along with those of the set-up |
//!
//! After that, the answer of a successful trial is checked. The check adds nothing to the cost.
//!
//! When the last stage has ended, no process of the run is left.

use std::fs;
use std::path::PathBuf;

use confine::{Control, End, Finished, LaunchError, Limit, Limits, Sequence, Stdin};
use engine::{Observation, Status, TrialRequest};
use scenario::{CappedBy, CommandTemplate, Instance, Protocol, Scenario, Step};

use super::command::Values;
use super::outcome::{self, signal_name, tail};
use super::outputs;
use super::place::Place;
use super::protocol::server;
use super::verify::{self, Check, StdoutFolder};
use super::{Account, CommandLine, Detail, Leash, ProcessTarget, Slot, TargetError};

/// The result of a run.
pub(super) struct Run {
    pub(super) account: Account,
    /// The record of the command, or of the set-up if that failed. `None` if the record was lost.
    pub(super) record: Option<Finished>,
}

/// Context that all stages of a run share.
struct Stages<'a> {
    target: &'a ProcessTarget,
    scenario: &'a Scenario,
    instance: &'a Instance,
    values: Values<'a>,
    place: &'a Place,
    trial: &'a TrialRequest,
    slot: &'a Slot,
}

/// Runs a trial once.
pub(super) fn run(
    target: &ProcessTarget,
    trial: &TrialRequest,
    leash: &Leash,
    slot: &Slot,
) -> Result<Run, TargetError> {
    let scenario = target.scenario();
    if scenario.target.protocol == Protocol::JsonServer {
        return or_lost(server::run(target, trial, leash, slot));
    }
    let instance = target.instance(trial)?;
    let refused = |source| TargetError::Launch {
        command: CommandLine::new(scenario, trial, instance).to_string(),
        source,
    };
    let sequence = Sequence::new().map_err(refused)?;
    let mut place = Place::new(scenario, sequence.folder(), trial.id, slot);
    let stdout = StdoutFolder::of(scenario).map_err(refused)?;
    if let Some(folder) = &stdout {
        place.stdout = folder.path();
    }
    let unwritten = |source| TargetError::ConfigFile { path: place.config_file.clone(), source };
    place.write_config(scenario, &trial.configuration).map_err(unwritten)?;
    let seed = trial.key.pair.seed.to_string();
    let values = Values::new(trial, instance, &seed, Some(&place));
    let stages = Stages { target, scenario, instance, values, place: &place, trial, slot };
    let private = sequence.folder().to_owned();
    let mut run = or_lost(stages.run(sequence, leash))?;
    run.account.detail.left_behind = left_behind(private);
    Ok(run)
}

/// Returns the path of a private folder that should have been removed but still exists.
pub(super) fn left_behind(private: PathBuf) -> Option<PathBuf> {
    private.symlink_metadata().is_ok().then_some(private)
}

/// Converts the loss of a supervisor to a lost trial, which gives no information about its configuration.
pub(super) fn or_lost(run: Result<Run, TargetError>) -> Result<Run, TargetError> {
    match run {
        Err(TargetError::Launch { source: LaunchError::SupervisorLost, .. }) => {
            let reason = Some("the supervisor was lost".to_owned());
            let observation = Observation::failed(Status::Lost, 0.0);
            let account = Account { observation, detail: Detail { reason, ..Detail::default() } };
            Ok(Run { account, record: None })
        }
        other => other,
    }
}

impl Stages<'_> {
    fn run(&self, mut sequence: Sequence, leash: &Leash) -> Result<Run, TargetError> {
        let settings = &self.scenario.target;
        if let Some(setup) = &settings.setup {
            let (line, command) = self.command(&setup.command);
            let done = sequence.set_up(&command, &self.limits_of(setup), leash.setup_control());
            match done.map_err(|source| launch(&line, source)) {
                Ok(record) if record.end() == End::Exited(0) => {}
                Ok(record) => {
                    let mut run = Run { account: self.not_set_up(&record), record: Some(record) };
                    run.account.detail.teardown = self.tear_down(sequence)?;
                    return Ok(run);
                }
                Err(error) => return self.give_up(sequence, error),
            }
        }
        let (line, mut command) = match self.own_command() {
            Ok(own) => own,
            Err(error) => return self.give_up(sequence, error),
        };
        if Place::wants_stdout(self.scenario) || self.scenario.target.answers.verify.is_some() {
            command = command.stdout_file(&self.place.stdout);
        }
        command = outputs::request(&self.scenario.outputs, command);
        let limits = self.target.limits(self.trial.cap, self.slot.cores.as_ref());
        leash.begin();
        let (done, rest) = match settings.teardown {
            None => (sequence.run_last(&command, &limits, leash.control()), None),
            Some(_) => (sequence.run(&command, &limits, leash.control()), Some(sequence)),
        };
        leash.end();
        // The teardown runs regardless of how the command ended.
        let teardown = rest.map_or(Ok(None), |sequence| self.tear_down(sequence));
        let record = done.map_err(|source| launch(&line, source))?;
        let mut account = outcome::account(self.scenario, self.trial.cap, leash.control(), &record)?;
        account.detail.teardown = teardown?;
        if account.observation.status() == Status::Finished {
            let check = self.check(&line, &record, leash)?;
            account = outcome::checked(account, &record, check);
        }
        Ok(Run { account, record: Some(record) })
    }

    /// Runs the teardown of a trial that could not start, and returns the error that prevented it.
    fn give_up(&self, sequence: Sequence, error: TargetError) -> Result<Run, TargetError> {
        // The first error is the cause of a failing teardown, or matters more.
        let _ = self.tear_down(sequence);
        Err(error)
    }

    /// Checks the answer of a successful trial.
    fn check(&self, line: &CommandLine, record: &Finished, leash: &Leash) -> Result<Check, TargetError> {
        let answers = &self.scenario.target.answers;
        let known = answers.known.as_ref();
        let check = known.map_or(Check::Right, |known| verify::compare(known, self.instance, record));
        let Some(verify) = answers.verify.as_ref().filter(|_| check == Check::Right) else {
            return Ok(check);
        };
        if !record.stdout.file_complete {
            return Ok(Check::Unknown("standard output could not be kept for verification"));
        }
        let pair = (self.instance, self.trial.key.pair.seed);
        let line = verify::command(verify, pair, line, &self.place.stdout);
        let limits = Limits { wall: Some(verify.limit), cores: self.slot.cores.clone(), ..Limits::default() };
        let command = self.target.with_guardian(line.command());
        let checked = confine::run(&command, &limits, leash.check_control());
        Ok(verify::judge(&checked.map_err(|source| launch(&line, source))?))
    }

    /// Runs the teardown and kills all remaining processes. Returns a description of what went wrong, if
    /// anything did.
    fn tear_down(&self, sequence: Sequence) -> Result<Option<String>, TargetError> {
        let Some(teardown) = &self.scenario.target.teardown else { return Ok(None) };
        let (line, command) = self.command(&teardown.command);
        // If the supervisor was lost, the folder was removed and must be created again.
        fs::create_dir_all(sequence.folder()).ok();
        // A teardown is stopped only by its own limit, because an unfinished teardown would disturb later
        // trials.
        match sequence.run_last(&command, &self.limits_of(teardown), &Control::new()) {
            Ok(record) if record.end() == End::Exited(0) => Ok(None),
            Ok(record) => Ok(Some(format!("teardown: {}", ending(&record)))),
            // The process tree is gone, but the trial itself had already ended.
            Err(LaunchError::SupervisorLost) => Ok(Some("teardown: the supervisor was lost".to_owned())),
            Err(source) => Err(launch(&line, source)),
        }
    }

    fn command(&self, template: &CommandTemplate) -> (CommandLine, confine::Command) {
        let line = CommandLine::filled(self.scenario, template, &self.values);
        let command = self.place.prepare(self.target.with_guardian(line.command()));
        (line, command)
    }

    /// Returns the target's own command, with its standard input.
    fn own_command(&self) -> Result<(CommandLine, confine::Command), TargetError> {
        let line = CommandLine::of_trial(self.scenario, &self.values);
        let mut command = self.place.prepare(self.target.with_guardian(line.command()));
        if let Some(request) = &line.request {
            let path = &self.place.request;
            let unwritten = |source| TargetError::ConfigFile { path: path.clone(), source };
            fs::write(path, format!("{request}\n")).map_err(unwritten)?;
            command = command.stdin(Stdin::File(path.clone()));
        }
        Ok((line, command))
    }

    /// Returns the scenario's limits with the wall-clock limit of this step.
    fn limits_of(&self, step: &Step) -> Limits {
        Limits { wall: Some(step.limit), cores: self.slot.cores.clone(), ..self.scenario.limits.clone() }
    }

    /// Returns the result of a trial whose set-up failed.
    fn not_set_up(&self, record: &Finished) -> Account {
        let detail = Detail { wall: Some(0.0), tier: record.tier.name().into(), ..Detail::default() };
        let status = match record.end() {
            End::Cancelled => return Account { observation: not_started(self.scenario), detail },
            End::Stopped(Limit::Memory) => Status::Memory,
            _ => Status::Crashed,
        };
        let detail = Detail {
            reason: Some(format!("setup: {}", ending(record))),
            stdout_tail: tail(&record.stdout),
            stderr_tail: tail(&record.stderr),
            ..detail
        };
        Account { observation: Observation::failed(status, 0.0), detail }
    }
}

/// Returns the observation of a trial that was cancelled before its command started. A cost that grows is
/// still zero then.
pub(super) fn not_started(scenario: &Scenario) -> Observation {
    let objective = &scenario.objective;
    if objective.minimise.is_time() || objective.capped_by == CappedBy::Argument {
        Observation::capped(0.0)
    } else {
        Observation::failed(Status::Lost, 0.0)
    }
}

/// Describes how an unsuccessful run ended, in words that are the same for the same cause.
pub(super) fn ending(record: &Finished) -> String {
    match record.end() {
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(signal) => format!("signal {signal}{}", signal_name(signal)),
        End::Stopped(limit) => format!("{limit} limit"),
        End::Cancelled => "cancelled".to_owned(),
    }
}

fn launch(line: &CommandLine, source: LaunchError) -> TargetError {
    TargetError::Launch { command: line.to_string(), source }
}
