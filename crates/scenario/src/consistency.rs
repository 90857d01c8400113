//! Checks that involve several tables of a scenario.

use std::time::Duration;

use confine::Limits;
use confine::quantity::{show_duration, show_size};
use engine::Space;
use engine::problem::Over;
use engine::propose::Dependence;
use space::Span;

use super::command::{Argument, CommandTemplate, Piece};
use super::constraints::{Bounded, Constraint};
use super::objective::{CappedBy, Measure, Objective};
use super::protocol::Protocol;
use super::report::{Report, Section};
use super::settings::{Budget, Parallel, Racing, Surrogate, SurrogateKind};
use super::{Instances, Validation, objective, target};

/// Checks that the command has all placeholders that the other tables require, and no others.
pub(super) fn placeholders(
    report: &mut Report<'_>,
    target: &target::Read,
    instances_given: bool,
    objective: Option<&objective::Read>,
    racing: Option<&Racing>,
    repeats_given: bool,
) {
    let command = &target.settings.command;
    let in_request = target.settings.protocol.is_json();
    let before_end = |piece| in_request || target.settings.until_end().any(|command| command.mentions(piece));
    let span = target.command_span;
    match (before_end(&Piece::Instance), instances_given) {
        (false, true) => {
            let hint = "add `{instance}` where the target expects its input";
            report.mistake(span, "the command has no `{instance}`, but there are `[instances]`", hint);
        }
        (true, false) if !in_request => {
            let hint = "add `[instances]` with `files = \"…\"`";
            report.mistake(span, "the command has `{instance}`, but there are no `[instances]`", hint);
        }
        _ => {}
    }
    if let Some(read) = objective {
        let in_call = in_request || command.mentions(&Piece::Seconds);
        match (command.mentions(&Piece::Cap), read.objective.capped_by) {
            (false, CappedBy::Argument) if !in_call => {
                let message = "`objective.capped_by` is `argument`, but the command has no `{cap}`";
                report.mistake(read.capped_by_span, message, "pass the cap to the target with `{cap}`");
            }
            (true, CappedBy::Nobody) => {
                let message = "the command has `{cap}`, but `objective.capped_by` is `none`";
                report.mistake(span, message, "remove `{cap}`, or set `capped_by`");
            }
            _ => {}
        }
    }
    // Without instances, `repeats` means that the same run is measured several times.
    let is_repeated = repeats_given && !instances_given;
    if racing.is_some_and(|racing| !racing.deterministic) && !before_end(&Piece::Seed) && !is_repeated {
        let hint = "pass `{seed}`, or write `deterministic = true` in `[racing]`";
        report.warn(span, "the command has no `{seed}`, but the target is not declared deterministic", hint);
    }
}

/// Checks that the settings needed by `{config_file}` and `{memory}` are given.
pub(super) fn placeholder_settings(report: &mut Report<'_>, target: &target::Read, limits: Option<&Limits>) {
    let settings = &target.settings;
    let mentioned = |piece| settings.commands().any(|command| command.mentions(piece));
    match (mentioned(&Piece::ConfigFile), &settings.config_file) {
        (true, None) => {
            let message = "a command has `{config_file}`, but `target.config_file` is missing";
            let hint = "write `config_file = \"{name} = {value}\"`, or \"json\", \"toml\", \"env\"";
            report.mistake(target.command_span, message, hint);
        }
        (false, Some(_)) => {
            let message = "`target.config_file` is given, but no command has `{config_file}`";
            report.mistake(
                target.command_span,
                message,
                "add `{config_file}` where the target expects its file",
            );
        }
        _ => {}
    }
    if mentioned(&Piece::Memory) && limits.is_some_and(|limits| limits.memory.is_none()) {
        let message = "a command has `{memory}`, but there is no memory limit";
        report.mistake(target.command_span, message, "write `memory = \"2GiB\"` in `[limits]`");
    }
}

/// Checks that every parameter that can vary is passed to the target.
pub(super) fn parameters_are_passed(report: &mut Report<'_>, target: &target::Read, space: &Space) {
    let all_at_once = |command: &CommandTemplate| {
        command.arguments.contains(&Argument::Params) || command.mentions(&Piece::ConfigFile)
    };
    if target.settings.protocol.is_json() || target.settings.until_end().any(all_at_once) {
        return;
    }
    let named = |id| target.settings.until_end().any(|command| command.names(id));
    let missing: Vec<&str> = space
        .ids()
        .filter(|&id| space.parameter(id).is_variable() && !named(id))
        .map(|id| space.parameter(id).name())
        .collect();
    if let Some(first) = missing.first() {
        let more = match missing.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!("not passed to the target: `{first}`{more}");
        report.mistake(target.command_span, message, "add `{params}` or `{config_file}` to the command");
    }
}

/// Checks that folds are validated, because they have no other purpose.
pub(super) fn folds_are_validated(
    report: &mut Report<'_>,
    root: &Section<'_, '_>,
    instances: Option<&Instances>,
    validation: Option<&Validation>,
) {
    let (Some(instances), Some(validation)) = (instances, validation) else { return };
    if instances.folds.is_some() && !validation.at_the_end {
        let span = root.section("validation").get("when").map_or(Span::NONE, |found| found.span());
        let message = "`instances.test` asks for folds, but validation is off";
        report.mistake(span, message, "remove one of the two: folds are used only for validation");
    }
}

