//! The table `[constraints]`: bounds on outputs other than the objective.
//!
//! The engine supports only `value <= bound`, so both the bound and the values are negated for a lower bound.
//! All sign changes happen in [`Side`]: on the way to the engine ([`Constraint::reading`],
//! [`Constraint::for_engine`]) and on the way back ([`Constraint::shown`]).

use std::fmt;

use confine::quantity::{parse_duration, parse_size};
use engine::Reading;
use engine::problem::constraint::{self, CONFIDENCE};
use engine::problem::{Holding, Over, Side};
use engine::propose::Learner;
use space::{Span, nearest, suggestion};
use toml::de::DeValue;

use super::objective::Measure;
use super::report::{Found, Report, Section, Value, place_of};

/// The unit of a bound relative to the default.
const RELATIVE: &str = "x default";

/// Quantity that a constraint can bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bounded {
    /// A measure that could also be the objective.
    Measure(Measure),
    /// 1 if the trial finished, 0 if it timed out or failed.
    Solved,
}

/// One bound on an output.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// Name of the bounded output.
    pub name: String,
    /// The quantity that the name refers to.
    pub of: Bounded,
    /// The allowed side of the bound.
    pub side: Side,
    /// The bound, in seconds, bytes or the unit of the output; a factor if it is relative.
    pub bound: f64,
    /// Whether the bound applies to the ratio of the output to the default's output on the same pair.
    pub relative: bool,
    /// Whether the bound applies to the mean over a configuration's pairs or to the worst pair.
    pub over: Over,
    /// Confidence that is required before a race drops a challenger because its mean violates the bound.
    pub confidence: f64,
    /// The surrogate for this output. By default, it is the one that models the cost.
    pub surrogate: Option<Learner>,
}

impl Constraint {
    /// Returns the constraint in the engine's form.
    pub fn for_engine(&self) -> constraint::Constraint {
        let Self { relative, over, confidence, .. } = *self;
        constraint::Constraint { bound: self.side.signed(self.bound), relative, over, confidence }
    }

    /// Converts a trial's reading to the engine's form. Returns `None` if the reading is only a lower bound
    /// and the constraint requires a minimum, because such a reading cannot show a violation.
    pub fn reading(&self, reported: Reading) -> Option<Reading> {
        self.side.reading(reported)
    }

    /// Converts a value from the engine's form to the user's.
    pub fn shown(&self, value: f64) -> f64 {
        self.side.signed(value)
    }

    /// Returns `<=` or `>=`.
    pub const fn sign(&self) -> &'static str {
        self.side.sign()
    }

    /// Returns the bounded output and the allowed side. Constraints for which these are equal have the same
    /// readings.
    pub fn subject(&self) -> (&str, Side) {
        (&self.name, self.side)
    }
}

/// Returns whether all constraints are satisfied, as far as is known.
pub fn are_kept(holdings: &[Holding]) -> bool {
    holdings.iter().all(Holding::is_kept)
}

/// Reads the table. Constraints are sorted by name, so their order in the file has no effect.
pub(super) fn read(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    outputs: &[String],
) -> Option<Vec<Constraint>> {
    let before = report.mistakes.len();
    let mut all = Vec::new();
    for (name, found) in section.entries() {
        let Some(of) = bounded(report, &name, &found, outputs) else { continue };
        let own: Vec<(Span, Constraint)> =
            items(report, &found).iter().filter_map(|item| one(report, &name, of, item)).collect();
        check_compatible(report, &found, &own);
        all.extend(own.into_iter().map(|(_, constraint)| constraint));
    }
    sort(&mut all);
    (report.mistakes.len() == before).then_some(all)
}

