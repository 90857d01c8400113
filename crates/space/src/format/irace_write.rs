//! Writes a space as irace's parameter file, following the rules in [`super::irace`].
//!
//! The writer rejects everything that irace would reject or read differently: names it cannot read,
//! parameters without a switch, ranges of a single number, integers beyond 32 bits, numeric ordinal
//! values that do not increase, order comparisons of values that R treats as text, and functions that
//! irace does not allow in bounds.

use super::super::expression::{Arithmetic, Formula, Function, Notation, Quantity, number_text};
use super::super::{Bound, Choices, Domain, Kind, Literal, Parameter, Range, Space};
use super::irace::{UNLIMITED_DIGITS, step_of};
use super::scan::comment;
use super::unsupported::Unsupported;
use super::{CannotExpress, Format};

pub(super) fn write(space: &Space) -> Result<String, CannotExpress> {
    let mut unsupported = Unsupported::new(space, Format::Irace);
    let notation = notation(space);
    let digits = digits(space, &mut unsupported);
    let mut out = String::new();
    for id in space.ids() {
        let parameter = space.parameter(id);
        let (kind, values) = match parameter.domain() {
            Domain::Choices(choices) => list(parameter, choices, &mut unsupported),
            Domain::Range(range) => bounds(parameter, range, &notation, &mut unsupported),
        };
        let switch = settings(parameter, &mut unsupported);
        out += &format!("{} \"{switch}\" {kind} ({values})", parameter.name());
        if let Some(condition) = space.condition(id) {
            match is_statement(space, condition) {
                true => out += &format!(" | {}", notation.formula(condition)),
                false => unsupported.condition(id, condition),
            }
        }
        out += &parameter.note().and_then(comment).unwrap_or_default();
        out.push('\n');
    }
    if !space.forbidden().is_empty() {
        out += "\n[forbidden]\n";
    }
    for clause in space.forbidden() {
        match is_statement(space, clause) {
            true => out += &format!("{}\n", notation.formula(clause)),
            false => unsupported.forbidden(clause),
        }
    }
    if let Some(digits) = digits {
        out += &format!("\n[global]\ndigits = {digits}\n");
    }
    unsupported.finish(out)
}

/// Returns the number of decimal places that all reals share; `None` if there are no reals.
fn digits(space: &Space, unsupported: &mut Unsupported<'_>) -> Option<u32> {
    let mut digits = None;
    for parameter in space.parameters() {
        let Some(range) = parameter.range().filter(|range| !range.integer()) else { continue };
        let own = match range.step() {
            None => Some(UNLIMITED_DIGITS),
            Some(step) => (0..UNLIMITED_DIGITS).find(|&digits| step_of(digits) == step),
        };
        if own.is_none() || *digits.get_or_insert(own) != own {
            unsupported.add("steps other than one power of ten for all reals", parameter.name());
        }
    }
    digits.flatten()
}

/// Checks everything except the values, and returns the switch.
fn settings<'s>(parameter: &'s Parameter, unsupported: &mut Unsupported<'_>) -> &'s str {
    let name = parameter.name();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_') {
        unsupported.add("names with characters other than letters, digits, `.` and `_`", name);
    }
    if parameter.fixed().is_some() {
        unsupported.add("fixed values", name);
    }
    if parameter.default_given && parameter.default != implied_default(parameter) {
        unsupported.add("defaults", name);
    }
    if parameter.note().is_some_and(|note| comment(note).is_none()) {
        unsupported.add("notes with several lines", name);
    }
    match parameter.switch() {
        None => unsupported.add("parameters without a switch", name),
        Some(switch) if !is_quotable(switch) => unsupported.add("switches with `\"` or `#`", name),
        Some(_) => {}
    }
    parameter.switch().unwrap_or_default()
}

/// Returns the default that a parameter would have if none were given.
fn implied_default(parameter: &Parameter) -> Option<f64> {
    match parameter.domain() {
        Domain::Choices(_) => Some(0.0),
        Domain::Range(range) => range.scale.map(|scale| scale.middle()),
    }
}

fn is_quotable(text: &str) -> bool {
    !text.contains(|c: char| c == '"' || c == '#' || c.is_control())
}

fn list(
    parameter: &Parameter,
    choices: &Choices,
    unsupported: &mut Unsupported<'_>,
) -> (&'static str, String) {
    let name = parameter.name();
    let texts: Vec<String> = choices.values().iter().map(ToString::to_string).collect();
    if choices.weights().is_some() {
        unsupported.add("weights", name);
    }
    if !texts.iter().all(|text| is_quotable(text) && !text.contains('|')) {
        unsupported.add("values with `\"`, `#` or `|`", name);
    }
    let ordinal = parameter.kind() == Kind::Ordinal;
    if ordinal && choices.numbers().is_some_and(|numbers| !numbers.is_sorted_by(|a, b| a < b)) {
        unsupported.add("numeric ordinal values that do not increase", name);
    }
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    (if ordinal { "o" } else { "c" }, quoted.join(", "))
}

