//! The PCS format of SMAC since version 2.10, also known as the format of AClib 2.0.
//!
//! ```text
//! mode categorical {a, b} [a]
//! level ordinal {low, mid, high} [mid]
//! runs integer [1, 32] [4] log
//! ratio real [0.0, 1.0] [0.5]
//!
//! runs | mode == a && level > low || ratio < 0.2
//! {mode=a, level=high}                   # classic: name=value
//! {runs * ratio > 10 && mode == b}       # advanced: an expression
//! ```
//!
//! The rules follow SMAC's manual (section on the PCS format) and its reader:
//! - a condition compares parameters with values; comparisons are joined by `&&`, and such conjunctions by
//!   `||`;
//! - a child has one condition; several lines are read as if joined by `&&`;
//! - values and names are printable ASCII without spaces;
//! - advanced clauses may use `+ - * / % ^`, comparisons, `&&`, `||`, parentheses and the functions of the
//!   exp4j library. In a space with such a clause, SMAC requires every name and value to be a number or an
//!   identifier, and no value may have the name of a parameter;
//! - lines in the old format may appear among the others.
//!
//! Two things differ from SMAC: `%` has the sign of the divisor (SMAC: of the dividend), and a clause
//! that mentions an inactive parameter does not hold. Trigonometric functions are rejected. For how
//! other kinds are written, see `docs/design/0003-space-formats.md`.

use super::super::expression::{Comparison, Formula, Function, Notation, Quantity};
use super::super::{Diagnostics, Literal, Space};
use super::pcs::{self, Version};
use super::pcs_write::{classic, number, parameter, value_list};
use super::unsupported::Unsupported;
use super::{CannotExpress, Format};

pub(super) fn read(text: &str, file_name: &str) -> Result<Space, Diagnostics> {
    pcs::read(text, file_name, Version::New)
}

pub(super) fn write(space: &Space) -> Result<String, CannotExpress> {
    let mut unsupported = Unsupported::new(space, Format::PcsNew);
    let mut out = String::new();
    for id in space.ids() {
        out += &parameter(space.parameter(id), Version::New, &mut unsupported);
    }
    let mut separator = "\n";
    for id in space.ids() {
        let Some(formula) = space.condition(id) else { continue };
        match condition(space, formula) {
            Some(text) => out += &format!("{separator}{} | {text}\n", space.parameter(id).name()),
            None => unsupported.condition(id, formula),
        }
        separator = "";
    }
    separator = "\n";
    let mut advanced = false;
    for clause in space.forbidden() {
        if let Some(line) = classic(space, clause, Version::New) {
            out += &format!("{separator}{line}");
        } else if is_advanced(clause) {
            out += &format!("{separator}{{{}}}\n", notation(space).formula(clause));
            advanced = true;
        } else {
            unsupported.forbidden(clause);
        }
        separator = "";
    }
    if advanced {
        check_identifiers(space, &mut unsupported);
    }
    unsupported.finish(out)
}

/// Writes conjunctions joined by `||`; `None` if the formula is anything else.
fn condition(space: &Space, formula: &Formula) -> Option<String> {
    let parts = |formula: &Formula| match formula {
        Formula::All(parts) => parts.iter().map(|part| atom(space, part)).collect(),
        single => atom(space, single).map(|text| vec![text]),
    };
    let alternatives = match formula {
        Formula::Any(alternatives) => alternatives.as_slice(),
        single => std::slice::from_ref(single),
    };
    let texts = alternatives.iter().map(|part| parts(part).map(|texts| texts.join(" && ")));
    let text = texts.collect::<Option<Vec<_>>>()?.join(" || ");
    (!text.is_empty()).then_some(text)
}

