//! The table `[constraints]`: bounds on outputs other than what is minimised.
//!
//! The engine knows one side only, `value <= bound`. A bound from below is kept there by its negative, as
//! are the values that it bounds: [`Side`] is the one place where the sign changes, on the way in
//! ([`Constraint::reading`], [`Constraint::for_engine`]) and on the way out ([`Constraint::shown`]).

use std::fmt;

use confine::quantity::{parse_duration, parse_size};
use engine::Reading;
use engine::problem::constraint::{self, CONFIDENCE};
use engine::problem::{Holding, Over};
use space::{Span, nearest, suggestion};
use toml::de::DeValue;

use super::objective::Measure;
use super::report::{Found, Report, Section, Value, place_of};
use super::settings::SurrogateKind;

/// What may be bounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bounded {
    /// What an objective may be, too.
    Measure(Measure),
    /// 1 if the trial finished, 0 if it timed out or failed.
    Solved,
}

/// Which side of the bound is allowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The bound or less.
    AtMost,
    /// The bound or more.
    AtLeast,
}

impl Side {
    const fn sign(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
        }
    }

    /// A number of the user as the engine's, and back.
    fn turned(self, number: f64) -> f64 {
        match self {
            Self::AtMost => number,
            // Never a negative zero.
            Self::AtLeast => 0.0 - number,
        }
    }
}

/// One bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// The name of what is bounded.
    pub name: String,
    /// What that is.
    pub of: Bounded,
    /// Which side is allowed.
    pub side: Side,
    /// The bound, in seconds, bytes or the unit of the output.
    pub bound: f64,
    /// Over the pairs of a configuration: their mean, or the worst of them.
    pub over: Over,
    /// How sure a race must be that a mean is beyond the bound before it drops a challenger for that.
    pub confidence: f64,
    /// What models the output; as the cost is modelled if nothing is said.
    pub surrogate: Option<SurrogateKind>,
}

impl Constraint {
    /// As the engine sees it.
    pub fn for_engine(&self) -> constraint::Constraint {
        let (over, confidence) = (self.over, self.confidence);
        constraint::Constraint { bound: self.side.turned(self.bound), over, confidence }
    }

    /// What a trial told of it, as the engine sees it. At least so much proves nothing of a bound from
    /// below.
    pub fn reading(&self, told: Reading) -> Option<Reading> {
        match (told, self.side) {
            (Reading::Exact(value), side) => Some(Reading::Exact(side.turned(value))),
            (Reading::AtLeast(_), Side::AtMost) => Some(told),
            (Reading::AtLeast(_), Side::AtLeast) => None,
        }
    }

    /// A value of the engine as the user's.
    pub fn shown(&self, value: f64) -> f64 {
        self.side.turned(value)
    }

    /// `<=` or `>=`.
    pub const fn sign(&self) -> &'static str {
        self.side.sign()
    }

    /// What it bounds and in which direction: two that agree in this have the same readings.
    pub fn subject(&self) -> (&str, Side) {
        (&self.name, self.side)
    }
}

/// Whether all constraints are kept, as far as seen.
pub fn are_kept(holdings: &[Holding]) -> bool {
    holdings.iter().all(Holding::is_kept)
}

/// Reads the table. Constraints are sorted by name, so that the order of the file means nothing.
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
        fit_each_other(report, &found, &own);
        all.extend(own.into_iter().map(|(_, constraint)| constraint));
    }
    sort(&mut all);
    (report.mistakes.len() == before).then_some(all)
}

/// What a name stands for: an output goes before what captune measures itself.
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
        format!("it is one of {}; other numbers are described in `[outputs]`", known.join(", "))
    });
    report.mistake(found.key_span, format!("`{}`: there is no output `{name}`", found.key), hint);
    None
}

/// A bound alone, or each of a list.
fn items<'a, 't>(report: &mut Report<'_>, found: &Found<'a, 't>) -> Vec<Found<'a, 't>> {
    match found.value.get_ref() {
        DeValue::Array(list) if list.is_empty() => {
            report.mistake(found.span(), format!("`{}` is empty", found.key), "leave it out, or fill it");
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
                        surrogate = report.word(&part, &["forest", "gaussian"]).map(|word| match word {
                            "forest" => Some(SurrogateKind::Forest),
                            _ => Some(SurrogateKind::Gaussian),
                        });
                    }
                    other => {
                        let names = ["bound", "over", "confidence", "surrogate"];
                        let known = || format!("known here are {}", names.join(", "));
                        let hint = suggestion(other, names).unwrap_or_else(known);
                        report.mistake(key_span, format!("unknown key `{}`", part.key), hint);
                    }
                }
            }
            if over == Some(Over::Max)
                && let Some((key, _)) = table.get_key_value("confidence")
            {
                let message = format!("`{}.confidence` says nothing: one pair proves a `max`", item.key);
                report.warn(place_of(key), message, "leave it out, or write `over = \"mean\"`");
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
    let (side, bound) = read_bound(report, &bound, of)?;
    let (over, confidence, surrogate) = (over?, confidence?, surrogate?);
    Some((span, Constraint { name: name.to_owned(), of, side, bound, over, confidence, surrogate }))
}

