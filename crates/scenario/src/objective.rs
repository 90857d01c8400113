//! The table `[objective]`: the quantity to minimise, how it is measured, and its cutoff.
//!
//! Costs are plain numbers from here on: seconds, bytes, or the unit of an output.

use space::{Span, suggestion};

use super::protocol::Protocol;
use super::report::{Found, Report, Section};

/// The quantity to minimise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    /// CPU time of the whole process tree, in seconds.
    CpuTime,
    /// Wall-clock time, in seconds.
    WallTime,
    /// Peak memory of the process tree, in bytes.
    Memory,
    /// A number that the target reports: its index in [`Scenario::outputs`](super::Scenario::outputs).
    Output(usize),
}

impl Measure {
    /// The measures that captune takes itself, with their names in scenarios.
    pub const NAMED: [(&'static str, Self); 3] =
        [("cpu_time", Self::CpuTime), ("wall_time", Self::WallTime), ("memory", Self::Memory)];

    /// Returns whether the measure is a time.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::CpuTime | Self::WallTime)
    }
}

/// The mechanism that stops a trial at its cap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CappedBy {
    /// captune stops it.
    Time,
    /// The target stops itself. The target gets its cap through `{cap}`.
    Argument,
    /// Nothing stops it, because costs do not grow while a trial runs.
    Nobody,
}

/// Direction of improvement. The search always minimises, so the cost of a maximised output is its negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sense {
    /// Lower values are better.
    Minimise,
    /// Higher values are better.
    Maximise,
}

impl Sense {
    /// Returns the cost for a measured value.
    pub fn cost(self, measured: f64) -> f64 {
        match self {
            Self::Minimise => measured,
            // Subtracting avoids a negative zero.
            Self::Maximise => 0.0 - measured,
        }
    }

    /// Converts a cost, or a mean of costs, to the value that the user measures. Every number that the search
    /// shows to a person or a program is converted here.
    pub fn shown(self, cost: f64) -> f64 {
        self.cost(cost)
    }
}

/// The objective: the quantity to minimise, and its cutoff.
#[derive(Clone, PartialEq, Debug)]
pub struct Objective {
    /// The measured quantity, which is minimised unless `sense` is [`Sense::Maximise`].
    pub minimise: Measure,
    /// Direction of improvement.
    pub sense: Sense,
    /// The output that decides between two timeouts: its index in
    /// [`Scenario::outputs`](super::Scenario::outputs).
    pub then: Option<usize>,
    /// The cutoff: the largest cost that a trial may reach.
    pub cutoff: Option<f64>,
    /// Penalty factor: a trial without a cost counts as this many cutoffs.
    pub par: f64,
    /// The mechanism that stops a trial at its cap.
    pub capped_by: CappedBy,
    /// The smallest cost that the measurement resolves; 0 if nothing is capped.
    pub grain: f64,
}

/// The objective, and the places of its keys in the file.
pub(super) struct Read {
    pub(super) objective: Objective,
    pub(super) cutoff_span: Span,
    pub(super) capped_by_span: Span,
}