/// Finds what a name refers to. Outputs take precedence over quantities that captune measures itself.
fn bounded(
    report: &mut Report<'_>,
    name: &str,
    found: &Found<'_, '_>,
    outputs: &[String],
) -> Option<Bounded> {
    if let Some(place) = outputs.iter().position(|output| output == name) {
        return Some(Bounded::Measure(Measure::Output(place)));
    }
    if name == "solved" {
        return Some(Bounded::Solved);
    }
    if let Some((_, measure)) = Measure::NAMED.iter().find(|(known, _)| *known == name) {
        return Some(Bounded::Measure(*measure));
    }
    let built_in = Measure::NAMED.iter().map(|(known, _)| *known).chain(["solved"]);
    let known: Vec<&str> = outputs.iter().map(String::as_str).chain(built_in).collect();
    let hint = suggestion(name, known.iter().copied()).unwrap_or_else(|| {
        format!("expected one of {}; declare other numbers in `[outputs]`", known.join(", "))
    });
    report.mistake(found.key_span, format!("`{}`: there is no output `{name}`", found.key), hint);
    None
}

/// Returns the items of a list of bounds. A single bound is returned as a list of one.
fn items<'a, 't>(report: &mut Report<'_>, found: &Found<'a, 't>) -> Vec<Found<'a, 't>> {
    match found.value.get_ref() {
        DeValue::Array(list) if list.is_empty() => {
            report.mistake(
                found.span(),
                format!("`{}` is empty", found.key),
                "add an entry, or remove the key",
            );
            Vec::new()
        }
        DeValue::Array(list) => {
            let item = |(index, value): (usize, &'a Value<'t>)| Found {
                key: format!("{}[{index}]", found.key),
                key_span: found.key_span,
                value,
            };
            list.iter().enumerate().map(item).collect()
        }
        _ => vec![found.clone()],
    }
}

fn one(report: &mut Report<'_>, name: &str, of: Bounded, item: &Found<'_, '_>) -> Option<(Span, Constraint)> {
    let (mut over, mut confidence, mut surrogate) = (Some(Over::Mean), Some(CONFIDENCE), Some(None));
    let bound = match item.value.get_ref() {
        DeValue::Table(table) => {
            let mut bound = None;
            for (key, value) in table {
                let key_span = place_of(key);
                let part = Found { key: format!("{}.{}", item.key, key.get_ref()), key_span, value };
                match key.get_ref().as_ref() {
                    "bound" => bound = Some(part),
                    "over" => {
                        over = report.word(&part, &["mean", "max"]).map(|word| match word {
                            "max" => Over::Max,
                            _ => Over::Mean,
                        });
                    }
                    "confidence" => confidence = read_confidence(report, &part),
                    "surrogate" => {
                        surrogate = report.word(&part, &learners_of_outputs()).map(Learner::named);
                    }
                    other => {
                        let names = ["bound", "over", "confidence", "surrogate"];
                        let known = || format!("known keys: {}", names.join(", "));
                        let hint = suggestion(other, names).unwrap_or_else(known);
                        report.mistake(key_span, format!("unknown key `{}`", part.key), hint);
                    }
                }
            }
            if over == Some(Over::Max)
                && let Some((key, _)) = table.get_key_value("confidence")
            {
                let message =
                    format!("`{}.confidence` has no effect: one pair is enough to violate a `max`", item.key);
                report.warn(place_of(key), message, "remove it, or write `over = \"mean\"`");
            }
            let misspelt = || table.keys().any(|key| nearest(key.get_ref(), ["bound"]).is_some());
            if bound.is_none() && !misspelt() {
                let hint = "write `{ bound = \"<= 0.05\", over = \"max\" }`";
                report.mistake(item.span(), format!("`{}.bound` is missing", item.key), hint);
            }
            bound?
        }
        _ => item.clone(),
    };
    let span = bound.span();
    let Written { side, bound, relative } = read_bound(report, &bound, of)?;
    let (over, confidence, surrogate) = (over?, confidence?, surrogate?);
    Some((span, Constraint { name: name.to_owned(), of, side, bound, relative, over, confidence, surrogate }))
}