fn bounds(
    parameter: &Parameter,
    range: &Range,
    notation: &Notation<'_>,
    unsupported: &mut Unsupported<'_>,
) -> (&'static str, String) {
    let name = parameter.name();
    let dependent = range.fixed_bounds().is_none();
    if range.integer() && range.step().is_some() {
        unsupported.add("integer steps", name);
    }
    if range.log() && dependent {
        unsupported.add("logarithmic ranges with dependent bounds", name);
    }
    if range.fixed_bounds().is_some_and(|(lower, upper)| lower == upper) {
        unsupported.add("ranges of a single number", name);
    }
    let mut text = |bound: &Bound| match bound {
        Bound::Number(number) => {
            if range.integer() && number.abs() > f64::from(i32::MAX) {
                unsupported.add("integers beyond 32 bits", name);
            }
            number_text(*number)
        }
        Bound::Dependent(quantity) => {
            if !is_bound(quantity) {
                unsupported.add(
                    "bounds with anything but numbers and + - * / %% min max round floor ceiling trunc",
                    name,
                );
            }
            format!("\"{}\"", notation.quantity(quantity))
        }
    };
    let values = format!("{}, {}", text(range.lower()), text(range.upper()));
    let kind = match (range.integer(), range.log()) {
        (true, true) => "i,log",
        (true, false) => "i",
        (false, true) => "r,log",
        (false, false) => "r",
    };
    (kind, values)
}

/// Returns whether a formula means the same in R.
fn is_statement(space: &Space, formula: &Formula) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            !parts.is_empty() && parts.iter().all(|part| is_statement(space, part))
        }
        Formula::Not(part) => is_statement(space, part) && !has_conditional_membership(space, part),
        Formula::Member { choices, negated, .. } => choices.len() == 1 || !negated,
        Formula::Same { .. } => true,
        Formula::Among { quantity, .. } => is_number(quantity),
        Formula::Compare { left, right, .. } => is_number(left) && is_number(right),
        Formula::Constant(_) | Formula::Position { .. } => false,
    }
}

/// Returns whether a formula tests membership of a parameter that can be inactive. If the parameter is
/// inactive, such a test is false in R but unknown here; only negation makes a difference.
fn has_conditional_membership(space: &Space, formula: &Formula) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().any(|part| has_conditional_membership(space, part))
        }
        Formula::Not(part) => has_conditional_membership(space, part),
        Formula::Member { parameter, choices, .. } => choices.len() > 1 && space.is_conditional(*parameter),
        Formula::Among { quantity, .. } => {
            let mut conditional = false;
            quantity.parameters(&mut |id| conditional |= space.is_conditional(id));
            conditional
        }
        _ => false,
    }
}

fn is_number(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Constant(_) | Quantity::Parameter(_) => true,
        Quantity::Choice(..) => false,
        Quantity::Negate(inner) => is_number(inner),
        Quantity::Arithmetic(_, left, right) => is_number(left) && is_number(right),
        Quantity::Call(function, arguments) => {
            *function != Function::Round && arguments.iter().all(is_number)
        }
    }
}

fn is_bound(quantity: &Quantity) -> bool {
    use Function::{Ceiling, Floor, Max, Min, RoundEven, Truncate};
    match quantity {
        Quantity::Constant(_) | Quantity::Parameter(_) => true,
        Quantity::Choice(..) => false,
        Quantity::Negate(inner) => is_bound(inner),
        Quantity::Arithmetic(how, left, right) => {
            *how != Arithmetic::Power && is_bound(left) && is_bound(right)
        }
        Quantity::Call(function, arguments) => {
            matches!(function, Ceiling | Floor | Max | Min | RoundEven | Truncate)
                && arguments.iter().all(is_bound)
        }
    }
}

fn notation(space: &Space) -> Notation<'_> {
    Notation {
        name,
        value,
        member: "%in%",
        set: ("c(", ")"),
        and: "&",
        or: "|",
        remainder: "%%",
        tight_remainder: true,
        function: |function| if function == Function::RoundEven { "round" } else { function.name() },
        ..Notation::captune(space)
    }
}

/// Encloses a name in backticks if R would not read it as a name.
fn name(name: &str) -> String {
    const RESERVED: [&str; 14] = [
        "if", "else", "repeat", "while", "function", "for", "in", "next", "break", "TRUE", "FALSE", "NULL",
        "NA", "Inf",
    ];
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !RESERVED.contains(&name)
        && !matches!(name, "true" | "false" | "NaN" | "c")
        && Function::named(name).is_none();
    if plain { name.to_owned() } else { format!("`{name}`") }
}

/// Writes a value as text, even if it looks like a number.
fn value(value: &Literal) -> String {
    let escaped = value.to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