pub(super) fn read(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    outputs: &[String],
    protocol: Protocol,
) -> Option<Read> {
    let hint = "write `minimise = \"cpu_time\"` in `[objective]`";
    let (found, maximise) = match (section.get("minimise"), section.get("maximise")) {
        (Some(_), Some(found)) => {
            let message = "`objective.maximise` and `minimise` cannot both be set";
            report.mistake(found.key_span, message, "a campaign has one objective: remove one of them");
            (None, true)
        }
        (None, Some(found)) => (Some(found), true),
        (_, None) => (report.required(section, "minimise", hint), false),
    };
    let measure = found.as_ref().and_then(|found| measure(report, found, outputs));
    let measure = match (&found, maximise) {
        (Some(found), true) => maximised(report, section, found, measure),
        _ => measure,
    };
    let then = section.get("then").map(|found| then(report, section, &found, outputs));
    let par = match section.get("par") {
        None => Some(10.0),
        Some(found) => at_least_one(report, &found),
    };
    // The other keys use the unit of the minimised quantity.
    let measure = measure?;
    let capped = section.get("capped_by");
    let capped_by = match &capped {
        _ if maximise => Some(CappedBy::Nobody),
        None if measure.is_time() => Some(CappedBy::Time),
        None => Some(CappedBy::Nobody),
        Some(found) => capped_by(report, found, measure),
    };
    let cutoff = section.get("cutoff");
    let cutoff_span = cutoff.as_ref().map_or(section.span, Found::span);
    let cutoff = match &cutoff {
        Some(found) => cost(report, found, measure).map(Some),
        None => Some(None),
    };
    if let (Some(by), Some(None)) = (capped_by, cutoff)
        && by != CappedBy::Nobody
    {
        let hint = if measure.is_time() { "write `cutoff = \"30s\"`" } else { "write `cutoff = 10000`" };
        report.mistake(section.span, "`objective.cutoff` is missing", hint);
    }
    let grain = match section.get("grain") {
        Some(found) => grain(report, &found, measure, cutoff.flatten()),
        None if capped_by == Some(CappedBy::Nobody) => Some(0.0),
        None => default_grain(report, cutoff_span, measure, protocol, cutoff.flatten()),
    };
    let capped_by_span = capped.map_or(section.span, |found| found.span());
    // After a mistake in one of these keys, reading continues with a default value, so that other mistakes
    // are reported too.
    let (par, grain) = (par.unwrap_or(1.0), grain.unwrap_or(0.0));
    let (cutoff, capped_by, then) = (cutoff.flatten(), capped_by?, then.flatten());
    let sense = if maximise { Sense::Maximise } else { Sense::Minimise };
    let objective = Objective { minimise: measure, sense, then, cutoff, par, capped_by, grain };
    Some(Read { objective, cutoff_span, capped_by_span })
}

/// Checks that the quantity can be maximised, and reports other keys that have no meaning in that case.
fn maximised(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    found: &Found<'_, '_>,
    measure: Option<Measure>,
) -> Option<Measure> {
    let output = measure.filter(|measure| matches!(measure, Measure::Output(_)));
    if measure.is_some() && output.is_none() {
        let message = format!("`{}` must be an output", found.key);
        report.mistake(
            found.span(),
            message,
            "times and memory can only be minimised: write `minimise = \"cpu_time\"`",
        );
        return None;
    }
    for key in ["cutoff", "grain"] {
        if let Some(found) = section.get(key) {
            let message = format!("`{}` has no meaning when an output is maximised", found.key);
            let hint = "remove it; to stop a trial that hangs, set `limits.wall`";
            report.mistake(found.span(), message, hint);
        }
    }
    if let Some(found) =
        section.get("capped_by").filter(|found| found.value.get_ref().as_str() != Some("none"))
    {
        let message = format!("`{}`: trials are not capped when an output is maximised", found.key);
        report.mistake(found.span(), message, "leave it out, or write `none`");
    }
    output
}

/// Reads the output that decides between timeouts.
fn then(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    found: &Found<'_, '_>,
    names: &[String],
) -> Option<usize> {
    let name = report.text(found)?;
    let place = names.iter().position(|output| *output == name);
    if place.is_none() {
        let hint = suggestion(&name, names.iter().map(String::as_str));
        let hint = hint.unwrap_or_else(|| "expected the name of an output in `[outputs]`".to_owned());
        report.mistake(found.span(), format!("`{}` cannot be `{name}`", found.key), hint);
    } else if section.get("cutoff").is_none() {
        let message = format!("`{}` decides between timeouts, but there is no cutoff", found.key);
        report.mistake(found.span(), message, "write a `cutoff`, or remove `then`");
        return None;
    }
    place
}

