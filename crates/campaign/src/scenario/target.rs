//! The table `[target]`: what is run, and what counts as a success.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use engine::Space;
use engine::space::{Diagnostic, Span};
use regex::bytes::Regex;

use super::answers::{self, Answers};
use super::command::{self, CommandTemplate};
use super::report::{Found, Report, Section};
use super::writing::{self, Writing};

/// The target of a scenario.
#[derive(Clone, Debug)]
pub struct TargetSettings {
    /// The program and its arguments.
    pub command: CommandTemplate,
    /// How each parameter of the space is written, in the order of the space.
    pub writing: Vec<Writing>,
    /// When a trial that ended by itself has succeeded.
    pub success: Success,
    /// How its answers are checked.
    pub answers: Answers,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Names and `*` patterns of variables to pass.
    pub pass_env: Vec<String>,
}

/// When a trial has succeeded: everything given must hold.
#[derive(Clone, Debug)]
pub struct Success {
    /// Exit codes; `None` if any will do.
    pub exit: Option<Vec<i32>>,
    /// What a line of standard output must match.
    pub pattern: Option<Regex>,
}

/// The target with where its command stands.
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
    let command = command::read(report, target, folder, &environment, space);
    let writing = writing::read(report, target, space);
    let answers = answers::read(report, target, folder, &environment);
    let success = success(report, &target.section("success"));
    let command = command?;
    // After a mistake in one of the others, the command is still compared with the other tables.
    let settings = TargetSettings {
        command: command.template,
        writing: writing.unwrap_or_default(),
        success: success.unwrap_or(Success { exit: None, pattern: None }),
        answers: answers.as_ref().map(|read| read.answers.clone()).unwrap_or_default(),
        env: env.unwrap_or_default(),
        pass_env: pass_env.unwrap_or_default(),
    };
    Some(Read { settings, command_span: command.span, answers })
}

fn env(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<BTreeMap<String, String>> {
    let mut set = BTreeMap::new();
    let mut sound = true;
    for (name, found) in section.entries() {
        if name.is_empty() || name.contains(['=', '\0']) {
            let message = format!("`{name}` cannot be the name of a variable");
            report.mistake(found.key_span, message, "a name is not empty and has no `=`");
            sound = false;
        }
        match report.text(&found) {
            Some(value) => drop(set.insert(name, value)),
            None => sound = false,
        }
    }
    sound.then_some(set)
}

fn success(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Success> {
    let (exit, pattern) = (section.get("exit"), section.get("pattern"));
    if section.is_present() && exit.is_none() && pattern.is_none() {
        report.mistake(section.span, "`target.success` is empty", "give `exit`, `pattern` or both");
        return None;
    }
    let exit_codes = match &exit {
        Some(found) => report.integers(found, 0, 255).map(Some),
        None if pattern.is_none() => Some(Some(vec![0])),
        None => Some(None),
    };
    let regex = match &pattern {
        Some(found) => self::pattern(report, found).map(Some),
        None => Some(None),
    };
    let codes = exit_codes?.map(|codes| codes.into_iter().map(|code| code as i32).collect());
    Some(Success { exit: codes, pattern: regex? })
}

/// A regular expression over the bytes of a line.
pub(super) fn pattern(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Regex> {
    let text = report.text(found)?;
    match Regex::new(&text) {
        Ok(regex) => Some(regex),
        Err(error) => {
            // The last line says what is wrong, those before draw a picture of where.
            let shown = error.to_string();
            let why = shown.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
            let message = format!("`{}` is not a regular expression: {why}", found.key);
            let hint = "single quotes keep backslashes as they are: 'steps = ([0-9]+)'";
            report.mistakes.push(Diagnostic::new(found.span(), message).hint(hint));
            None
        }
    }
}
