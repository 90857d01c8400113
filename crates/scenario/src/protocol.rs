//! `target.protocol`: how the target is called for a trial, and how its answer is read.
//!
//! | protocol | used by | the call, after `command` | outputs in the answer |
//! |---|---|---|---|
//! | `command` | captune | as `command` specifies | only those in `[outputs]` |
//! | `aclib` | ParamILS, SMAC 1 and 2 | `INSTANCE SPECIFICS SECONDS LENGTH SEED -name value …` | `runtime`, `runlength`, `quality` |
//! | `aclib2` | AClib 2, irace with `aclib` | `--instance I --cutoff SECONDS --seed S --config -name value …` | `cost`, `runtime` |
//! | `irace` | irace | `CONFIGURATION INSTANCE-NUMBER SEED INSTANCE [BOUND] …` | `cost`, `time` |
//! | `smac3` | SMAC3 from version 2 on | `--seed=S --instance=I --instance_features=[…] [--cutoff=SECONDS] --name=value …` | `cost`, `runtime` |
//! | `json` | captune | nothing: a line on standard input | `cost` |
//! | `json-server` | captune | as `json`, to a process that keeps running | `cost` |
//!
//! The call is added to the command's template, so that all code that shows or checks commands includes it.

use std::time::Duration;

use space::Span;

use super::command::{Argument, CommandTemplate, Piece};
use super::objective::{self, CappedBy, Measure};
use super::outputs::Output;
use super::report::{Report, Section};
use super::target::{STEP_LIMIT, TargetSettings};

/// The way in which the target is called for a trial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Protocol {
    /// As `target.command` specifies.
    #[default]
    Command,
    /// Wrappers for ParamILS, SMAC 1 and SMAC 2.
    Aclib,
    /// Wrappers for AClib 2.
    Aclib2,
    /// Target runners for irace.
    Irace,
    /// Scripts for SMAC3.
    Smac3,
    /// Programs that read a JSON object from standard input and write another one to standard output.
    Json,
    /// Like `Json`, but with one line per object and a process that keeps running.
    JsonServer,
}

