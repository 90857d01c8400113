//! The target's commands: a program and a list of arguments with placeholders.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use engine::Space;
use space::{Diagnostic, Parameter, ParameterId, Span, Spanned, suggestion};

use super::report::{Found, Report};
use super::template::{self, Part};

/// Placeholders that every command may use.
const PLACEHOLDERS: [&str; 13] = [
    "instance",
    "seed",
    "cap",
    "params",
    "params:NAME",
    "param:NAME",
    "folder",
    "workdir",
    "config_file",
    "slot",
    "trial",
    "cores",
    "memory",
];
/// Placeholder that is available only to commands that run after the target's command has ended.
const STDOUT: &str = "stdout";
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// One argument, as written in the scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// `{params}`: the arguments of all parameters without a placeholder of their own.
    Params,
    /// `{params:NAME}`: the arguments of one parameter, none if it is inactive or a flag that is off.
    Written(ParameterId),
    /// One argument, made up of pieces.
    Pieces(Vec<Piece>),
}

/// A piece of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text passed unchanged.
    Literal(String),
    /// `{instance}`.
    Instance,
    /// `{seed}`.
    Seed,
    /// `{cap}`.
    Cap,
    /// `{workdir}`: the folder in which the trial runs.
    Workdir,
    /// `{config_file}`: the path of the file that the configuration was written to.
    ConfigFile,
    /// `{stdout}`: the path of a file with everything that the command wrote to standard output.
    Stdout,
    /// `{slot}`: the number of the slot in which the trial runs, from 0.
    Slot,
    /// `{trial}`: the trial's number.
    Trial,
    /// `{cores}`: the number of cores for the trial.
    Cores,
    /// `{memory}`: the memory limit in MiB, rounded down.
    Memory,
    /// `{param:NAME}`: the value of one parameter.
    Param(ParameterId),
    /// Used by protocols only: the cap in seconds.
    Seconds,
    /// Used by protocols only: the configuration's number, from 1.
    ConfigurationNumber,
    /// Used by protocols only: the instance's number, from 1.
    InstanceNumber,
    /// Used by protocols only: the instance's features, as a list.
    InstanceFeatures,
}

/// The program of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// The full path of a program that existed when the scenario was read.
    Found(PathBuf),
    /// `{workdir}/…`: a program that `setup` builds. The path is relative to the folder in which the trial
    /// runs.
    Built(PathBuf),
}

impl Program {
    /// Returns the full path of the program, unless `setup` builds the program.
    pub fn found(&self) -> Option<&Path> {
        match self {
            Self::Found(path) => Some(path),
            Self::Built(_) => None,
        }
    }
}

/// A checked command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandTemplate {
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

impl CommandTemplate {
    /// Returns whether a piece occurs in the arguments.
    pub fn mentions(&self, wanted: &Piece) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Params | Argument::Written(_) => false,
            Argument::Pieces(pieces) => pieces.contains(wanted),
        })
    }

    /// Returns whether the arguments contain values of parameters.
    pub fn has_parameters(&self) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Params | Argument::Written(_) => true,
            Argument::Pieces(pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Param(_))),
        })
    }

    /// Returns whether a parameter has its own `{param:NAME}` or `{params:NAME}`. If so, `{params}` leaves it
    /// out.
    pub fn names(&self, parameter: ParameterId) -> bool {
        self.mentions(&Piece::Param(parameter)) || self.arguments.contains(&Argument::Written(parameter))
    }
}

/// A command and its place in the file, for checks that involve other tables.
pub(super) struct Read {
    pub(super) template: CommandTemplate,
    pub(super) span: Span,
}

/// Context for reading a command.
pub(super) struct Context<'a> {
    /// The scenario's folder.
    pub(super) folder: &'a Path,
    /// The target's environment variables. Programs are looked up in its PATH.
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) space: Option<&'a Space>,
    /// Whether the target runs in the scenario's folder.
    pub(super) in_scenario_folder: bool,
    /// Whether a `setup` command, which may build the program, runs before this one.
    pub(super) has_setup: bool,
}

