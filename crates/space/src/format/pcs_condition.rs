//! The condition of a PCS line, after `child |`.
//!
//! ```text
//! any  = all { "||" all }                             new format only
//! all  = atom { "&&" atom }
//! atom = name "in" "{" value { "," value } "}"
//!      | name ("==" | "!=" | "<" | ">") value         new format only
//!      | "(" any ")"                                  new format only; SMAC itself has no parentheses
//! ```
//!
//! SMAC splits the line at `||`, then at `&&`, then at the operator. So a value is everything up to the
//! next of these, whatever characters it contains.

use super::super::Diagnostic;
use super::super::expression::{Comparison, Expr, MAX_DEPTH};
use super::pcs::Version;
use super::scan::Piece;

/// Maximum length of a name, in bytes; it bounds the search for the longest known name.
const MAX_NAME_LENGTH: usize = 200;

const SIGNS: [(&str, Comparison); 7] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    ("=", Comparison::Equal),
];

/// Reads a condition; `known` returns whether a parameter exists.
pub(super) fn read(
    text: Piece<'_>,
    version: Version,
    known: &dyn Fn(&str) -> bool,
) -> Result<Expr, Diagnostic> {
    let mut parser = Parser { rest: text.trim(), version, known, depth: 0 };
    let expr = parser.any()?;
    match parser.rest.is_empty() {
        true => Ok(expr),
        false => Err(parser.unexpected("`&&` or the end")),
    }
}

struct Parser<'t, 'k> {
    /// The text that is still to be read, trimmed.
    rest: Piece<'t>,
    version: Version,
    known: &'k dyn Fn(&str) -> bool,
    depth: usize,
}

impl<'t> Parser<'t, '_> {
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let (word, _) = self.rest.until(char::is_whitespace);
        let message = match word.is_empty() {
            true => format!("the condition ends where {wanted} was expected"),
            false => format!("unexpected `{}` where {wanted} was expected", word.shown()),
        };
        Diagnostic::new(word.span(), message).hint(match self.version {
            Version::Old => "write `child | parent in {a, b}`",
            Version::New => "write `child | parent == a && other in {b, c}`",
        })
    }

    /// Skips an operator if it comes next. `is_new` marks operators that the old format does not have.
    fn accept(&mut self, sign: &str, is_new: bool) -> Result<bool, Diagnostic> {
        let Some(after) = self.rest.after(sign) else { return Ok(false) };
        if is_new && self.version == Version::Old {
            let message = format!("`{sign}` is not part of the old PCS format");
            let (sign, _) = self.rest.split_at(sign.len());
            return Err(Diagnostic::new(sign.span(), message)
                .hint("it only allows `parent in {a, b}`, joined by `&&`; the new format allows more"));
        }
        self.rest = after.trim();
        Ok(true)
    }

    fn any(&mut self) -> Result<Expr, Diagnostic> {
        let mut parts = vec![self.all()?];
        while self.accept("||", true)? {
            parts.push(self.all()?);
        }
        Ok(Expr::any(parts))
    }

    fn all(&mut self) -> Result<Expr, Diagnostic> {
        let mut parts = vec![self.atom()?];
        while self.accept("&&", false)? {
            parts.push(self.atom()?);
        }
        Ok(Expr::all(parts))
    }

    fn atom(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.rest;
        if self.accept("(", true)? {
            if self.depth == MAX_DEPTH {
                return Err(Diagnostic::new(
                    start.span(),
                    format!("more than {MAX_DEPTH} levels of nesting"),
                ));
            }
            self.depth += 1;
            let inner = self.any()?;
            self.depth -= 1;
            return if self.accept(")", true)? { Ok(inner) } else { Err(self.unexpected("`)`")) };
        }
        let name = self.name();
        if name.is_empty() {
            return Err(self.unexpected("the name of a parameter"));
        }
        let name = Expr::name(name.text, name.span());
        for (sign, comparison) in SIGNS {
            if self.accept(sign, true)? {
                let value = self.value()?;
                return Ok(Expr::compare(comparison, name, value));
            }
        }
        let (word, after) = self.rest.until(|c| c.is_whitespace() || c == '{');
        if word.text != "in" {
            return Err(self.unexpected(if self.version == Version::Old {
                "`in`"
            } else {
                "a comparison or `in`"
            }));
        }
        self.rest = after.trim();
        let Some((inside, after)) = self.rest.enclosed('{', '}') else {
            return Err(self.unexpected("a list of values in braces"));
        };
        self.rest = after.trim();
        let values = inside.list();
        if values.is_empty() || values.iter().any(|value| value.is_empty()) {
            return Err(Diagnostic::new(inside.span(), "a value is missing from the list")
                .hint("separate values with one comma"));
        }
        let values = values.into_iter().map(Piece::literal);
        Ok(Expr::member(name, values.map(|value| Expr::literal(value.value, value.span)).collect()))
    }

    /// Reads the name at the start: the longest known one that ends at an operator or at white space.
    fn name(&mut self) -> Piece<'t> {
        let text = self.rest.text;
        let ends_at = |end: usize| {
            let after = &text[end..];
            SIGNS.iter().any(|(sign, _)| after.starts_with(sign))
                || ["&&", "||", ")"].iter().any(|mark| after.starts_with(mark))
        };
        let mut first = None;
        let mut longest = None;
        for (at, c) in text.char_indices() {
            let space = c.is_whitespace();
            if space || ends_at(at) {
                first = first.or(Some(at));
                longest = Some(at).filter(|_| (self.known)(&text[..at])).or(longest);
            }
            if space || (at > MAX_NAME_LENGTH && first.is_some()) {
                break;
            }
        }
        if text.len() <= MAX_NAME_LENGTH && !text.contains(char::is_whitespace) && (self.known)(text) {
            longest = Some(text.len());
        }
        let (name, rest) = self.rest.split_at(longest.or(first).unwrap_or(text.len()));
        self.rest = rest.trim();
        name
    }

    fn value(&mut self) -> Result<Expr, Diagnostic> {
        let text = self.rest.text;
        let ends_at = |&(at, c): &(usize, char)| {
            (c == ')' && self.depth > 0) || text[at..].starts_with("&&") || text[at..].starts_with("||")
        };
        let end = text.char_indices().find(ends_at).map_or(text.len(), |(at, _)| at);
        let (value, rest) = self.rest.split_at(end);
        let value = value.trim();
        if value.is_empty() {
            return Err(self.unexpected("a value"));
        }
        self.rest = rest.trim();
        Ok(Expr::literal(value.text, value.span()))
    }
}
