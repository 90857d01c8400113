//! Writes typed expressions as text that parses to the same expression.

use std::fmt::Write as _;

use super::super::Space;
use super::super::literal::{Literal, float_text};
use super::super::parameter::ParameterId;
use super::{Arithmetic, Comparison, Formula, Function, Quantity};

/// The notation that a format uses for expressions: its quoting, operators and function names.
#[derive(Clone, Copy)]
pub struct Notation<'a> {
    /// The space whose parameters are mentioned.
    pub space: &'a Space,
    /// Function that formats a parameter's name.
    pub name: fn(&str) -> String,
    /// Function that formats a value.
    pub value: fn(&Literal) -> String,
    /// The membership operator, such as `in`.
    pub member: &'a str,
    /// The opening and closing delimiters of a set.
    pub set: (&'a str, &'a str),
    /// The operator for logical and.
    pub and: &'a str,
    /// The operator for logical or.
    pub or: &'a str,
    /// The remainder operator.
    pub remainder: &'a str,
    /// Whether the remainder binds tighter than `*` and `/`, as in R.
    pub tight_remainder: bool,
    /// Mapping from a function to its name in the format.
    pub function: fn(Function) -> &'static str,
}

// Precedences, lowest first; an operand with a lower precedence than required gets parentheses.
const ANY: u8 = 0;
const ALL: u8 = 1;
const NOT: u8 = 2;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const NEGATE: u8 = 6;
const POWER: u8 = 7;
const ATOM: u8 = 8;

impl<'a> Notation<'a> {
    /// Creates the notation for captune's own language.
    pub fn captune(space: &'a Space) -> Self {
        Self {
            space,
            name: quote_name,
            value: quote_value,
            member: "in",
            set: ("{", "}"),
            and: "&&",
            or: "||",
            remainder: "%",
            tight_remainder: false,
            function: Function::name,
        }
    }

    /// Returns a formula as text.
    pub fn formula(&self, formula: &Formula) -> String {
        let mut out = String::new();
        self.write_formula(formula, ANY, &mut out);
        out
    }

    /// Returns a quantity as text.
    pub fn quantity(&self, quantity: &Quantity) -> String {
        let mut out = String::new();
        self.write_quantity(quantity, SUM, &mut out);
        out
    }

    fn parameter(&self, id: ParameterId) -> String {
        (self.name)(self.space.parameter(id).name())
    }

    fn choice(&self, id: ParameterId, choice: u32) -> String {
        let value = self.space.parameter(id).literal(f64::from(choice));
        (self.value)(&value)
    }

    fn enclose(&self, parentheses: bool, out: &mut String, write: impl FnOnce(&mut String)) {
        if parentheses {
            out.push('(');
        }
        write(out);
        if parentheses {
            out.push(')');
        }
    }

    fn write_formula(&self, formula: &Formula, required: u8, out: &mut String) {
        match formula {
            Formula::Constant(value) => out.push_str(&(self.value)(&Literal::Boolean(*value))),
            Formula::All(parts) => self.write_parts(parts, self.and, ALL, required, out),
            Formula::Any(parts) => self.write_parts(parts, self.or, ANY, required, out),
            Formula::Not(part) => {
                out.push('!');
                self.enclose(true, out, |out| self.write_formula(part, ANY, out));
            }
            Formula::Member { parameter, choices, negated, .. } => {
                let name = self.parameter(*parameter);
                let values: Vec<String> = choices.iter().map(|&c| self.choice(*parameter, c)).collect();
                let sign = if *negated { Comparison::NotEqual } else { Comparison::Equal };
                if let [value] = values.as_slice() {
                    push(out, format_args!("{name} {} {value}", sign.sign()));
                } else {
                    let lead = if *negated { "!(" } else { "" };
                    let tail = if *negated { ")" } else { "" };
                    let (open, close) = self.set;
                    let list = values.join(", ");
                    push(out, format_args!("{lead}{name} {} {open}{list}{close}{tail}", self.member));
                }
            }
            Formula::Position { parameter, comparison, choice } => {
                let (name, value) = (self.parameter(*parameter), self.choice(*parameter, *choice));
                push(out, format_args!("{name} {} {value}", comparison.sign()));
            }
            Formula::Same { left, right, negated, .. } => {
                let sign = if *negated { "!=" } else { "==" };
                push(out, format_args!("{} {sign} {}", self.parameter(*left), self.parameter(*right)));
            }
            Formula::Among { quantity, numbers } => {
                self.write_quantity(quantity, SUM, out);
                let values: Vec<String> = numbers.iter().map(|&n| number_text(n)).collect();
                let (open, close) = self.set;
                push(out, format_args!(" {} {open}{}{close}", self.member, values.join(", ")));
            }
            Formula::Compare { comparison, left, right } => {
                self.write_quantity(left, SUM, out);
                push(out, format_args!(" {} ", comparison.sign()));
                self.write_quantity(right, SUM, out);
            }
        }
    }

    fn write_parts(&self, parts: &[Formula], operator: &str, rank: u8, required: u8, out: &mut String) {
        if parts.is_empty() {
            return out.push_str(&(self.value)(&Literal::Boolean(rank == ALL)));
        }
        self.enclose(required > rank, out, |out| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    push(out, format_args!(" {operator} "));
                }
                self.write_formula(part, if rank == ALL { NOT } else { ALL }, out);
            }
        });
    }

    fn write_quantity(&self, quantity: &Quantity, required: u8, out: &mut String) {
        match quantity {
            Quantity::Constant(number) => {
                let negative = number.is_sign_negative() && required > NEGATE;
                self.enclose(negative, out, |out| out.push_str(&number_text(*number)));
            }
            Quantity::Parameter(id) | Quantity::Choice(id, _) => out.push_str(&self.parameter(*id)),
            Quantity::Negate(inner) => self.enclose(required > NEGATE, out, |out| {
                out.push('-');
                self.write_quantity(inner, POWER, out);
            }),
            Quantity::Arithmetic(how, left, right) => {
                let (rank, left_required, right_required) = match how {
                    Arithmetic::Add | Arithmetic::Subtract => (SUM, SUM, PRODUCT),
                    Arithmetic::Power => (POWER, ATOM, NEGATE),
                    Arithmetic::Remainder if self.tight_remainder => (PRODUCT, NEGATE, NEGATE),
                    _ => (PRODUCT, PRODUCT, NEGATE),
                };
                let sign = if *how == Arithmetic::Remainder { self.remainder } else { how.sign() };
                self.enclose(required > rank, out, |out| {
                    self.write_quantity(left, left_required, out);
                    push(out, format_args!(" {sign} "));
                    self.write_quantity(right, right_required, out);
                });
            }
            Quantity::Call(function, arguments) => {
                out.push_str((self.function)(*function));
                out.push('(');
                for (i, argument) in arguments.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.write_quantity(argument, SUM, out);
                }
                out.push(')');
            }
        }
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(arguments);
}

/// Returns a number as text without a trailing `.0`.
pub(crate) fn number_text(number: f64) -> String {
    let text = float_text(number);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn quote_name(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let reserved =
        matches!(name, "in" | "true" | "false" | "TRUE" | "FALSE") || Function::named(name).is_some();
    if plain && !reserved { name.to_owned() } else { quote(name, '`') }
}

fn quote_value(value: &Literal) -> String {
    match value {
        Literal::Text(text) => quote(text, '\''),
        other => other.to_string(),
    }
}

fn quote(text: &str, mark: char) -> String {
    let mut out = String::from(mark);
    for c in text.chars() {
        if c == mark || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(mark);
    out
}
