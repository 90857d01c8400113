//! The command of the target: a program and a vector of arguments with placeholders.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use engine::Space;
use engine::space::{Diagnostic, Parameter, ParameterId, Span, Spanned, suggestion};

use super::report::{Report, Section};
use super::template::{self, Part};

const PLACEHOLDERS: [&str; 6] = ["instance", "seed", "cap", "params", "param:NAME", "folder"];
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// One argument as the scenario has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// `{params}`: the arguments of all parameters that have no `{param:NAME}` of their own.
    Params,
    /// One argument of several pieces.
    Pieces(Vec<Piece>),
}

/// A piece of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Itself.
    Literal(String),
    /// `{instance}`.
    Instance,
    /// `{seed}`.
    Seed,
    /// `{cap}`.
    Cap,
    /// `{param:NAME}`: the value of one parameter.
    Param(ParameterId),
}

/// A checked command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandTemplate {
    /// The program's full path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

impl CommandTemplate {
    /// Whether a piece is anywhere in the arguments.
    pub fn mentions(&self, wanted: &Piece) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Params => false,
            Argument::Pieces(pieces) => pieces.contains(wanted),
        })
    }

    /// Whether `{params}` leaves a parameter out, as it has a `{param:NAME}` of its own.
    pub fn names(&self, parameter: ParameterId) -> bool {
        self.mentions(&Piece::Param(parameter))
    }
}

/// The command with where it stands, for checks that need the other tables.
pub(super) struct Read {
    pub(super) template: CommandTemplate,
    pub(super) span: Span,
}

/// Reads `target.command`. The program is looked up in the target's `environment`.
pub(super) fn read(
    report: &mut Report<'_>,
    target: &Section<'_, '_>,
    folder: &Path,
    environment: &BTreeMap<OsString, OsString>,
    space: Option<&Space>,
) -> Option<Read> {
    let hint = "write `command = [\"program\", \"{params}\", \"{instance}\"]`";
    let found = report.required(target, "command", hint)?;
    let words = report.texts(&found)?;
    let (first, rest) = words.split_first()?;
    if rest.is_empty() && first.value.contains(' ') {
        let words = first.value.split_whitespace().map(|word| format!("{word:?}"));
        let list = words.collect::<Vec<_>>().join(", ");
        report.mistake(
            first.span,
            "`target.command` is one text with spaces: no shell will split it",
            format!("write a list of arguments: [{list}]"),
        );
        return None;
    }
    let program = program(report, "target.command", first, folder, environment);
    let arguments = rest.iter().map(|word| argument(report, word, folder, space));
    let arguments = arguments.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>();
    let (program, arguments) = (program?, arguments?);
    warn_of_shell(report, first, rest, &arguments);
    warn_of_files(report, rest, folder);
    Some(Read { template: CommandTemplate { program, arguments }, span: found.span() })
}

/// The full path of a program that a key names.
pub(super) fn program(
    report: &mut Report<'_>,
    key: &str,
    word: &Spanned<String>,
    folder: &Path,
    environment: &BTreeMap<OsString, OsString>,
) -> Option<PathBuf> {
    let mut name = String::new();
    for part in template::split(report, word)? {
        match part {
            Part::Literal(text) => name += &text,
            Part::Placeholder(placeholder) => {
                let hint = "a path with a slash counts from the scenario's folder as it is";
                report.mistake(placeholder.span, "the program's name cannot have placeholders", hint);
                return None;
            }
        }
    }
    let path = if name.contains('/') { folder.join(&name) } else { PathBuf::from(&name) };
    match confine::find_program(path.as_os_str(), environment) {
        Ok(path) => Some(path),
        Err(error) => {
            let hint = match name.contains('/') {
                true => Some("a path with a slash counts from the scenario's folder".to_owned()),
                false => None,
            };
            let not_found = matches!(error, confine::LaunchError::ProgramNotFound { .. });
            let hint = if not_found { hint.or(error.hint()) } else { error.hint().or(hint) };
            let message = format!("`{key}`: {error}");
            report.mistakes.push(Diagnostic::new(word.span, message).maybe_hint(hint));
            None
        }
    }
}

