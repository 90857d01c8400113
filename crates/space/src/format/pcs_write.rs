//! Code shared by the writers of the two PCS formats.

use super::super::expression::{Comparison, Formula, Quantity, number_text};
use super::super::{Domain, Kind, Parameter, Range, Space};
use super::pcs::Version;
use super::scan::comment;
use super::unsupported::Unsupported;

/// Writes the line of a parameter and records what the format cannot express.
pub(super) fn parameter(
    parameter: &Parameter,
    version: Version,
    unsupported: &mut Unsupported<'_>,
) -> String {
    let name = parameter.name();
    if !is_name(name, version) {
        unsupported.add("names with spaces, brackets, quotes, `,` `|` `=` `#` or the like", name);
    }
    if parameter.fixed().is_some() {
        unsupported.add("fixed values", name);
    }
    if parameter.switch().is_some() {
        unsupported.add("switches", name);
    }
    let note = parameter.note().map(comment);
    if note == Some(None) {
        unsupported.add("notes with several lines", name);
    }
    let default = parameter.default().map_or_else(String::new, |value| match value.number() {
        Some(value) if parameter.range().is_some() => number(value),
        _ => value.to_string(),
    });
    let (kind, values, tail) = match parameter.domain() {
        Domain::Choices(choices) => {
            if choices.weights().is_some() {
                unsupported.add("weights", name);
            }
            if !choices.values().iter().all(|value| is_value(&value.to_string(), version)) {
                unsupported.add("values with spaces, brackets, `,` `#` or the like", name);
            }
            let all: Vec<u32> = (0..choices.count() as u32).collect();
            let kind = if parameter.kind() == Kind::Ordinal { "ordinal " } else { "categorical " };
            (kind, format!("{{{}}}", value_list(parameter, &all)), "")
        }
        Domain::Range(range) => {
            let kind = if range.integer() { "integer " } else { "real " };
            (kind, bounds(name, range, unsupported), suffix(range, version))
        }
    };
    let kind = if version == Version::New { kind } else { "" };
    format!("{name} {kind}{values} [{default}]{tail}{}\n", note.flatten().unwrap_or_default())
}

fn bounds(name: &str, range: &Range, unsupported: &mut Unsupported<'_>) -> String {
    if range.step().is_some() {
        unsupported.add("steps", name);
    }
    match range.fixed_bounds() {
        Some((lower, upper)) => format!("[{}, {}]", number(lower), number(upper)),
        None => {
            unsupported.add("bounds that depend on other parameters", name);
            String::new()
        }
    }
}

fn suffix(range: &Range, version: Version) -> &'static str {
    match (version, range.integer(), range.log()) {
        (Version::New, _, true) => " log",
        (Version::Old, true, true) => "il",
        (Version::Old, true, false) => "i",
        (Version::Old, false, true) => "l",
        (_, _, false) => "",
    }
}

/// Writes a number; whole numbers have no decimal point.
pub(super) fn number(value: f64) -> String {
    number_text(value)
}

/// Writes the values with these indices, separated by commas.
pub(super) fn value_list(parameter: &Parameter, choices: &[u32]) -> String {
    let text = |&choice: &u32| parameter.literal(f64::from(choice)).to_string();
    choices.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Writes the line `{a = 1, b = 2}`; `None` if the clause is anything else. Only the new format may
/// mention numbers and ordinal values.
pub(super) fn classic(space: &Space, clause: &Formula, version: Version) -> Option<String> {
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
        } if version == Version::New => Some(format!("{} = {}", space.parameter(*id).name(), number(*value))),
        _ => None,
    };
    let pairs = parts.iter().map(pair).collect::<Option<Vec<_>>>()?;
    (!pairs.is_empty()).then(|| format!("{{{}}}\n", pairs.join(", ")))
}

fn is_name(name: &str, version: Version) -> bool {
    is_printable(name, version)
        && !name.contains(|c: char| c.is_whitespace() || "{}[]()|,#=\"'".contains(c))
        && !name.contains("&&")
}

fn is_value(value: &str, version: Version) -> bool {
    let spaced = version == Version::New && value.contains(|c: char| c.is_whitespace());
    let joined = version == Version::New && (value.contains("&&") || value.contains("||"));
    let cut = value.contains(|c| "{}[],#".contains(c)) || value.trim() != value || value.is_empty();
    is_printable(value, version) && !spaced && !joined && !cut
}

fn is_printable(text: &str, version: Version) -> bool {
    !text.contains(char::is_control) && (version == Version::Old || text.is_ascii())
}
