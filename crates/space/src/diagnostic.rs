//! Diagnostics: what is wrong with a file, where, and how to fix it.
//!
//! A reader collects every [`Diagnostic`] for a file in [`Diagnostics`], whose `Display` output is meant for
//! people:
//!
//! ```text
//! error: unknown key `flaot`
//!  --> spear.toml:3:11
//!   |
//! 3 | alpha = { flaot = [1, 2] }
//!   |           ^^^^^
//! hint: did you mean `float`?
//! ```

use std::fmt;
use std::sync::Arc;

/// Maximum number of errors that are shown; the rest are only counted.
const MAX_SHOWN: usize = 50;
/// Longest part of a source line that is shown, in characters.
const WIDTH: usize = 100;

/// A range of bytes in the file being read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte.
    pub end: usize,
}

impl Span {
    /// The span of anything that does not come from a file.
    pub const NONE: Self = Self { start: usize::MAX, end: usize::MAX };

    /// Creates a span from `start` up to but excluding `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns whether this is a position in a file.
    pub const fn is_known(self) -> bool {
        self.start != usize::MAX
    }

    /// Returns the smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        match (self.is_known(), other.is_known()) {
            (true, true) => Self::new(self.start.min(other.start), self.end.max(other.end)),
            (true, false) => self,
            _ => other,
        }
    }
}

/// A value and its position in the file.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its position.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Creates a value read at `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self { value, span: Span::NONE }
    }
}

impl From<&str> for Spanned<String> {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A lowercase fragment that quotes the text at fault.
    pub message: String,
    /// Position of the mistake.
    pub span: Span,
    /// A suggestion for fixing the mistake.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic at a position.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }
}

/// All errors or all warnings for one file, in the order of their positions.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    file: Arc<str>,
    text: Arc<str>,
    list: Vec<Diagnostic>,
    /// The label of each entry: `error` or `warning`.
    severity: &'static str,
    /// Diagnostics for other files that this one refers to.
    referred: Vec<Self>,
}

impl Diagnostics {
    /// Creates the list of errors for a file, sorted by position.
    pub fn new(file: impl Into<Arc<str>>, text: impl Into<Arc<str>>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| d.span);
        list.dedup();
        Self { file: file.into(), text: text.into(), list, severity: "error", referred: Vec::new() }
    }

    /// Turns all diagnostics into warnings.
    #[must_use]
    pub fn as_warnings(self) -> Self {
        Self { severity: "warning", ..self }
    }

    /// Adds the diagnostics for another file that this one refers to.
    #[must_use]
    pub fn with_referred(mut self, other: Self) -> Self {
        self.referred.push(other);
        self
    }

    /// Returns the diagnostics.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Returns the diagnostics for other files that this one refers to.
    pub fn referred(&self) -> &[Self] {
        &self.referred
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the line and column of a span's start, both counted from 1; columns count characters.
    pub fn line_column(&self, span: Span) -> Option<(usize, usize)> {
        let (line, start, _) = self.line(span)?;
        let offset = floor_boundary(&self.text, span.start);
        Some((line, self.text[start..offset].chars().count() + 1))
    }

    /// Returns the number (counted from 1), the first byte and the end of the line in which a span starts.
    fn line(&self, span: Span) -> Option<(usize, usize, usize)> {
        if !span.is_known() {
            return None;
        }
        let offset = floor_boundary(&self.text, span.start);
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[offset..].find('\n').map_or(self.text.len(), |i| offset + i);
        Some((before.matches('\n').count() + 1, start, end))
    }

    fn render(&self, f: &mut fmt::Formatter<'_>, diagnostic: &Diagnostic) -> fmt::Result {
        writeln!(f, "{}: {}", self.severity, diagnostic.message)?;
        let position = self.line(diagnostic.span).zip(self.line_column(diagnostic.span));
        if let Some(((line, start, end), (_, column))) = position {
            let number = line.to_string();
            let gutter = " ".repeat(number.len());
            writeln!(f, "{gutter}--> {}:{line}:{column}", self.file)?;
            let source: Vec<char> = self.text[start..end].trim_end().chars().collect();
            let length = self.text.get(diagnostic.span.start..diagnostic.span.end.min(end));
            let length = length.map_or(1, |t| t.trim_end().chars().count()).max(1);
            let (piece, marks) = excerpt(&source, column - 1, length);
            writeln!(f, "{gutter} |\n{number} | {}\n{gutter} | {}", piece.trim_end(), marks)?;
        } else {
            writeln!(f, "  --> {}", self.file)?;
        }
        match &diagnostic.hint {
            Some(hint) => writeln!(f, "hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Returns the part of a line around the marked columns, and the marks below it.
fn excerpt(line: &[char], column: usize, length: usize) -> (String, String) {
    let first = if column + length.min(WIDTH / 2) <= WIDTH { 0 } else { column.saturating_sub(WIDTH / 2) };
    let last = line.len().min(first + WIDTH);
    let lead = if first > 0 { "..." } else { "" };
    let tail = if last < line.len() { "..." } else { "" };
    let shown = line.get(first..last).unwrap_or_default().iter();
    // A control character could break the alignment or confuse the terminal.
    let piece: String = shown.map(|&c| if c.is_control() { ' ' } else { c }).collect();
    let marks = length.min(last.saturating_sub(column)).max(1);
    let indent = " ".repeat(lead.len() + column - first);
    (format!("{lead}{piece}{tail}"), format!("{indent}{}", "^".repeat(marks)))
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.list.iter().take(MAX_SHOWN).enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            self.render(f, diagnostic)?;
        }
        let more = self.list.len().saturating_sub(MAX_SHOWN);
        if more > 0 {
            writeln!(f, "\nand {more} more {}s", self.severity)?;
        }
        self.referred.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shortened_around_the_mistake() {
        let text = format!("first\n{}wrong{}\n", "x, ".repeat(200), ", y".repeat(200));
        let start = text.find("wrong").unwrap();
        let list = vec![Diagnostic::new(Span::new(start, start + 5), "bad value `wrong`").hint("drop it")];
        insta::assert_snapshot!(Diagnostics::new("f.pcs", text, list), @r"
        error: bad value `wrong`
         --> f.pcs:2:601
          |
        2 | ..., x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, wrong, y, y, y, y, y, y, y, y, y, y, y, y, y, y, y...
          |                                                      ^^^^^
        hint: drop it
        ");
    }

    #[test]
    fn mistakes_without_a_position_and_past_the_end_are_shown() {
        let list = vec![
            Diagnostic::new(Span::NONE, "empty file"),
            Diagnostic::new(Span::new(9, 9), "unexpected end"),
        ];
        insta::assert_snapshot!(Diagnostics::new("é.pcs", "aé\n", list), @r"
        error: unexpected end
         --> é.pcs:2:1
          |
        2 | 
          | ^

        error: empty file
          --> é.pcs
        ");
    }
}
