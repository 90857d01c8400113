//! Values as people write them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value on its own: a choice, a default, a constant, or a cell of a result table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// Any text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// True or false.
    Boolean(bool),
}

impl Literal {
    /// Returns the number, or the number that the text spells; `None` if the value is not a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Text(text) => parse_number(text),
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            Self::Boolean(_) => None,
        }
    }

    /// Returns whether the value is written as `text`.
    pub fn is_spelled(&self, text: &str) -> bool {
        match self {
            Self::Text(own) => own == text,
            _ => self.to_string() == text,
        }
    }
}

/// Parses a decimal number. Unlike the standard parser, it rejects words such as `inf` and `nan`.
pub fn parse_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// Returns the shortest text that parses to the same float: `0.1`, `1.0`, `1e-7`.
pub fn float_text(number: f64) -> String {
    format!("{number:?}")
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => f.write_str(&float_text(*number)),
            Self::Boolean(truth) => write!(f, "{truth}"),
        }
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Literal {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Literal {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Literal {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Literal {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_recognised_in_text() {
        assert_eq!(Literal::from("1e-7").number(), Some(1e-7));
        assert_eq!(Literal::from("-.5").number(), Some(-0.5));
        for word in ["inf", "nan", "-inf", "1e999", "", "-", "0x10", "1 "] {
            assert_eq!(Literal::from(word).number(), None, "{word}");
        }
        assert_eq!(Literal::from(true).number(), None);
    }

    #[test]
    fn the_text_of_a_float_parses_to_the_same_float() {
        for number in [0.1, 1.0, 1e-7, 1e300, -0.25, f64::MIN_POSITIVE] {
            assert_eq!(parse_number(&float_text(number)), Some(number));
        }
    }
}
