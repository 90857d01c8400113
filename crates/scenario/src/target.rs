//! The table `[target]`: the program to run, and what counts as a success.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::Space;
use regex::bytes::Regex;
use space::{Diagnostic, Span};

use super::answers::{self, Answers};
use super::command::{self, CommandTemplate, Context};
use super::config_file::{self, ConfigFile};
use super::protocol::{self, Protocol};
use super::report::{Found, Report, Section};
use super::retry::{self, Retry};
use super::writing::{self, Writing};

/// The target of a scenario.
#[derive(Clone, Debug)]
pub struct TargetSettings {
    /// The way in which the target is called for a trial.
    pub protocol: Protocol,
    /// Number of trials after which a server is restarted.
    pub restart_after: Option<u64>,
    /// Time that a server may take to become ready.
    pub start_limit: Duration,
    /// The program and its arguments, including those that the protocol adds.
    pub command: CommandTemplate,
    /// Command to run before each trial.
    pub setup: Option<Step>,
    /// Command to run after each trial.
    pub teardown: Option<Step>,
    /// The folder in which the commands run.
    pub workdir: Workdir,
    /// The form in which the configuration is written to a file.
    pub config_file: Option<ConfigFile>,
    /// The failed runs to repeat.
    pub retry: Option<Retry>,
    /// The form in which each parameter is written as arguments, in the order of the space.
    pub writing: Vec<Writing>,
    /// Conditions under which a trial that ended by itself counts as a success.
    pub success: Success,
    /// The checks of the target's answers.
    pub answers: Answers,
    /// Environment variables to set.
    pub env: BTreeMap<String, String>,
    /// Names and `*` patterns of environment variables to pass on.
    pub pass_env: Vec<String>,
}

/// A command that runs before or after the target's own command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The program and its arguments.
    pub command: CommandTemplate,
    /// Time limit for the command.
    pub limit: Duration,
}

/// The folder in which a trial runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Workdir {
    /// A new folder for this trial alone, which is removed afterwards.
    Private,
    /// This folder, which other trials may use at the same time.
    Shared(PathBuf),
}

impl TargetSettings {
    /// Returns the commands that run before the outcome of the trial is known, in order.
    pub fn until_end(&self) -> impl Iterator<Item = &CommandTemplate> {
        self.setup.iter().map(|step| &step.command).chain([&self.command])
    }

    /// Returns all commands, in the order in which they run.
    pub fn commands(&self) -> impl Iterator<Item = &CommandTemplate> {
        self.until_end().chain(self.teardown.iter().map(|step| &step.command))
    }
}

/// Conditions for the success of a trial. All given conditions must hold.
#[derive(Clone, Debug)]
pub struct Success {
    /// Accepted exit codes; `None` if any exit code is accepted.
    pub exit: Option<Vec<i32>>,
    /// Pattern that a line of standard output must match.
    pub pattern: Option<Regex>,
}

/// The target, and the place of its command in the file.
pub(super) struct Read {
    pub(super) settings: TargetSettings,
    pub(super) command_span: Span,
    pub(super) answers: Option<answers::Read>,
}

pub(super) fn read(
    report: &mut Report<'_>,
    target: &Section<'_, '_>,
    folder: &Path,
    space: Option<&Space>,
    protocol: Protocol,
) -> Option<Read> {
    let env = env(report, &target.section("env"));
    let pass_env = match target.get("pass_env") {
        None => Some(Vec::new()),
        Some(found) => {
            report.texts(&found).map(|names| names.into_iter().map(|name| name.value).collect::<Vec<_>>())
        }
    };
    let set: BTreeMap<OsString, OsString> =
        env.iter().flatten().map(|(name, value)| (name.into(), value.into())).collect();
    let environment =
        confine::environment::compose(std::env::vars_os(), pass_env.as_deref().unwrap_or_default(), &set);
    let workdir = workdir(report, target, folder);
    let in_scenario_folder = workdir == Some(Workdir::Shared(folder.to_owned()));
    let before = Context { folder, environment, space, in_scenario_folder, has_setup: false };
    let setup = step(report, target, "setup", &before, false);
    let context = Context { has_setup: target.get("setup").is_some(), ..before };
    let hint = "write `command = [\"program\", \"{params}\", \"{instance}\"]`";
    let command = report.required(target, "command", hint);
    let command = command.and_then(|found| command::read(report, &found, &context, false));
    let teardown = step(report, target, "teardown", &context, true);
    let writing = writing::read(report, target, space, protocol);
    let answers = answers::read(report, target, &context);
    let config_file = target.get("config_file");
    let config_file = config_file.and_then(|found| config_file::read(report, &found, target, space));
    let success = success(report, &target.section("success"), protocol);
    let restart_after = protocol::restart_after(report, target, protocol);
    let retry = retry::read(report, &target.section("retry"), success.as_ref());
    let command = command?;
    // After a mistake in another setting, the command is still checked against the other tables.
    let settings = TargetSettings {
        protocol,
        restart_after,
        start_limit: protocol::start_limit(report, target),
        command: command.template,
        setup,
        teardown,
        workdir: workdir.unwrap_or(Workdir::Private),
        config_file,
        retry: retry.flatten(),
        writing: writing.unwrap_or_default(),
        success: success.unwrap_or(Success { exit: None, pattern: None }),
        answers: answers.as_ref().map(|read| read.answers.clone()).unwrap_or_default(),
        env: env.unwrap_or_default(),
        pass_env: pass_env.unwrap_or_default(),
    };
    Some(Read { settings, command_span: command.span, answers })
}

