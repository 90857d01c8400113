//! `target.protocol`: how a trial is put to the target, and what its answer tells.
//!
//! | protocol | whose | the call, after `command` | outputs of the answer |
//! |---|---|---|---|
//! | `command` | ours | as `command` says | none but `[outputs]` |
//! | `aclib` | ParamILS, SMAC 1 and 2 | `INSTANCE SPECIFICS SECONDS LENGTH SEED -name value …` | `runtime`, `runlength`, `quality` |
//! | `aclib2` | AClib 2, irace with `aclib` | `--instance I --cutoff SECONDS --seed S --config -name value …` | `cost`, `runtime` |
//! | `irace` | irace | `CONFIGURATION INSTANCE-NUMBER SEED INSTANCE [BOUND] …` | `cost`, `time` |
//! | `smac3` | SMAC3 from version 2 on | `--seed=S --instance=I --instance_features=[…] [--cutoff=SECONDS] --name=value …` | `cost`, `runtime` |
//! | `json` | ours | nothing: a line on standard input | `cost` |
//! | `json-server` | ours | as `json`, to a process that lives on | `cost` |
//!
//! The call becomes part of the command's template, so that whatever shows or checks commands knows it.

use std::time::Duration;

use space::Span;

use super::command::{Argument, CommandTemplate, Piece};
use super::objective::{self, CappedBy, Measure};
use super::outputs::Output;
use super::report::{Report, Section};
use super::target::{STEP_LIMIT, TargetSettings};

/// How a trial is put to the target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Protocol {
    /// As the command says.
    #[default]
    Command,
    /// Wrappers of ParamILS, SMAC 1 and 2.
    Aclib,
    /// Wrappers of AClib 2.
    Aclib2,
    /// Target runners of irace.
    Irace,
    /// Scripts of SMAC3.
    Smac3,
    /// A JSON object on standard input, another on standard output.
    Json,
    /// The same, line by line, with a process that lives on.
    JsonServer,
}

impl Protocol {
    /// All of them, with their names.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("command", Self::Command),
        ("aclib", Self::Aclib),
        ("aclib2", Self::Aclib2),
        ("irace", Self::Irace),
        ("smac3", Self::Smac3),
        ("json", Self::Json),
        ("json-server", Self::JsonServer),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, protocol)| *protocol == self).map_or("", |(name, _)| name)
    }

    /// The outputs that its answers have without being declared.
    pub const fn outputs(self) -> &'static [&'static str] {
        match self {
            Self::Command => &[],
            Self::Aclib => &["runtime", "runlength", "quality"],
            Self::Aclib2 | Self::Smac3 => &["cost", "runtime"],
            Self::Irace => &["cost", "time"],
            Self::Json | Self::JsonServer => &["cost"],
        }
    }

    /// What an answer looks like.
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

    /// Whether a trial is told by a line of JSON.
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonServer)
    }

    /// Whether its callers have never looked at exit codes: the answer says it all.
    pub const fn ignores_exit(self) -> bool {
        matches!(self, Self::Aclib | Self::Aclib2 | Self::Smac3)
    }

    /// Whether where to stop is told in seconds, whatever is minimised.
    pub const fn tells_seconds(self) -> bool {
        matches!(self, Self::Aclib | Self::Aclib2 | Self::Irace | Self::Smac3)
    }

    /// The smallest cost that its outputs resolve, if the scenario does not say. irace gives bounds in
    /// whole seconds unless told otherwise, and its runners may rely on that.
    pub const fn grain(self) -> f64 {
        match self {
            Self::Aclib | Self::Aclib2 | Self::Smac3 => 1e-3,
            Self::Command | Self::Irace | Self::Json | Self::JsonServer => 1.0,
        }
    }

    /// How parameters are written that have no form of their own.
    pub const fn params(self) -> &'static [&'static str] {
        match self {
            Self::Aclib | Self::Aclib2 => &["-{name}", "{value}"],
            _ => &["--{name}={value}"],
        }
    }

    /// Whether a parameter's switch is its name, written as any other: so AClib's callers take it.
    pub(super) const fn switch_is_name(self) -> bool {
        matches!(self, Self::Aclib | Self::Aclib2)
    }

    /// How boolean parameters are written, if not as others: SMAC3 writes them as Python does.
    pub(super) const fn flags(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Smac3 => Some(["--{name}=True", "--{name}=False"]),
            _ => None,
        }
    }

    /// What follows the words of the command.
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
                // irace has no targets without instances; a name keeps the places of the others.
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
        let message = "`target.restart_after` has nothing to restart";
        report.mistake(found.key_span, message, "it is for `protocol = \"json-server\"`");
        return None;
    }
    report.integer(&found, 1, i64::MAX).map(|count| count as u64)
}

