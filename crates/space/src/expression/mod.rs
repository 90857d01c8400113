//! The expression language for conditions, forbidden clauses and dependent bounds.
//!
//! Text is parsed into an [`Expr`]: names and literals with their positions. The expression is resolved
//! against the parameters of a space into a [`Formula`] or a [`Quantity`]. Both are typed, refer to
//! parameters by index and are evaluated without allocating.
//!
//! ```text
//! any      = all { "||" all }
//! all      = not { "&&" not }
//! not      = "!" not | relation
//! relation = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum | "in" set ]
//! set      = "{" literal { "," literal } "}"        also with [ ] and ( )
//! sum      = product { ("+" | "-") product }
//! product  = sign { ("*" | "/" | "%") sign }
//! sign     = "-" sign | power
//! power    = atom [ "^" sign ]
//! atom     = number | 'text' | "text" | true | false | name | `name` | function "(" any { "," any } ")" | "(" any ")"
//! ```
//!
//! A name is the longest run of characters that is the name of a parameter, so `sp-resolution == 1`
//! needs no quotes if `sp-resolution` exists. Backticks quote any name.
//!
//! The logic has three values. A comparison is unknown if it mentions an inactive parameter, or a
//! quantity without a value such as `log(-1)`. Unknown propagates through `!`, `&&` and `||` unless the
//! other side decides the result. A condition or clause that is unknown does not hold.

mod formula;
mod lexer;
mod parser;
mod resolve;
mod text;

pub use formula::{Arithmetic, Comparison, Formula, Function, Quantity};
pub use lexer::Dialect;
pub use parser::parse;
pub use text::Notation;

pub(crate) use resolve::{Names, resolve_formula, resolve_quantity};
pub(crate) use text::number_text;

use super::diagnostic::Span;
use super::literal::Literal;

/// Maximum nesting depth of an expression.
pub const MAX_DEPTH: usize = 64;

/// An expression as written, with positions.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Form of the expression.
    pub kind: ExprKind,
    /// Position of the expression.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, quoted text, true or false.
    Literal(Literal),
    /// A parameter.
    Name(String),
    /// A bare word: a choice of the parameter that it is compared with, or else a parameter.
    Word(String),
    /// `!`
    Not(Box<Expr>),
    /// `-`
    Negate(Box<Expr>),
    /// Two or more expressions joined by `&&`.
    All(Vec<Expr>),
    /// Two or more expressions joined by `||`.
    Any(Vec<Expr>),
    /// `==`, `<` and so on.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `in`
    In(Box<Expr>, Vec<Expr>),
    /// `+`, `*` and so on.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// `min(a, b)`
    Call(Function, Vec<Expr>),
}

impl Expr {
    /// Creates an expression at a position.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Creates a reference to a parameter.
    pub fn name(name: impl Into<String>, span: Span) -> Self {
        Self::new(ExprKind::Name(name.into()), span)
    }

    /// Creates a literal value.
    pub fn literal(value: impl Into<Literal>, span: Span) -> Self {
        Self::new(ExprKind::Literal(value.into()), span)
    }

    /// Creates `left == right` and so on.
    pub fn compare(comparison: Comparison, left: Self, right: Self) -> Self {
        let span = left.span.to(right.span);
        Self::new(ExprKind::Compare(comparison, Box::new(left), Box::new(right)), span)
    }

    /// Creates `left in {values}`.
    pub fn member(left: Self, values: Vec<Self>) -> Self {
        let span = values.last().map_or(left.span, |last| left.span.to(last.span));
        Self::new(ExprKind::In(Box::new(left), values), span)
    }

    /// Joins the parts with `&&`; a single part is returned as it is.
    pub fn all(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let span = parts.iter().fold(Span::NONE, |span, part| span.to(part.span));
        Self::new(ExprKind::All(parts), span)
    }

    /// Joins the parts with `||`; a single part is returned as it is.
    pub fn any(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let span = parts.iter().fold(Span::NONE, |span, part| span.to(part.span));
        Self::new(ExprKind::Any(parts), span)
    }
}

#[cfg(test)]
mod tests;