/// Default time limit for a step.
pub(super) const STEP_LIMIT: Duration = Duration::from_secs(60);

/// Reads a command that runs before or after the target's own command, and its time limit.
fn step(
    report: &mut Report<'_>,
    target: &Section<'_, '_>,
    name: &str,
    context: &Context<'_>,
    after: bool,
) -> Option<Step> {
    let limit = match target.get(&format!("{name}_limit")) {
        None => Some(STEP_LIMIT),
        Some(found) => report.duration(&found),
    };
    let found = target.get(name)?;
    let command = command::read(report, &found, context, after)?;
    Some(Step { command: command.template, limit: limit? })
}

/// Reads `target.workdir`.
fn workdir(report: &mut Report<'_>, target: &Section<'_, '_>, folder: &Path) -> Option<Workdir> {
    let Some(found) = target.get("workdir") else { return Some(Workdir::Private) };
    let text = report.text(&found)?;
    let path = match text.as_str() {
        "private" => return Some(Workdir::Private),
        "scenario" => folder.to_owned(),
        path => folder.join(path),
    };
    if !path.is_dir() {
        let message = format!("`target.workdir`: there is no folder `{}`", path.display());
        let hint = "expected `private`, `scenario`, or a folder relative to the scenario's folder";
        report.mistake(found.span(), message, hint);
        return None;
    }
    Some(Workdir::Shared(path))
}

fn env(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<BTreeMap<String, String>> {
    let mut set = BTreeMap::new();
    let mut valid = true;
    for (name, found) in section.entries() {
        if name.is_empty() || name.contains(['=', '\0']) {
            let message = format!("`{name}` cannot be the name of an environment variable");
            report.mistake(found.key_span, message, "a name must not be empty or contain `=`");
            valid = false;
        }
        match report.text(&found) {
            Some(value) => drop(set.insert(name, value)),
            None => valid = false,
        }
    }
    valid.then_some(set)
}

fn success(report: &mut Report<'_>, section: &Section<'_, '_>, protocol: Protocol) -> Option<Success> {
    let (exit, pattern) = (section.get("exit"), section.get("pattern"));
    if section.is_present() && exit.is_none() && pattern.is_none() {
        report.mistake(section.span, "`target.success` is empty", "give `exit`, `pattern` or both");
        return None;
    }
    let exit_codes = match &exit {
        Some(found) => report.integers(found, 0, 255).map(Some),
        None if pattern.is_none() && !protocol.ignores_exit() => Some(Some(vec![0])),
        None => Some(None),
    };
    let regex = match &pattern {
        Some(found) => self::pattern(report, found).map(Some),
        None => Some(None),
    };
    let codes = exit_codes?.map(|codes| codes.into_iter().map(|code| code as i32).collect());
    Some(Success { exit: codes, pattern: regex? })
}

/// Reads a regular expression that is matched against the bytes of a line.
pub(super) fn pattern(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Regex> {
    let text = report.text(found)?;
    match Regex::new(&text) {
        Ok(regex) => Some(regex),
        Err(error) => {
            // The last line of the error describes what is wrong. The lines before it mark the position.
            let shown = error.to_string();
            let why = shown.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
            let message = format!("`{}` is not a regular expression: {why}", found.key);
            let hint = "single quotes keep backslashes as they are: 'steps = ([0-9]+)'";
            report.mistakes.push(Diagnostic::new(found.span(), message).hint(hint));
            None
        }
    }
}
