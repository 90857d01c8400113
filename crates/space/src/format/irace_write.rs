//! A space as irace's parameter file, by the rules in [`super::irace`].
//!
//! What irace would refuse or take otherwise is refused here: names it cannot read, parameters
//! without a switch, ranges of a single number, integers beyond 32 bits, numeric ordinal values that do not
//! rise, orderings of values that are text to R, functions that irace does not allow in bounds.

use super::super::expression::{Arithmetic, Formula, Function, Quantity, Wording, number_text};
use super::super::{Bound, Choices, Domain, Kind, Literal, Parameter, Range, Space};
use super::irace::{ENDLESS_DIGITS, step_of};
use super::refusal::Refusals;
use super::scan::comment;
use super::{CannotExpress, Format};

pub(super) fn write(space: &Space) -> Result<String, CannotExpress> {
    let mut refusals = Refusals::new(space, Format::Irace);
    let wording = wording(space);
    let digits = digits(space, &mut refusals);
    let mut out = String::new();
    for id in space.ids() {
        let parameter = space.parameter(id);
        let (kind, values) = match parameter.domain() {
            Domain::Choices(choices) => list(parameter, choices, &mut refusals),
            Domain::Range(range) => bounds(parameter, range, &wording, &mut refusals),
        };
        let switch = settings(parameter, &mut refusals);
        out += &format!("{} \"{switch}\" {kind} ({values})", parameter.name());
        if let Some(condition) = space.condition(id) {
            match is_statement(space, condition) {
                true => out += &format!(" | {}", wording.formula(condition)),
                false => refusals.condition(id, condition),
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
            true => out += &format!("{}\n", wording.formula(clause)),
            false => refusals.forbidden(clause),
        }
    }
    if let Some(digits) = digits {
        out += &format!("\n[global]\ndigits = {digits}\n");
    }
    refusals.finish(out)
}

/// The decimals of all reals, if there are any.
fn digits(space: &Space, refusals: &mut Refusals<'_>) -> Option<u32> {
    let mut digits = None;
    for parameter in space.parameters() {
        let Some(range) = parameter.range().filter(|range| !range.integer()) else { continue };
        let own = match range.step() {
            None => Some(ENDLESS_DIGITS),
            Some(step) => (0..ENDLESS_DIGITS).find(|&digits| step_of(digits) == step),
        };
        if own.is_none() || *digits.get_or_insert(own) != own {
            refusals.add("steps other than one power of ten for all reals", parameter.name());
        }
    }
    digits.flatten()
}

/// Notes what does not depend on the values; returns the switch.
fn settings<'s>(parameter: &'s Parameter, refusals: &mut Refusals<'_>) -> &'s str {
    let name = parameter.name();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_') {
        refusals.add("names with other characters than letters, digits, `.` and `_`", name);
    }
    if parameter.fixed().is_some() {
        refusals.add("fixed values", name);
    }
    if parameter.default_given && parameter.default != implied_default(parameter) {
        refusals.add("defaults", name);
    }
    if parameter.note().is_some_and(|note| comment(note).is_none()) {
        refusals.add("notes of several lines", name);
    }
    match parameter.switch() {
        None => refusals.add("parameters without a switch", name),
        Some(switch) if !is_quotable(switch) => refusals.add("switches with `\"` or `#`", name),
        Some(_) => {}
    }
    parameter.switch().unwrap_or_default()
}

/// The default of a parameter for which none is given.
fn implied_default(parameter: &Parameter) -> Option<f64> {
    match parameter.domain() {
        Domain::Choices(_) => Some(0.0),
        Domain::Range(range) => range.scale.map(|scale| scale.middle()),
    }
}

fn is_quotable(text: &str) -> bool {
    !text.contains(|c: char| c == '"' || c == '#' || c.is_control())
}

fn list(parameter: &Parameter, choices: &Choices, refusals: &mut Refusals<'_>) -> (&'static str, String) {
    let name = parameter.name();
    let texts: Vec<String> = choices.values().iter().map(ToString::to_string).collect();
    if choices.weights().is_some() {
        refusals.add("weights", name);
    }
    if !texts.iter().all(|text| is_quotable(text) && !text.contains('|')) {
        refusals.add("values with `\"`, `#` or `|`", name);
    }
    let ordinal = parameter.kind() == Kind::Ordinal;
    if ordinal && choices.numbers().is_some_and(|numbers| !numbers.is_sorted_by(|a, b| a < b)) {
        refusals.add("numeric ordinal values that do not rise", name);
    }
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    (if ordinal { "o" } else { "c" }, quoted.join(", "))
}

fn bounds(
    parameter: &Parameter,
    range: &Range,
    wording: &Wording<'_>,
    refusals: &mut Refusals<'_>,
) -> (&'static str, String) {
    let name = parameter.name();
    let dependent = range.fixed_bounds().is_none();
    if range.integer() && range.step().is_some() {
        refusals.add("steps of integers", name);
    }
    if range.log() && dependent {
        refusals.add("logarithmic ranges with dependent bounds", name);
    }
    if range.fixed_bounds().is_some_and(|(lower, upper)| lower == upper) {
        refusals.add("ranges of a single number", name);
    }
    let mut text = |bound: &Bound| match bound {
        Bound::Number(number) => {
            if range.integer() && number.abs() > f64::from(i32::MAX) {
                refusals.add("integers beyond 32 bits", name);
            }
            number_text(*number)
        }
        Bound::Dependent(quantity) => {
            if !is_bound(quantity) {
                refusals
                    .add("bounds other than + - * / %% min max round floor ceiling trunc of numbers", name);
            }
            format!("\"{}\"", wording.quantity(quantity))
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

/// Whether R gives a statement the same meaning.
fn is_statement(space: &Space, formula: &Formula) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            !parts.is_empty() && parts.iter().all(|part| is_statement(space, part))
        }
        Formula::Not(part) => is_statement(space, part) && !may_lack_a_member(space, part),
        Formula::Member { choices, negated, .. } => choices.len() == 1 || !negated,
        Formula::Same { .. } => true,
        Formula::Among { quantity, .. } => is_number(quantity),
        Formula::Compare { left, right, .. } => is_number(left) && is_number(right),
        Formula::Constant(_) | Formula::Position { .. } => false,
    }
}

/// Whether there is a membership about a parameter that may be inactive. R then calls it false,
/// where we call it unknown; only its negation tells the two apart.
fn may_lack_a_member(space: &Space, formula: &Formula) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| may_lack_a_member(space, part)),
        Formula::Not(part) => may_lack_a_member(space, part),
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

fn wording(space: &Space) -> Wording<'_> {
    Wording {
        name,
        value,
        member: "%in%",
        set: ("c(", ")"),
        and: "&",
        or: "|",
        remainder: "%%",
        tight_remainder: true,
        function: |function| if function == Function::RoundEven { "round" } else { function.name() },
        ..Wording::captune(space)
    }
}

/// Names that R would not take for one need backticks.
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

/// Values are text, whatever they look like.
fn value(value: &Literal) -> String {
    let escaped = value.to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