impl Protocol {
    /// The names of all protocols.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("command", Self::Command),
        ("aclib", Self::Aclib),
        ("aclib2", Self::Aclib2),
        ("irace", Self::Irace),
        ("smac3", Self::Smac3),
        ("json", Self::Json),
        ("json-server", Self::JsonServer),
    ];

    /// Returns the protocol's name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, protocol)| *protocol == self).map_or("", |(name, _)| name)
    }

    /// Returns the outputs that every answer has. These outputs need not be declared in `[outputs]`.
    pub const fn outputs(self) -> &'static [&'static str] {
        match self {
            Self::Command => &[],
            Self::Aclib => &["runtime", "runlength", "quality"],
            Self::Aclib2 | Self::Smac3 => &["cost", "runtime"],
            Self::Irace => &["cost", "time"],
            Self::Json | Self::JsonServer => &["cost"],
        }
    }

    /// Returns an example answer.
    pub const fn answer(self) -> &'static str {
        match self {
            Self::Command => "",
            Self::Aclib => "Result for SMAC: SAT, 1.25, 0, 0, 17",
            Self::Aclib2 => r#"Result of this algorithm run: {"status": "SUCCESS", "cost": 4.5}"#,
            Self::Irace => "12.5",
            Self::Smac3 => "cost=0.5; status=SUCCESS",
            Self::Json | Self::JsonServer => r#"{"cost": 0.5}"#,
        }
    }

    /// Returns whether the target receives a trial as a line of JSON.
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonServer)
    }

    /// Returns whether the exit code is ignored because the answer contains the status.
    pub const fn ignores_exit(self) -> bool {
        matches!(self, Self::Aclib | Self::Aclib2 | Self::Smac3)
    }

    /// Returns whether the target receives its cap in seconds even if another quantity is minimised.
    pub const fn caps_in_seconds(self) -> bool {
        matches!(self, Self::Aclib | Self::Aclib2 | Self::Irace | Self::Smac3)
    }

    /// Returns the default grain, which is the smallest cost that the outputs resolve. By default, irace
    /// passes bounds in whole seconds, and its runners may rely on that.
    pub const fn grain(self) -> f64 {
        match self {
            Self::Aclib | Self::Aclib2 | Self::Smac3 => 1e-3,
            Self::Command | Self::Irace | Self::Json | Self::JsonServer => 1.0,
        }
    }

    /// Returns how parameters are written if the scenario does not specify a form.
    pub const fn params(self) -> &'static [&'static str] {
        match self {
            Self::Aclib | Self::Aclib2 => &["-{name}", "{value}"],
            _ => &["--{name}={value}"],
        }
    }

    /// Returns whether a parameter's switch replaces its name in the general form, as AClib expects.
    pub(super) const fn switch_is_name(self) -> bool {
        matches!(self, Self::Aclib | Self::Aclib2)
    }

    /// Returns how boolean parameters are written, if not like other parameters. SMAC3 writes them as Python
    /// does.
    pub(super) const fn flags(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Smac3 => Some(["--{name}=True", "--{name}=False"]),
            _ => None,
        }
    }

    /// Returns the arguments that come after those of the command.
    fn arguments(self, with_instance: bool, with_bound: bool) -> Vec<Argument> {
        let word = |text: &str| Argument::Pieces(vec![Piece::Literal(text.to_owned())]);
        let piece = |piece: Piece| Argument::Pieces(vec![piece]);
        let assigned =
            |name: &str, piece: Piece| Argument::Pieces(vec![Piece::Literal(format!("--{name}=")), piece]);
        let mut arguments = Vec::new();
        match self {
            Self::Command | Self::Json | Self::JsonServer => return Vec::new(),
            Self::Aclib => {
                let instance = if with_instance { piece(Piece::Instance) } else { word("no_instance") };
                arguments.extend([instance, word("0"), piece(Piece::Seconds), word("2147483647")]);
                arguments.push(piece(Piece::Seed));
            }
            Self::Aclib2 => {
                if with_instance {
                    arguments.extend([word("--instance"), piece(Piece::Instance)]);
                }
                arguments.extend([word("--cutoff"), piece(Piece::Seconds)]);
                arguments.extend([word("--seed"), piece(Piece::Seed), word("--config")]);
            }
            Self::Irace => {
                arguments.extend([Piece::ConfigurationNumber, Piece::InstanceNumber, Piece::Seed].map(piece));
                // irace always passes an instance. A made-up name keeps the positions of the other arguments.
                arguments.push(if with_instance { piece(Piece::Instance) } else { word("no_instance") });
                arguments.extend(with_bound.then(|| piece(Piece::Seconds)));
            }
            Self::Smac3 => {
                arguments.push(assigned("seed", Piece::Seed));
                if with_instance {
                    arguments.push(assigned("instance", Piece::Instance));
                    arguments.push(assigned("instance_features", Piece::InstanceFeatures));
                }
                arguments.extend(with_bound.then(|| assigned("cutoff", Piece::Seconds)));
            }
        }
        arguments.push(Argument::Params);
        arguments
    }
}

/// Reads `target.protocol`.
pub(super) fn read(report: &mut Report<'_>, target: &Section<'_, '_>) -> Option<Protocol> {
    let Some(found) = target.get("protocol") else { return Some(Protocol::Command) };
    let word = report.word(&found, &Protocol::NAMED.map(|(name, _)| name))?;
    Protocol::NAMED.iter().find(|(name, _)| *name == word).map(|(_, protocol)| *protocol)
}

/// Reads `target.restart_after`.
pub(super) fn restart_after(
    report: &mut Report<'_>,
    target: &Section<'_, '_>,
    protocol: Protocol,
) -> Option<u64> {
    let found = target.get("restart_after")?;
    if protocol != Protocol::JsonServer {
        let message = "`target.restart_after` is given, but the target is not a server";
        report.mistake(found.key_span, message, "use it with `protocol = \"json-server\"`, or remove it");
        return None;
    }
    report.integer(&found, 1, i64::MAX).map(|count| count as u64)
}