fn atom(space: &Space, formula: &Formula) -> Option<String> {
    use Comparison::{Equal, Greater, Less, NotEqual};
    match formula {
        Formula::Member { parameter, choices, negated, .. } => {
            let parameter = space.parameter(*parameter);
            let values = value_list(parameter, choices);
            match (choices.len(), negated) {
                (1, false) => Some(format!("{} == {values}", parameter.name())),
                (1, true) => Some(format!("{} != {values}", parameter.name())),
                (_, false) => Some(format!("{} in {{{values}}}", parameter.name())),
                (_, true) => None,
            }
        }
        Formula::Position { parameter, comparison: comparison @ (Less | Greater), choice } => {
            let parameter = space.parameter(*parameter);
            let value = value_list(parameter, &[*choice]);
            Some(format!("{} {} {value}", parameter.name(), comparison.sign()))
        }
        Formula::Compare {
            comparison: comparison @ (Equal | NotEqual | Less | Greater),
            left: Quantity::Parameter(id),
            right: Quantity::Constant(value),
        } => Some(format!("{} {} {}", space.parameter(*id).name(), comparison.sign(), number(*value))),
        Formula::Among { quantity: Quantity::Parameter(id), numbers } => {
            let values: Vec<String> = numbers.iter().map(|&value| number(value)).collect();
            Some(format!("{} in {{{}}}", space.parameter(*id).name(), values.join(", ")))
        }
        _ => None,
    }
}

fn is_advanced(formula: &Formula) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => !parts.is_empty() && parts.iter().all(is_advanced),
        Formula::Member { choices, .. } => choices.len() == 1,
        Formula::Position { .. } | Formula::Same { .. } => true,
        Formula::Compare { left, right, .. } => is_calculable(left) && is_calculable(right),
        Formula::Constant(_) | Formula::Not(_) | Formula::Among { .. } => false,
    }
}

fn is_calculable(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Constant(_) | Quantity::Parameter(_) | Quantity::Choice(..) => true,
        Quantity::Negate(inner) => is_calculable(inner),
        Quantity::Arithmetic(_, left, right) => is_calculable(left) && is_calculable(right),
        Quantity::Call(function, arguments) => {
            exp4j_name(*function).is_some() && arguments.iter().all(is_calculable)
        }
    }
}

/// Returns the name of the function in exp4j; `None` if exp4j does not have it.
fn exp4j_name(function: Function) -> Option<&'static str> {
    match function {
        Function::Ceiling => Some("ceil"),
        Function::Abs
        | Function::Log
        | Function::Log2
        | Function::Log10
        | Function::Exp
        | Function::Sqrt
        | Function::Floor => Some(function.name()),
        Function::Round | Function::RoundEven | Function::Truncate | Function::Min | Function::Max => None,
    }
}

fn notation(space: &Space) -> Notation<'_> {
    Notation {
        name: str::to_owned,
        value: ToString::to_string,
        function: |function| exp4j_name(function).unwrap_or_default(),
        ..Notation::captune(space)
    }
}

/// Checks what SMAC requires of a space with advanced clauses, and what this reader needs to read them.
fn check_identifiers(space: &Space, unsupported: &mut Unsupported<'_>) {
    let identifier = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && text != "in"
    };
    for parameter in space.parameters() {
        let name = parameter.name();
        if !identifier(name) || matches!(name, "true" | "false" | "TRUE" | "FALSE") {
            unsupported.add("names that are not identifiers, together with advanced forbidden clauses", name);
        }
        for value in parameter.choices().map_or(&[][..], |choices| choices.values()) {
            let text = value.to_string();
            // A number must be written in its usual form; otherwise it might match another choice.
            let canonical = |number: f64| number_spellings(number).contains(&text);
            if !(identifier(&text) || value.number().is_some_and(canonical)) {
                unsupported.add(
                    "values that are not identifiers or numbers, together with advanced forbidden clauses",
                    &text,
                );
            } else if space.find(&text).is_some() {
                unsupported.add(
                    "values with the name of a parameter, together with advanced forbidden clauses",
                    &text,
                );
            }
        }
    }
}

fn number_spellings(number: f64) -> [String; 2] {
    [Literal::Float(number).to_string(), Literal::Integer(number as i64).to_string()]
}