fn read_confidence(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<f64> {
    let number = report.number(found)?;
    if number > 0.5 && number < 1.0 {
        return Some(number);
    }
    let message = format!("`{}` is {number}, but must be above 0.5 and below 1", found.key);
    report.mistake(
        found.span(),
        message,
        "write a number such as 0.9, which drops a challenger once it is infeasible with 90 % confidence",
    );
    None
}

/// A bound as written in the scenario.
struct Written {
    side: Side,
    /// The number, in the unit of the bounded output; a factor if it is relative.
    bound: f64,
    relative: bool,
}

/// Reads a bound, such as `<= 0.05` or `<= 1.02x default`.
fn read_bound(report: &mut Report<'_>, found: &Found<'_, '_>, of: Bounded) -> Option<Written> {
    let example = match of {
        Bounded::Measure(measure) if measure.is_time() => "<= 5s",
        Bounded::Measure(Measure::Memory) => "<= 2GiB",
        Bounded::Measure(_) => "<= 0.05",
        Bounded::Solved => ">= 0.9",
    };
    let DeValue::String(text) = found.value.get_ref() else {
        let message = format!("`{}` must be a bound in quotes", found.key);
        report.mistake(found.span(), message, format!("write `\"{example}\"`"));
        return None;
    };
    let text = text.trim();
    let sides = [("<=", Side::AtMost), (">=", Side::AtLeast), ("≤", Side::AtMost), ("≥", Side::AtLeast)];
    let side = sides.into_iter().find_map(|(sign, side)| Some((side, text.strip_prefix(sign)?.trim())));
    let Some((side, number)) = side.filter(|(_, number)| !number.is_empty()) else {
        let hint = match text.chars().next() {
            Some('<') if !text.starts_with("<=") => {
                format!("bounds are inclusive: write `<=`, as in `\"{example}\"`")
            }
            Some('>') if !text.starts_with(">=") => "bounds are inclusive: write `>=`".to_owned(),
            Some('=') => "write a range as a list of two bounds: `[\">= 1\", \"<= 2\"]`".to_owned(),
            _ => format!("write `<=` or `>=` and a number: `\"{example}\"`"),
        };
        report.mistake(found.span(), format!("`{}` is not a bound: `{text}`", found.key), hint);
        return None;
    };
    let factor = relative_factor(number);
    let relative = factor.is_some();
    let bound = match of {
        Bounded::Solved if relative => {
            let message = format!("`{}`: `solved` cannot be relative to the default", found.key);
            report.mistake(found.span(), message, "bound the share of trials itself: write `\">= 0.9\"`");
            return None;
        }
        _ if relative => positive_factor(factor.unwrap_or_default()),
        Bounded::Measure(measure) if measure.is_time() => {
            parse_duration(number).map(|time| time.as_secs_f64()).map_err(|error| error.why)
        }
        Bounded::Measure(Measure::Memory) => {
            parse_size(number).map(|bytes| bytes as f64).map_err(|error| error.why)
        }
        Bounded::Measure(_) | Bounded::Solved => plain_number(number),
    };
    let bound = match bound {
        Ok(bound) => bound,
        Err(why) => {
            let message = format!("`{}`: `{number}` is not a valid bound: {why}", found.key);
            let hint = format!("write a bound such as `\"{example}\"` or `\"<= 1.02x default\"`");
            report.mistake(found.span(), message, hint);
            return None;
        }
    };
    let censored = matches!(of, Bounded::Measure(measure) if !matches!(measure, Measure::Output(_)));
    if censored && side == Side::AtLeast {
        let message = format!("`{}`: times and memory cannot have a lower bound", found.key);
        let hint = "a stopped trial gives only a lower bound on its time or memory; write `<=`";
        report.mistake(found.span(), message, hint);
        return None;
    }
    if of == Bounded::Solved && !(0.0..=1.0).contains(&bound) {
        let message = format!("`{}`: {bound} is not a share of solved trials", found.key);
        report.mistake(found.span(), message, "a share is between 0 and 1: write `\">= 0.9\"` for 90 %");
        return None;
    }
    Some(Written { side, bound, relative })
}

/// Returns the factor of a bound relative to the default, `1.02x default`, as text.
fn relative_factor(text: &str) -> Option<&str> {
    let factor = text.strip_suffix("default").or_else(|| text.strip_suffix("baseline"))?.trim_end();
    let factor = factor.strip_suffix(" the").unwrap_or(factor).trim_end();
    Some(factor.strip_suffix(['x', '*', '×'])?.trim_end())
}

fn positive_factor(text: &str) -> Result<f64, String> {
    match plain_number(text) {
        Ok(factor) if factor <= 0.0 => Err("the factor must be positive".to_owned()),
        other => other,
    }
}

fn plain_number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err("it is not a finite number".to_owned()),
        Err(_) => Err("expected a plain number without a unit".to_owned()),
    }
}

