//! A JSON or YAML document as a tree with positions, and typed access to its parts.

use super::super::super::{Diagnostic, Literal, Span, Spanned};

/// Maximum nesting depth of a document: far more than any clause needs, and safe for any stack.
pub(super) const MAX_DEPTH: usize = 64;

/// A value and its position.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Scalar(Literal),
    List(Vec<Node>),
    Map(Vec<(Spanned<String>, Node)>),
}

impl Node {
    pub(super) fn new(value: Value, span: Span) -> Self {
        Self { value, span }
    }

    pub(super) fn null() -> Self {
        Self::new(Value::Null, Span::NONE)
    }

    pub(super) fn scalar(value: impl Into<Literal>) -> Self {
        Self::new(Value::Scalar(value.into()), Span::NONE)
    }

    pub(super) fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::new(Value::List(items.into_iter().collect()), Span::NONE)
    }

    pub(super) fn map(entries: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Self::new(Value::Map(entries), Span::NONE)
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Describes the value for messages.
    fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Scalar(Literal::Text(_)) => "text",
            Value::Scalar(Literal::Boolean(_)) => "true or false",
            Value::Scalar(_) => "a number",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// Creates a mistake about `what`, which is quoted if it is a key and not a phrase.
    fn unexpected(&self, what: &str, wanted: &str) -> Diagnostic {
        let quote = if what.contains(' ') { "" } else { "`" };
        let message = format!("{quote}{what}{quote} must be {wanted}, but this is {}", self.kind());
        Diagnostic::new(self.span, message)
    }

    pub(super) fn text(&self, key: &str) -> Result<Spanned<&str>, Diagnostic> {
        match &self.value {
            Value::Scalar(Literal::Text(text)) => Ok(Spanned::new(text, self.span)),
            _ => Err(self.unexpected(key, "text").hint("put it in quotes")),
        }
    }

    pub(super) fn truth(&self, key: &str) -> Result<bool, Diagnostic> {
        match self.value {
            Value::Scalar(Literal::Boolean(truth)) => Ok(truth),
            _ => Err(self.unexpected(key, "true or false")),
        }
    }

    pub(super) fn number(&self, key: &str) -> Result<f64, Diagnostic> {
        match &self.value {
            Value::Scalar(Literal::Integer(number)) => Ok(*number as f64),
            Value::Scalar(Literal::Float(number)) => Ok(*number),
            Value::Scalar(text @ Literal::Text(_)) if text.number().is_some() => {
                let hint =
                    "write it without quotes; in YAML, an exponent needs a decimal point and a sign: 1.0e-7";
                Err(self.unexpected(key, "a number").hint(hint))
            }
            _ => Err(self.unexpected(key, "a number")),
        }
    }

    pub(super) fn literal(&self, key: &str) -> Result<Spanned<Literal>, Diagnostic> {
        match &self.value {
            Value::Scalar(literal) => Ok(Spanned::new(literal.clone(), self.span)),
            _ => {
                let hint = "a value is text, a number, true or false; write anything else as text";
                Err(self.unexpected(key, "a single value").hint(hint))
            }
        }
    }

    pub(super) fn items(&self, key: &str) -> Result<&[Self], Diagnostic> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.unexpected(key, "a list")),
        }
    }

    pub(super) fn entries(&self, what: &str) -> Result<&[(Spanned<String>, Self)], Diagnostic> {
        match &self.value {
            Value::Map(entries) => Ok(entries),
            _ => Err(self.unexpected(what, "a mapping with keys")),
        }
    }
}