/// Warns about bounds that have no effect. These are bounds that no trial can violate because a limit or the
/// cutoff stops it first, and bounds on the mean of the objective itself.
pub(super) fn bounds(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    constraints: &[Constraint],
    objective: &Objective,
    limits: &Limits,
) {
    let span =
        |constraint: &Constraint| section.get(&constraint.name).map_or(Span::NONE, |found| found.span());
    for constraint in constraints.iter().filter(|constraint| !constraint.relative) {
        let Bounded::Measure(measure) = constraint.of else { continue };
        let name = &constraint.name;
        let seconds = |time: Duration| (time.as_secs_f64(), show_duration(time).to_string());
        let cutoff = objective.cutoff.filter(|_| objective.minimise == measure && measure.is_time());
        let cutoff = cutoff.and_then(|cutoff| Duration::try_from_secs_f64(cutoff).ok());
        let most = match measure {
            Measure::CpuTime | Measure::WallTime => {
                let limit = limits.wall.filter(|_| measure == Measure::WallTime);
                let limit = limit.map(|limit| ("limits.wall", seconds(limit)));
                limit.or(cutoff.map(|cutoff| ("objective.cutoff", seconds(cutoff))))
            }
            Measure::Memory => {
                limits.memory.map(|limit| ("limits.memory", (limit as f64, show_size(limit).to_string())))
            }
            Measure::Output(_) => None,
        };
        if let Some((key, (_, shown))) = most.filter(|(_, (most, _))| constraint.bound >= *most) {
            let message =
                format!("no trial can violate `constraints.{name}`: `{key}` stops every trial at {shown}");
            let hint = "lower the bound, raise the limit, or remove the bound";
            report.warn(span(constraint), message, hint);
        } else if measure == objective.minimise && constraint.over == Over::Mean {
            let message = format!(
                "`constraints.{name}` bounds the mean of the cost, which the campaign already minimises"
            );
            let hint = "write `over = \"max\"` to bound every single trial, or remove the bound";
            report.warn(span(constraint), message, hint);
        }
    }
}

/// Checks that the surrogates for constrained outputs are compatible with the surrogate for the cost.
pub(super) fn surrogates(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    constraints: &[Constraint],
    surrogate: &Surrogate,
) {
    for constraint in constraints {
        let Some(own) = constraint.surrogate else { continue };
        let span = section.get(&constraint.name).map_or(Span::NONE, |found| found.span());
        let key = format!("constraints.{}.surrogate", constraint.name);
        if matches!(surrogate.kind, SurrogateKind::Random | SurrogateKind::Local) {
            let message = format!("`{key}` has no effect: there is no model");
            report.warn(span, message, "remove it, or write `kind = \"forest\"` in `[surrogate]`");
        } else if !own.keys().residuals && surrogate.dependence == Dependence::Residuals {
            let message = format!("`{key}` is not `gaussian`, but `surrogate.dependence` requires it");
            report.mistake(span, message, "write `surrogate = \"gaussian\"`, or remove `dependence`");
        }
    }
}

/// Checks that the cutoff fits into the budget (or a fold's share of it) and does not exceed the limits.
pub(super) fn times(
    report: &mut Report<'_>,
    (read, protocol): (&objective::Read, Protocol),
    budget: Option<&Budget>,
    limits: &Section<'_, '_>,
    limit: Option<Duration>,
    parallel: Option<&Parallel>,
    folds: Option<u32>,
) {
    let budget = budget.map(|budget| budget.of_fold(folds));
    let measure = read.objective.minimise;
    let limit_span = limits.get("wall").map_or(limits.span, |found| found.span());
    if !measure.is_time() {
        // A target that gets its cap in seconds is killed only some time after the cap.
        let has_cap = read.objective.capped_by == CappedBy::Argument && protocol.caps_in_seconds();
        if limit.is_none() && !has_cap {
            let hint = "write `wall = \"60s\"` in `[limits]`";
            report.warn(Span::NONE, "a target that hangs would never be stopped", hint);
        }
        return;
    }
    let Some(cutoff) = read.objective.cutoff.and_then(|cutoff| Duration::try_from_secs_f64(cutoff).ok())
    else {
        if limit.is_none() {
            let hint = "write `wall = \"60s\"` in `[limits]`, or a `cutoff`";
            report.warn(Span::NONE, "a target that hangs would never be stopped", hint);
        }
        return;
    };
    // On several cores, CPU time grows faster than wall-clock time.
    let cores = match measure {
        Measure::CpuTime => parallel.map(|parallel| parallel.cores_per_trial),
        _ => Some(1),
    };
    let Some(cores) = cores else { return };
    let wall = budget.as_ref().and_then(|budget| budget.wall).map(|wall| wall.saturating_mul(cores));
    let cpu = budget.as_ref().and_then(|budget| budget.cpu);
    for (name, most) in [("wall", wall), ("cpu", cpu)] {
        if let Some(most) = most.filter(|most| cutoff > *most) {
            let cutoff = show_duration(cutoff);
            let of_fold = folds.map_or_else(String::new, |folds| format!(" for each of {folds} folds"));
            let most = show_duration(most);
            let message = format!("the cutoff of {cutoff} is above `budget.{name}` ({most}{of_fold})");
            report.mistake(
                read.cutoff_span,
                message,
                "lower the cutoff or raise the budget: a single trial could exceed the whole budget",
            );
        }
    }
    let Some(limit) = limit.filter(|limit| limit.saturating_mul(cores) < cutoff) else { return };
    let message =
        format!("`limits.wall` ({}) is below the cutoff of {}", show_duration(limit), show_duration(cutoff));
    let hint = "no trial could reach the cutoff: raise the limit or lower the cutoff";
    match measure {
        Measure::WallTime => report.mistake(limit_span, message, hint),
        _ => report.warn(limit_span, message, hint),
    }
}
