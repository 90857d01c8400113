//! What the writers of the two PCS formats share.

use super::super::expression::{Comparison, Formula, Quantity, number_text};
use super::super::{Domain, Kind, Parameter, Range, Space};
use super::pcs::Age;
use super::refusal::Refusals;
use super::scan::comment;

/// The line of a parameter; what the format cannot say is noted.
pub(super) fn parameter(parameter: &Parameter, age: Age, refusals: &mut Refusals<'_>) -> String {
    let name = parameter.name();
    if !is_name(name, age) {
        refusals.add("names with spaces, brackets, quotes, `,` `|` `=` `#` or the like", name);
    }
    if parameter.fixed().is_some() {
        refusals.add("fixed values", name);
    }
    if parameter.switch().is_some() {
        refusals.add("switches", name);
    }
    let note = parameter.note().map(comment);
    if note == Some(None) {
        refusals.add("notes of several lines", name);
    }
    let default = parameter.default().map_or_else(String::new, |value| match value.number() {
        Some(value) if parameter.range().is_some() => number(value),
        _ => value.to_string(),
    });
    let (kind, values, tail) = match parameter.domain() {
        Domain::Choices(choices) => {
            if choices.weights().is_some() {
                refusals.add("weights", name);
            }
            if !choices.values().iter().all(|value| is_value(&value.to_string(), age)) {
                refusals.add("values with spaces, brackets, `,` `#` or the like", name);
            }
            let all: Vec<u32> = (0..choices.count() as u32).collect();
            let kind = if parameter.kind() == Kind::Ordinal { "ordinal " } else { "categorical " };
            (kind, format!("{{{}}}", value_list(parameter, &all)), "")
        }
        Domain::Range(range) => {
            let kind = if range.integer() { "integer " } else { "real " };
            (kind, bounds(name, range, refusals), suffix(range, age))
        }
    };
    let kind = if age == Age::New { kind } else { "" };
    format!("{name} {kind}{values} [{default}]{tail}{}\n", note.flatten().unwrap_or_default())
}

fn bounds(name: &str, range: &Range, refusals: &mut Refusals<'_>) -> String {
    if range.step().is_some() {
        refusals.add("steps", name);
    }
    match range.fixed_bounds() {
        Some((lower, upper)) => format!("[{}, {}]", number(lower), number(upper)),
        None => {
            refusals.add("bounds that depend on other parameters", name);
            String::new()
        }
    }
}

fn suffix(range: &Range, age: Age) -> &'static str {
    match (age, range.integer(), range.log()) {
        (Age::New, _, true) => " log",
        (Age::Old, true, true) => "il",
        (Age::Old, true, false) => "i",
        (Age::Old, false, true) => "l",
        (_, _, false) => "",
    }
}

/// A number of a range: whole ones without a point.
pub(super) fn number(value: f64) -> String {
    number_text(value)
}

/// The values with these indices, separated by commas.
pub(super) fn value_list(parameter: &Parameter, choices: &[u32]) -> String {
    let text = |&choice: &u32| parameter.literal(f64::from(choice)).to_string();
    choices.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The line `{a = 1, b = 2}`; `None` if the clause is anything else. Only the new format may name
/// numbers and ordinal values.
pub(super) fn classic(space: &Space, clause: &Formula, age: Age) -> Option<String> {
    let parts = match clause {
        Formula::All(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let pair = |part: &Formula| match part {
        Formula::Member { parameter, choices, negated: false, .. } if choices.len() == 1 => {
            let parameter = space.parameter(*parameter);
            let value = value_list(parameter, choices);
            let readable = !["=", "&&", "||"].iter().any(|sign| value.contains(sign));
            readable.then(|| format!("{} = {value}", parameter.name()))
        }
        Formula::Compare {
            comparison: Comparison::Equal,
            left: Quantity::Parameter(id),
            right: Quantity::Constant(value),
        } if age == Age::New => Some(format!("{} = {}", space.parameter(*id).name(), number(*value))),
        _ => None,
    };
    let pairs = parts.iter().map(pair).collect::<Option<Vec<_>>>()?;
    (!pairs.is_empty()).then(|| format!("{{{}}}\n", pairs.join(", ")))
}

fn is_name(name: &str, age: Age) -> bool {
    is_printable(name, age)
        && !name.contains(|c: char| c.is_whitespace() || "{}[]()|,#=\"'".contains(c))
        && !name.contains("&&")
}

fn is_value(value: &str, age: Age) -> bool {
    let spaced = age == Age::New && value.contains(|c: char| c.is_whitespace());
    let joined = age == Age::New && (value.contains("&&") || value.contains("||"));
    let cut = value.contains(|c| "{}[],#".contains(c)) || value.trim() != value || value.is_empty();
    is_printable(value, age) && !spaced && !joined && !cut
}

fn is_printable(text: &str, age: Age) -> bool {
    !text.contains(char::is_control) && (age == Age::Old || text.is_ascii())
}
