//! The commands of the target: a program and a vector of arguments with placeholders.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use engine::Space;
use space::{Diagnostic, Parameter, ParameterId, Span, Spanned, suggestion};

use super::report::{Found, Report};
use super::template::{self, Part};

/// What every command knows.
const PLACEHOLDERS: [&str; 12] = [
    "instance",
    "seed",
    "cap",
    "params",
    "param:NAME",
    "folder",
    "workdir",
    "config_file",
    "slot",
    "trial",
    "cores",
    "memory",
];
/// What is known besides when the target's command has ended.
const STDOUT: &str = "stdout";
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
    /// `{workdir}`: where the trial runs.
    Workdir,
    /// `{config_file}`: the path of the file that the configuration was written to.
    ConfigFile,
    /// `{stdout}`: the path of a file with all that the command has written to standard output.
    Stdout,
    /// `{slot}`: which of the trials running at one time this is, from 0.
    Slot,
    /// `{trial}`: the trial's number.
    Trial,
    /// `{cores}`: how many cores the trial has.
    Cores,
    /// `{memory}`: the memory limit in MiB, rounded down.
    Memory,
    /// `{param:NAME}`: the value of one parameter.
    Param(ParameterId),
    /// Of protocols: where to stop, in seconds.
    Seconds,
    /// Of protocols: the configuration's number, from 1.
    ConfigurationNumber,
    /// Of protocols: the instance's number, from 1.
    InstanceNumber,
    /// Of protocols: the numbers that describe the instance, as a list.
    InstanceFeatures,
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

/// What a command is read with.
pub(super) struct Surroundings<'a> {
    /// The scenario's folder.
    pub(super) folder: &'a Path,
    /// The target's variables, in whose PATH programs are looked up.
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) space: Option<&'a Space>,
    /// Whether the target runs in the scenario's folder.
    pub(super) at_home: bool,
}

/// Reads a command of the target. One that runs `after` the target's own knows what that has written.
pub(super) fn read(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    around: &Surroundings<'_>,
    after: bool,
) -> Option<Read> {
    let words = report.texts(found)?;
    let (first, rest) = words.split_first()?;
    if rest.is_empty() && first.value.contains(' ') {
        let words = first.value.split_whitespace().map(|word| format!("{word:?}"));
        let list = words.collect::<Vec<_>>().join(", ");
        report.mistake(
            first.span,
            format!("`{}` is one text with spaces: no shell will split it", found.key),
            format!("write a list of arguments: [{list}]"),
        );
        return None;
    }
    let program = program(report, &found.key, first, around);
    let arguments = rest.iter().map(|word| argument(report, word, around, after));
    let arguments = arguments.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>();
    let (program, arguments) = (program?, arguments?);
    warn_of_shell(report, first, rest, &arguments);
    if !around.at_home {
        warn_of_files(report, rest, around.folder);
    }
    Some(Read { template: CommandTemplate { program, arguments }, span: found.span() })
}

/// The full path of a program that a key names.
pub(super) fn program(
    report: &mut Report<'_>,
    key: &str,
    word: &Spanned<String>,
    around: &Surroundings<'_>,
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
    let path = if name.contains('/') { around.folder.join(&name) } else { PathBuf::from(&name) };
    match confine::find_program(path.as_os_str(), &around.environment) {
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
    around: &Surroundings<'_>,
    after: bool,
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
            "folder" => pieces.push(Piece::Literal(around.folder.to_string_lossy().into_owned())),
            "workdir" => pieces.push(Piece::Workdir),
            "config_file" => pieces.push(Piece::ConfigFile),
            "slot" => pieces.push(Piece::Slot),
            "trial" => pieces.push(Piece::Trial),
            "cores" => pieces.push(Piece::Cores),
            "memory" => pieces.push(Piece::Memory),
            STDOUT if after => pieces.push(Piece::Stdout),
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
            other => match (other.strip_prefix("param:"), around.space) {
                (Some(name), Some(space)) => match parameter(report, &placeholder, name, space) {
                    Some(id) => pieces.push(Piece::Param(id)),
                    None => sound = false,
                },
                // The mistakes of the space are told elsewhere.
                (Some(_), None) => sound = false,
                (None, _) => {
                    let known: Vec<&str> = PLACEHOLDERS.into_iter().chain(after.then_some(STDOUT)).collect();
                    template::unknown(report, &placeholder, &known);
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