/// Reports bounds on the same output that contradict each other or are duplicates.
fn check_compatible(report: &mut Report<'_>, found: &Found<'_, '_>, own: &[(Span, Constraint)]) {
    for (place, (span, one)) in own.iter().enumerate() {
        for (_, other) in &own[..place] {
            let (low, high) = if one.side == Side::AtLeast { (one, other) } else { (other, one) };
            if one.side == other.side && one.over == other.over {
                let message = format!("`{}` has two bounds of the same kind: {other} and {one}", found.key);
                report.mistake(*span, message, "keep only the stricter one");
            } else if low.side != high.side && low.relative == high.relative && low.bound > high.bound {
                // No value satisfies both bounds, whether they apply to the mean or to the worst pair.
                let message = format!("`{}` cannot be satisfied: {low} and {high}", found.key);
                report.mistake(
                    *span,
                    message,
                    "no number satisfies both: lower the lower bound or raise the upper bound",
                );
            }
        }
    }
}

/// Formats the constraint, as in `error <= 0.05`. The bound is a plain number in its own unit.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = if self.over == Over::Max { "every " } else { "" };
        let unit = if self.relative { RELATIVE } else { "" };
        write!(f, "{over}{} {} {}{unit}", self.name, self.side.sign(), self.bound)
    }
}

/// Returns the bounds of an entry. Mistakes in it were already reported when the scenario was read.
fn of_entry(name: &str, value: &Value<'_>) -> Vec<Constraint> {
    let mut report = Report::new("");
    let found = Found { key: name.to_owned(), key_span: Span::NONE, value };
    let measure = Measure::NAMED.iter().find(|(known, _)| *known == name);
    let of = Bounded::Measure(measure.map_or(Measure::Output(0), |(_, measure)| *measure));
    let items = items(&mut report, &found);
    items.iter().filter_map(|item| Some(one(&mut report, name, of, item)?.1)).collect()
}

/// Returns the words for the learners that can learn a constrained output.
fn learners_of_outputs() -> Vec<&'static str> {
    let named = Learner::ALL.iter().filter_map(|learner| Learner::named(learner.word()));
    named.filter(|learner| learner.keys().outputs).map(Learner::word).collect()
}

/// Returns an entry of the table in canonical form.
pub(super) fn meaning(name: &str, value: &Value<'_>) -> String {
    let mut all = of_entry(name, value);
    all.sort_by_key(|one| (one.side, one.over));
    let shown = |one: &Constraint| {
        let over = if one.over == Over::Max { ", max" } else { "" };
        let usual = one.confidence == CONFIDENCE || one.over == Over::Max;
        let sure = if usual { String::new() } else { format!(", confidence {}", one.confidence) };
        let by = one.surrogate.map_or(String::new(), |learner| format!(", surrogate {}", learner.word()));
        let unit = if one.relative { RELATIVE } else { "" };
        format!("\"{} {}{unit}\"{over}{sure}{by}", one.side.sign(), one.bound)
    };
    all.iter().map(shown).collect::<Vec<_>>().join(" and ")
}

/// Returns the subjects of a table's constraints, in the order of the constraints.
pub(super) fn subjects(section: &Section<'_, '_>) -> Vec<(String, Side)> {
    let entries = section.entries();
    let mut all: Vec<Constraint> =
        entries.iter().flat_map(|(name, found)| of_entry(name, found.value)).collect();
    sort(&mut all);
    all.into_iter().map(|one| (one.name, one.side)).collect()
}

fn sort(all: &mut [Constraint]) {
    all.sort_by(|a, b| (a.subject(), a.over).cmp(&(b.subject(), b.over)));
}

/// Returns whether every side that `own` bounds is also bounded by `other`. Both are texts from [`meaning`].
pub(super) fn is_within(own: &str, other: &str) -> bool {
    [Side::AtMost, Side::AtLeast].iter().all(|side| !own.contains(side.sign()) || other.contains(side.sign()))
}