/// Reads one of the target's commands. If `after` is set, it runs after the target's own command and may use
/// `{stdout}`.
pub(super) fn read(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    context: &Context<'_>,
    after: bool,
) -> Option<Read> {
    let words = report.texts(found)?;
    let (first, rest) = words.split_first()?;
    if rest.is_empty() && first.value.contains(' ') {
        let words = first.value.split_whitespace().map(|word| format!("{word:?}"));
        let list = words.collect::<Vec<_>>().join(", ");
        report.mistake(
            first.span,
            format!("`{}` is a single string with spaces, and no shell splits it", found.key),
            format!("write a list of arguments: [{list}]"),
        );
        return None;
    }
    let program = match first.value.strip_prefix("{workdir}/").filter(|_| context.has_setup) {
        Some(path) => built(report, first, path).map(Program::Built),
        None => program(report, &found.key, first, context).map(Program::Found),
    };
    let arguments = rest.iter().map(|word| argument(report, word, context, after));
    let arguments = arguments.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>();
    let (program, arguments) = (program?, arguments?);
    warn_of_shell_script(report, first, rest, &arguments);
    if !context.in_scenario_folder {
        warn_of_files(report, rest, context.folder);
    }
    Some(Read { template: CommandTemplate { program, arguments }, span: found.span() })
}

/// Returns the path of a program that `setup` builds, relative to the folder in which the trial runs.
fn built(report: &mut Report<'_>, word: &Spanned<String>, path: &str) -> Option<PathBuf> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if path.is_empty() || path.contains(['{', '}']) || !Path::new(path).components().all(is_plain) {
        let message = format!("`{}` does not name a program in the trial's folder", word.value);
        report.mistake(word.span, message, "write `{workdir}/PROGRAM` for a program that `setup` builds");
        return None;
    }
    Some(PathBuf::from(path))
}

/// Finds the full path of the program that a key names.
pub(super) fn program(
    report: &mut Report<'_>,
    key: &str,
    word: &Spanned<String>,
    context: &Context<'_>,
) -> Option<PathBuf> {
    let mut name = String::new();
    for part in template::split(report, word)? {
        match part {
            Part::Literal(text) => name += &text,
            Part::Placeholder(placeholder) => {
                let hint = match placeholder.value.as_str() {
                    "workdir" => "to run a program in the trial's folder, add a `setup` that builds it",
                    _ => {
                        "write the program's path without placeholders; it is relative to the scenario's folder"
                    }
                };
                report.mistake(placeholder.span, "the program's name cannot contain placeholders", hint);
                return None;
            }
        }
    }
    let path = if name.contains('/') { context.folder.join(&name) } else { PathBuf::from(&name) };
    match confine::find_program(path.as_os_str(), &context.environment) {
        Ok(path) => Some(path),
        Err(error) => {
            let hint = name.contains('/').then(|| {
                let relative = "a relative path starts at the scenario's folder";
                let file = Path::new(&name).file_name().map(OsStr::to_string_lossy).unwrap_or_default();
                match context.has_setup {
                    true => format!("{relative}; if `setup` builds it, write `{{workdir}}/{file}`"),
                    false => relative.to_owned(),
                }
            });
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
    context: &Context<'_>,
    after: bool,
) -> Option<Argument> {
    let parts = template::split(report, word)?;
    let mut pieces = Vec::new();
    let mut valid = true;
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
            "folder" => pieces.push(Piece::Literal(context.folder.to_string_lossy().into_owned())),
            "workdir" => pieces.push(Piece::Workdir),
            "config_file" => pieces.push(Piece::ConfigFile),
            "slot" => pieces.push(Piece::Slot),
            "trial" => pieces.push(Piece::Trial),
            "cores" => pieces.push(Piece::Cores),
            "memory" => pieces.push(Piece::Memory),
            STDOUT if after => pieces.push(Piece::Stdout),
            "params" if alone => return Some(Argument::Params),
            other if other.starts_with("params:") => {
                let name = &other["params:".len()..];
                match context.space.map(|space| find(report, &placeholder, name, space)) {
                    Some(Some(id)) if alone => return Some(Argument::Written(id)),
                    Some(Some(_)) => {
                        let message = "`{params:NAME}` may expand to no argument and must stand alone";
                        let hint = "use `{param:NAME}` for one parameter's value inside an argument";
                        report.mistake(placeholder.span, message, hint);
                    }
                    // Mistakes in the space are reported elsewhere.
                    Some(None) | None => {}
                }
                valid = false;
            }
            "params" => {
                let hint = "use `{param:NAME}` for one parameter's value inside an argument";
                report.mistake(
                    placeholder.span,
                    "`{params}` expands to several arguments and must stand alone",
                    hint,
                );
                valid = false;
            }
            other => match (other.strip_prefix("param:"), context.space) {
                (Some(name), Some(space)) => match parameter(report, &placeholder, name, space) {
                    Some(id) => pieces.push(Piece::Param(id)),
                    None => valid = false,
                },
                // Mistakes in the space are reported elsewhere.
                (Some(_), None) => valid = false,
                (None, _) => {
                    let known: Vec<&str> = PLACEHOLDERS.into_iter().chain(after.then_some(STDOUT)).collect();
                    template::unknown(report, &placeholder, &known);
                    valid = false;
                }
            },
        }
    }
    valid.then_some(Argument::Pieces(pieces))
}