fn measure(report: &mut Report<'_>, found: &Found<'_, '_>, outputs: &[String]) -> Option<Measure> {
    let name = report.text(found)?;
    if let Some((_, measure)) = Measure::NAMED.iter().find(|(known, _)| *known == name) {
        return Some(*measure);
    }
    if let Some(index) = outputs.iter().position(|output| *output == name) {
        return Some(Measure::Output(index));
    }
    let known = Measure::NAMED.iter().map(|(known, _)| *known).chain(outputs.iter().map(String::as_str));
    let hint = suggestion(&name, known.clone()).unwrap_or_else(|| {
        // Only outputs can be maximised.
        let skipped = if found.key.ends_with("maximise") { Measure::NAMED.len() } else { 0 };
        let known: Vec<&str> = known.skip(skipped).chain(["the name of an output in `[outputs]`"]).collect();
        format!("expected {}", known.join(", "))
    });
    report.mistake(found.span(), format!("`{}` cannot be `{name}`", found.key), hint);
    None
}

fn capped_by(report: &mut Report<'_>, found: &Found<'_, '_>, measure: Measure) -> Option<CappedBy> {
    let capped_by = match report.word(found, &["time", "argument", "none"])? {
        "time" => CappedBy::Time,
        "argument" => CappedBy::Argument,
        _ => CappedBy::Nobody,
    };
    let why = match (measure, capped_by) {
        (Measure::Memory, CappedBy::Time | CappedBy::Argument) => "memory cannot be capped: use `none`",
        (Measure::Output(_), CappedBy::Time) => {
            "captune can cap only `cpu_time` and `wall_time`: use `argument` if the target can stop itself, else `none`"
        }
        _ => return Some(capped_by),
    };
    report.mistake(found.span(), format!("`{}`: the objective is not a time", found.key), why);
    None
}

/// Reads a positive cost, in the unit of the minimised quantity.
pub(super) fn cost(report: &mut Report<'_>, found: &Found<'_, '_>, measure: Measure) -> Option<f64> {
    match measure {
        Measure::CpuTime | Measure::WallTime => Some(report.duration(found)?.as_secs_f64()),
        Measure::Memory => Some(report.size(found)? as f64),
        Measure::Output(_) => {
            let number = report.number(found)?;
            if number <= 0.0 {
                let message = format!("`{}` is {number}, but must be more than zero", found.key);
                report.mistake(found.span(), message, "write a number above zero");
                return None;
            }
            Some(number)
        }
    }
}

fn grain(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    measure: Measure,
    cutoff: Option<f64>,
) -> Option<f64> {
    let grain = cost(report, found, measure)?;
    if cutoff.is_some_and(|cutoff| grain >= cutoff) {
        let message = format!("`{}` is not below the cutoff", found.key);
        report.mistake(
            found.span(),
            message,
            "lower the grain: it is the smallest difference that can be measured",
        );
        return None;
    }
    Some(grain)
}

/// Returns the default grain: the smallest difference that can be measured.
fn default_grain(
    report: &mut Report<'_>,
    span: Span,
    measure: Measure,
    protocol: Protocol,
    cutoff: Option<f64>,
) -> Option<f64> {
    let grain = if measure.is_time() { 1e-3 } else { protocol.grain() };
    if let Some(cutoff) = cutoff.filter(|&cutoff| grain >= cutoff) {
        let message = format!("`objective.cutoff` is {cutoff}, but caps are rounded to multiples of {grain}");
        report.mistake(span, message, "set `objective.grain` to the smallest difference that matters");
        return None;
    }
    Some(grain)
}

/// Reads a number that must be at least 1.
pub(super) fn at_least_one(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<f64> {
    let number = report.number(found)?;
    if number < 1.0 {
        let hint = "write 1 or more; this factor must not make costs smaller";
        report.mistake(found.span(), format!("`{}` is {number}, but must be at least 1", found.key), hint);
        return None;
    }
    Some(number)
}
