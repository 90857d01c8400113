//! Typed expressions back to text that reads as the same expression.

use std::fmt::Write as _;

use super::super::Space;
use super::super::literal::{Literal, float_text};
use super::super::parameter::ParameterId;
use super::{Arithmetic, Comparison, Formula, Function, Quantity};

/// Spells expressions: how names and values are quoted is all that tells the formats' wordings apart.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    /// The space whose parameters are mentioned.
    pub space: &'a Space,
    /// Writes a parameter's name.
    pub name: fn(&str) -> String,
    /// Writes a value.
    pub value: fn(&Literal) -> String,
    /// `in`, or another word for it.
    pub member: &'a str,
    /// What stands before and after the values of a set.
    pub set: (&'a str, &'a str),
    /// What joins statements that must all hold.
    pub and: &'a str,
    /// What joins statements of which one must hold.
    pub or: &'a str,
    /// The sign of the remainder.
    pub remainder: &'a str,
    /// Whether the remainder binds its left side before `*` and `/` do, as in R.
    pub tight_remainder: bool,
    /// Writes a function's name.
    pub function: fn(Function) -> &'static str,
}

// Binding strengths, weakest first; what binds weaker than its place wants goes into parentheses.
const ANY: u8 = 0;
const ALL: u8 = 1;
const NOT: u8 = 2;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const NEGATE: u8 = 6;
const POWER: u8 = 7;
const ATOM: u8 = 8;

impl<'a> Wording<'a> {
    /// The wording of the language itself.
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

    /// A statement as text.
    pub fn formula(&self, formula: &Formula) -> String {
        let mut out = String::new();
        self.write_formula(formula, ANY, &mut out);
        out
    }

    /// A number as text.
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

    fn enclose(&self, inside: bool, out: &mut String, write: impl FnOnce(&mut String)) {
        if inside {
            out.push('(');
        }
        write(out);
        if inside {
            out.push(')');
        }
    }

    fn write_formula(&self, formula: &Formula, place: u8, out: &mut String) {
        match formula {
            Formula::Constant(value) => out.push_str(&(self.value)(&Literal::Boolean(*value))),
            Formula::All(parts) => self.write_parts(parts, self.and, ALL, place, out),
            Formula::Any(parts) => self.write_parts(parts, self.or, ANY, place, out),
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

    fn write_parts(&self, parts: &[Formula], joint: &str, rank: u8, place: u8, out: &mut String) {
        if parts.is_empty() {
            return out.push_str(&(self.value)(&Literal::Boolean(rank == ALL)));
        }
        self.enclose(place > rank, out, |out| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    push(out, format_args!(" {joint} "));
                }
                self.write_formula(part, if rank == ALL { NOT } else { ALL }, out);
            }
        });
    }

    fn write_quantity(&self, quantity: &Quantity, place: u8, out: &mut String) {
        match quantity {
            Quantity::Constant(number) => {
                let negative = number.is_sign_negative() && place > NEGATE;
                self.enclose(negative, out, |out| out.push_str(&number_text(*number)));
            }
            Quantity::Parameter(id) | Quantity::Choice(id, _) => out.push_str(&self.parameter(*id)),
            Quantity::Negate(inner) => self.enclose(place > NEGATE, out, |out| {
                out.push('-');
                self.write_quantity(inner, POWER, out);
            }),
            Quantity::Arithmetic(how, left, right) => {
                let (rank, left_place, right_place) = match how {
                    Arithmetic::Add | Arithmetic::Subtract => (SUM, SUM, PRODUCT),
                    Arithmetic::Power => (POWER, ATOM, NEGATE),
                    Arithmetic::Remainder if self.tight_remainder => (PRODUCT, NEGATE, NEGATE),
                    _ => (PRODUCT, PRODUCT, NEGATE),
                };
                let sign = if *how == Arithmetic::Remainder { self.remainder } else { how.sign() };
                self.enclose(place > rank, out, |out| {
                    self.write_quantity(left, left_place, out);
                    push(out, format_args!(" {sign} "));
                    self.write_quantity(right, right_place, out);
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

/// A number without a needless `.0`.
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