/// Finds the parameter that a placeholder names.
fn find(
    report: &mut Report<'_>,
    placeholder: &Spanned<String>,
    name: &str,
    space: &Space,
) -> Option<ParameterId> {
    let found = space.find(name);
    if found.is_none() {
        let hint = suggestion(name, space.parameters().iter().map(Parameter::name));
        let hint = hint.unwrap_or("the space has no such parameter".to_owned());
        report.mistake(placeholder.span, format!("unknown parameter `{name}`"), hint);
    }
    found
}

/// Finds the parameter whose value a placeholder stands for.
fn parameter(
    report: &mut Report<'_>,
    placeholder: &Spanned<String>,
    name: &str,
    space: &Space,
) -> Option<ParameterId> {
    let id = find(report, placeholder, name, space)?;
    if space.is_conditional(id) {
        let message = format!("`{name}` may be inactive and then has no value");
        let hint = format!("use `{{params:{name}}}` or `{{params}}`, which leave out inactive parameters");
        report.mistake(placeholder.span, message, hint);
        return None;
    }
    Some(id)
}

/// Warns about placeholders inside a shell script, because the shell would run the substituted text as code.
fn warn_of_shell_script(
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
        Some(Argument::Params | Argument::Written(_)) => true,
        None => false,
    };
    if SHELLS.contains(&name) && substituted {
        report.warn(
            words[script].span,
            "placeholder inside a shell script: the shell would interpret quotes and `$` in its value",
            "pass the value as an argument to the script: [\"sh\", \"-c\", \"solver \\\"$1\\\"\", \"sh\", \"{instance}\"]",
        );
    }
}

/// Returns whether a word is `-c`, possibly combined with other letters, as in `-ec`.
fn is_script_flag(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// Warns about plain file names that exist in the scenario's folder. The target runs in another folder and
/// would not find these files.
fn warn_of_files(report: &mut Report<'_>, words: &[Spanned<String>], folder: &Path) {
    for word in words {
        let plain = !word.value.contains(['{', '}']) && !word.value.starts_with(['-', '/']);
        if plain && !word.value.is_empty() && folder.join(&word.value).exists() {
            let message =
                format!("`{}` is in the scenario's folder, but the target runs elsewhere", word.value);
            let hint = format!("write \"{{folder}}/{}\"", word.value);
            report.warn(word.span, message, hint);
        }
    }
}