fn argument(
    report: &mut Report<'_>,
    word: &Spanned<String>,
    folder: &Path,
    space: Option<&Space>,
) -> Option<Argument> {
    let parts = template::split(report, word)?;
    let mut pieces = Vec::new();
    let mut sound = true;
    let alone = parts.len() == 1;
    for part in parts {
        let placeholder = match part {
            Part::Literal(text) => {
                pieces.push(Piece::Literal(text));
                continue;
            }
            Part::Placeholder(placeholder) => placeholder,
        };
        match placeholder.value.as_str() {
            "instance" => pieces.push(Piece::Instance),
            "seed" => pieces.push(Piece::Seed),
            "cap" => pieces.push(Piece::Cap),
            "folder" => pieces.push(Piece::Literal(folder.to_string_lossy().into_owned())),
            "params" if alone => return Some(Argument::Params),
            "params" => {
                let hint = "one parameter's value inside an argument is `{param:NAME}`";
                report.mistake(
                    placeholder.span,
                    "`{params}` makes many arguments and must be one by itself",
                    hint,
                );
                sound = false;
            }
            other => match (other.strip_prefix("param:"), space) {
                (Some(name), Some(space)) => match parameter(report, &placeholder, name, space) {
                    Some(id) => pieces.push(Piece::Param(id)),
                    None => sound = false,
                },
                // The mistakes of the space are told elsewhere.
                (Some(_), None) => sound = false,
                (None, _) => {
                    template::unknown(report, &placeholder, &PLACEHOLDERS);
                    sound = false;
                }
            },
        }
    }
    sound.then_some(Argument::Pieces(pieces))
}

fn parameter(
    report: &mut Report<'_>,
    placeholder: &Spanned<String>,
    name: &str,
    space: &Space,
) -> Option<ParameterId> {
    let Some(id) = space.find(name) else {
        let hint = suggestion(name, space.parameters().iter().map(Parameter::name));
        let hint = hint.unwrap_or("the space has no such parameter".to_owned());
        report.mistake(placeholder.span, format!("unknown parameter `{name}`"), hint);
        return None;
    };
    if space.is_conditional(id) {
        let message = format!("`{name}` may be inactive, and then has no value to put here");
        report.mistake(placeholder.span, message, "pass it by `{params}`, which leaves inactive ones out");
        return None;
    }
    Some(id)
}

/// A shell reads what is substituted into its script as a program of its own.
fn warn_of_shell(
    report: &mut Report<'_>,
    program: &Spanned<String>,
    words: &[Spanned<String>],
    arguments: &[Argument],
) {
    let name = Path::new(&program.value).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let Some(script) = words.iter().position(|word| is_script_flag(&word.value)).map(|at| at + 1) else {
        return;
    };
    let substituted = match arguments.get(script) {
        Some(Argument::Pieces(pieces)) => pieces.iter().any(|piece| !matches!(piece, Piece::Literal(_))),
        Some(Argument::Params) => true,
        None => false,
    };
    if SHELLS.contains(&name) && substituted {
        report.warn(
            words[script].span,
            "a placeholder inside a script of a shell: quotes and `$` in its value would be run",
            "name the script's arguments: [\"sh\", \"-c\", \"solver \\\"$1\\\"\", \"sh\", \"{instance}\"]",
        );
    }
}

/// `-c`, alone or behind other letters.
fn is_script_flag(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// The target does not run in the scenario's folder, so a plain name of a file there is a trap.
fn warn_of_files(report: &mut Report<'_>, words: &[Spanned<String>], folder: &Path) {
    for word in words {
        let plain = !word.value.contains(['{', '}']) && !word.value.starts_with(['-', '/']);
        if plain && !word.value.is_empty() && folder.join(&word.value).exists() {
            let message =
                format!("`{}` is in the scenario's folder, where the target does not run", word.value);
            let hint = format!("each trial has a fresh folder; write \"{{folder}}/{}\"", word.value);
            report.warn(word.span, message, hint);
        }
    }
}