/// Reads `target.setup_limit` for a server. Mistakes in it are reported together with those in the set-up.
pub(super) fn start_limit(report: &Report<'_>, target: &Section<'_, '_>) -> Duration {
    let found = target.get("setup_limit");
    found.and_then(|found| Report::new(report.text).duration(&found)).unwrap_or(STEP_LIMIT)
}

/// Adds the protocol's call to the command, and reports settings that do not fit the protocol.
pub(super) fn complete(
    report: &mut Report<'_>,
    (settings, span): (&mut TargetSettings, Span),
    outputs: &[Output],
    objective: Option<&objective::Read>,
    instances_given: bool,
) {
    let protocol = settings.protocol;
    if protocol == Protocol::Command {
        return;
    }
    check_duplicates(report, &settings.command, span, protocol);
    if protocol == Protocol::JsonServer {
        check_server(report, settings, span);
    }
    let capped_by = objective.map(|read| read.objective.capped_by);
    if let Some(read) = objective {
        check_objective(report, protocol, outputs, read);
    }
    let with_bound = capped_by == Some(CappedBy::Argument);
    settings.command.arguments.extend(protocol.arguments(instances_given, with_bound));
}

/// Reports placeholders in the command for values that the protocol passes anyway.
fn check_duplicates(report: &mut Report<'_>, command: &CommandTemplate, span: Span, protocol: Protocol) {
    // A line on standard input cannot conflict with arguments.
    if protocol == Protocol::Json {
        return;
    }
    let pieces = [("{instance}", Piece::Instance), ("{seed}", Piece::Seed), ("{cap}", Piece::Cap)];
    let duplicate = pieces.iter().find(|(_, piece)| command.mentions(piece)).map(|(name, _)| *name);
    let is_param = |argument: &Argument| match argument {
        Argument::Params | Argument::Written(_) => true,
        Argument::Pieces(pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Param(_))),
    };
    let params = command.arguments.iter().any(is_param).then_some("{params}");
    if let Some(name) = duplicate.or(params) {
        let message =
            format!("the command has `{name}`, but the protocol `{}` already passes it", protocol.name());
        report.mistake(span, message, "give only the program and its constant arguments");
    }
}

/// Reports settings that do not fit a server, because it starts before its trials are known.
fn check_server(report: &mut Report<'_>, settings: &TargetSettings, span: Span) {
    let command = &settings.command;
    let of_trials = [("{trial}", Piece::Trial), ("{config_file}", Piece::ConfigFile)];
    if let Some((name, _)) = of_trials.iter().find(|(_, piece)| command.mentions(piece)) {
        let message = format!("the command has `{name}`, but the server is started once for many trials");
        report.mistake(span, message, "remove it: the server reads each trial from standard input");
    }
    if settings.answers.verify.is_some() || settings.answers.known.is_some() {
        let message = "`verify` and `known` cannot be used with `protocol = \"json-server\"`";
        report.mistake(
            span,
            message,
            "remove them; a server that finds its own answer wrong can report `crashed`",
        );
    }
    if settings.setup.is_some() || settings.teardown.is_some() {
        let message = "`setup` and `teardown` cannot be used with `protocol = \"json-server\"`";
        report.mistake(span, message, "let the server do its set-up when it starts");
    }
}

/// Checks that the protocol can report the objective and pass a cap for it.
fn check_objective(report: &mut Report<'_>, protocol: Protocol, outputs: &[Output], read: &objective::Read) {
    let objective = &read.objective;
    let name = match objective.minimise {
        Measure::Output(index) => outputs.get(index).map(|output| output.name.as_str()),
        _ => None,
    };
    let is_time = !matches!(name, Some("quality" | "runlength"));
    if protocol == Protocol::Aclib && objective.capped_by == CappedBy::Argument && !is_time {
        let message = "`objective.capped_by` is `argument`, but the protocol `aclib` passes only a time";
        report.mistake(read.capped_by_span, message, "minimise `runtime`, or remove `capped_by`");
    }
    if protocol == Protocol::JsonServer && objective.minimise == Measure::Memory {
        let message = "`objective.minimise`: the memory of a server is not the memory of one trial";
        report.mistake(read.cutoff_span, message, "use `protocol = \"json\"`");
    }
}