/// Reads `target.setup_limit` for a process that lives on; its mistakes are told with the set-up's.
pub(super) fn start_limit(report: &Report<'_>, target: &Section<'_, '_>) -> Duration {
    let found = target.get("setup_limit");
    found.and_then(|found| Report::new(report.text).duration(&found)).unwrap_or(STEP_LIMIT)
}

/// Makes the call part of the command, and says what does not go with the protocol.
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
    not_twice(report, &settings.command, span, protocol);
    if protocol == Protocol::JsonServer {
        lives_on(report, settings, span);
    }
    let capped_by = objective.map(|read| read.objective.capped_by);
    if let Some(read) = objective {
        fits(report, protocol, outputs, read);
    }
    let with_bound = capped_by == Some(CappedBy::Argument);
    settings.command.arguments.extend(protocol.arguments(instances_given, with_bound));
}

/// The words before the call do not say again what it says.
fn not_twice(report: &mut Report<'_>, command: &CommandTemplate, span: Span, protocol: Protocol) {
    // A line on standard input is in nobody's way.
    if protocol == Protocol::Json {
        return;
    }
    let pieces = [("{instance}", Piece::Instance), ("{seed}", Piece::Seed), ("{cap}", Piece::Cap)];
    let twice = pieces.iter().find(|(_, piece)| command.mentions(piece)).map(|(name, _)| *name);
    let is_param = |argument: &Argument| match argument {
        Argument::Params => true,
        Argument::Pieces(pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Param(_))),
    };
    let params = command.arguments.iter().any(is_param).then_some("{params}");
    if let Some(name) = twice.or(params) {
        let message = format!("the command has `{name}`, which the protocol `{}` passes", protocol.name());
        report.mistake(span, message, "name only the program, and arguments that are always the same");
    }
}

/// A process that lives on knows nothing of single trials when it starts.
fn lives_on(report: &mut Report<'_>, settings: &TargetSettings, span: Span) {
    let command = &settings.command;
    let of_trials = [("{trial}", Piece::Trial), ("{config_file}", Piece::ConfigFile)];
    if let Some((name, _)) = of_trials.iter().find(|(_, piece)| command.mentions(piece)) {
        let message = format!("the command has `{name}`, but it is started once for many trials");
        report.mistake(span, message, "each trial is told by a line on standard input");
    }
    if settings.answers.verify.is_some() || settings.answers.known.is_some() {
        let message = "`verify` and `known` do not go with `protocol = \"json-server\"`";
        report.mistake(span, message, "a server that finds its answer wrong can say `crashed`");
    }
    if settings.setup.is_some() || settings.teardown.is_some() {
        let message = "`setup` and `teardown` do not go with `protocol = \"json-server\"`";
        report.mistake(span, message, "what a server needs before its first trial, it does when it starts");
    }
}

/// What is minimised can be had, and capped, with the protocol.
fn fits(report: &mut Report<'_>, protocol: Protocol, outputs: &[Output], read: &objective::Read) {
    let objective = &read.objective;
    let name = match objective.minimise {
        Measure::Output(index) => outputs.get(index).map(|output| output.name.as_str()),
        _ => None,
    };
    let is_time = !matches!(name, Some("quality" | "runlength"));
    if protocol == Protocol::Aclib && objective.capped_by == CappedBy::Argument && !is_time {
        let message = "`objective.capped_by` is `argument`, but the protocol `aclib` tells only a time";
        report.mistake(read.capped_by_span, message, "minimise `runtime`, or leave `capped_by` out");
    }
    if protocol == Protocol::JsonServer && objective.minimise == Measure::Memory {
        let message = "`objective.minimise`: the memory of a process that lives on is not that of a trial";
        report.mistake(read.cutoff_span, message, "use `protocol = \"json\"`");
    }
}
