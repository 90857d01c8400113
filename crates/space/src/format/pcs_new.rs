//! The PCS format of SMAC from 2.10 on, also known as that of AClib 2.0.
//!
//! ```text
//! mode categorical {a, b} [a]
//! level ordinal {low, mid, high} [mid]
//! runs integer [1, 32] [4] log
//! ratio real [0.0, 1.0] [0.5]
//!
//! runs | mode == a && level > low || ratio < 0.2
//! {mode=a, level=high}                   # classic: name=value
//! {runs * ratio > 10 && mode == b}       # advanced: a statement
//! ```
//!
//! Rules, after SMAC's manual (section on the PCS format) and its reader:
//! - conditions join comparisons of one parameter with a value by `&&`, and those by `||`;
//! - a child has one condition; several lines are read as if joined by `&&`;
//! - values and names are printable ASCII without spaces;
//! - advanced clauses know `+ - * / % ^`, comparisons, `&&`, `||`, parentheses and the functions of
//!   the library exp4j. In a space that has one, SMAC wants every name and every value to be a
//!   number or an identifier, and no value to be called like a parameter;
//! - lines of the old format may stand among the others.
//!
//! Read with our meaning: `%` has the sign of the divisor (SMAC: of the dividend), and a clause that
//! mentions an inactive parameter does not hold. Trigonometric functions are refused. How other kinds are
//! written: `docs/design/0003-space-formats.md`.

use super::super::expression::{Comparison, Formula, Function, Quantity, Wording};
use super::super::{Diagnostics, Literal, Space};
use super::pcs::{self, Age};
use super::pcs_write::{classic, number, parameter, value_list};
use super::refusal::Refusals;
use super::{CannotExpress, Format};

pub(super) fn read(text: &str, file_name: &str) -> Result<Space, Diagnostics> {
    pcs::read(text, file_name, Age::New)
}

pub(super) fn write(space: &Space) -> Result<String, CannotExpress> {
    let mut refusals = Refusals::new(space, Format::PcsNew);
    let mut out = String::new();
    for id in space.ids() {
        out += &parameter(space.parameter(id), Age::New, &mut refusals);
    }
    let mut separator = "\n";
    for id in space.ids() {
        let Some(formula) = space.condition(id) else { continue };
        match condition(space, formula) {
            Some(text) => out += &format!("{separator}{} | {text}\n", space.parameter(id).name()),
            None => refusals.condition(id, formula),
        }
        separator = "";
    }
    separator = "\n";
    let mut advanced = false;
    for clause in space.forbidden() {
        if let Some(line) = classic(space, clause, Age::New) {
            out += &format!("{separator}{line}");
        } else if is_advanced(clause) {
            out += &format!("{separator}{{{}}}\n", wording(space).formula(clause));
            advanced = true;
        } else {
            refusals.forbidden(clause);
        }
        separator = "";
    }
    if advanced {
        check_words(space, &mut refusals);
    }
    refusals.finish(out)
}

/// Conjunctions joined by `||`; `None` if it is anything else.
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
            function_word(*function).is_some() && arguments.iter().all(is_calculable)
        }
    }
}

/// The function's name in exp4j, if it has it.
fn function_word(function: Function) -> Option<&'static str> {
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

fn wording(space: &Space) -> Wording<'_> {
    Wording {
        name: str::to_owned,
        value: ToString::to_string,
        function: |function| function_word(function).unwrap_or_default(),
        ..Wording::captune(space)
    }
}

/// What SMAC asks of a space with advanced clauses, and what keeps such clauses readable.
fn check_words(space: &Space, refusals: &mut Refusals<'_>) {
    let identifier = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && text != "in"
    };
    for parameter in space.parameters() {
        let name = parameter.name();
        if !identifier(name) || matches!(name, "true" | "false" | "TRUE" | "FALSE") {
            refusals.add("names other than identifiers beside advanced forbidden clauses", name);
        }
        for value in parameter.choices().map_or(&[][..], |choices| choices.values()) {
            let text = value.to_string();
            // A number must be spelled as it is read, or another choice might be meant.
            let canonical = |number: f64| number_spellings(number).contains(&text);
            if !(identifier(&text) || value.number().is_some_and(canonical)) {
                refusals.add("values other than words or numbers beside advanced forbidden clauses", &text);
            } else if space.find(&text).is_some() {
                refusals.add("values called like a parameter beside advanced forbidden clauses", &text);
            }
        }
    }
}

fn number_spellings(number: f64) -> [String; 2] {
    [Literal::Float(number).to_string(), Literal::Integer(number as i64).to_string()]
}