fn read_confidence(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<f64> {
    let number = report.number(found)?;
    if number > 0.5 && number < 1.0 {
        return Some(number);
    }
    let message = format!("`{}` is {number}, but must be above 0.5 and below 1", found.key);
    report.mistake(found.span(), message, "0.9 drops a challenger when it is infeasible with 90 % certainty");
    None
}

/// A side and a number in the unit of what is bounded.
fn read_bound(report: &mut Report<'_>, found: &Found<'_, '_>, of: Bounded) -> Option<(Side, f64)> {
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
                format!("a bound may be reached: write `\"{example}\"` with `<=`")
            }
            Some('>') if !text.starts_with(">=") => "a bound may be reached: write it with `>=`".to_owned(),
            Some('=') => {
                "nothing is measured so exactly: write a list of two, `[\">= 1\", \"<= 2\"]`".to_owned()
            }
            _ => format!("write `<=` or `>=` and a number: `\"{example}\"`"),
        };
        report.mistake(found.span(), format!("`{}` is no bound: `{text}`", found.key), hint);
        return None;
    };
    let bound = match of {
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
            let message = format!("`{}`: `{number}` cannot be the bound: {why}", found.key);
            report.mistake(found.span(), message, format!("write it as in `\"{example}\"`"));
            return None;
        }
    };
    let censored = matches!(of, Bounded::Measure(measure) if !matches!(measure, Measure::Output(_)));
    if censored && side == Side::AtLeast {
        let message = format!("`{}`: times and memory have no bound from below", found.key);
        let hint = "a trial that is stopped shows how much it used at least, never how little";
        report.mistake(found.span(), message, hint);
        return None;
    }
    if of == Bounded::Solved && !(0.0..=1.0).contains(&bound) {
        let message = format!("`{}`: the share of trials solved is never {bound}", found.key);
        report.mistake(found.span(), message, "it is from 0 to 1: write `\">= 0.9\"` for nine of ten");
        return None;
    }
    Some((side, bound))
}

fn plain_number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err("it is not a finite number".to_owned()),
        Err(_) => Err("it is not a plain number, without a unit".to_owned()),
    }
}

/// Several bounds on one output leave something between them, and none is said twice.
fn fit_each_other(report: &mut Report<'_>, found: &Found<'_, '_>, own: &[(Span, Constraint)]) {
    for (place, (span, one)) in own.iter().enumerate() {
        for (_, other) in &own[..place] {
            let (low, high) = if one.side == Side::AtLeast { (one, other) } else { (other, one) };
            if one.side == other.side && one.over == other.over {
                let message = format!("`{}` has two bounds of one kind: {other} and {one}", found.key);
                report.mistake(*span, message, "keep the one that is harder to keep");
            } else if low.side != high.side && low.bound > high.bound {
                // Whether over the mean or the worst pair: nothing lies between.
                let message = format!("`{}` cannot be kept: {low} and {high}", found.key);
                report.mistake(*span, message, "no number is both: raise the one or lower the other");
            }
        }
    }
}

/// `error <= 0.05`, with the bound in its own unit as a plain number.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = if self.over == Over::Max { "every " } else { "" };
        write!(f, "{over}{} {} {}", self.name, self.side.sign(), self.bound)
    }
}

/// The bounds of an entry, of which mistakes were found when it was read.
fn of_entry(name: &str, value: &Value<'_>) -> Vec<Constraint> {
    let mut report = Report::new("");
    let found = Found { key: name.to_owned(), key_span: Span::NONE, value };
    let measure = Measure::NAMED.iter().find(|(known, _)| *known == name);
    let of = Bounded::Measure(measure.map_or(Measure::Output(0), |(_, measure)| *measure));
    let items = items(&mut report, &found);
    items.iter().filter_map(|item| Some(one(&mut report, name, of, item)?.1)).collect()
}

/// What an entry of the table says, in one way of saying it.
pub(super) fn meaning(name: &str, value: &Value<'_>) -> String {
    let mut all = of_entry(name, value);
    all.sort_by_key(|one| (one.side, one.over));
    let shown = |one: &Constraint| {
        let over = if one.over == Over::Max { ", max" } else { "" };
        let usual = one.confidence == CONFIDENCE || one.over == Over::Max;
        let sure = if usual { String::new() } else { format!(", confidence {}", one.confidence) };
        let by = match one.surrogate {
            None => "",
            Some(SurrogateKind::Gaussian) => ", surrogate gaussian",
            Some(_) => ", surrogate forest",
        };
        format!("\"{} {}\"{over}{sure}{by}", one.side.sign(), one.bound)
    };
    all.iter().map(shown).collect::<Vec<_>>().join(" and ")
}

/// What the constraints of a table bound, in their order.
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

/// Whether every side that one meaning bounds is bounded by the other.
pub(super) fn is_within(own: &str, other: &str) -> bool {
    [Side::AtMost, Side::AtLeast].iter().all(|side| !own.contains(side.sign()) || other.contains(side.sign()))
}
