//! What is wrong with a file, where, and what to do about it.
//!
//! A reader collects every [`Diagnostic`] of a file into [`Diagnostics`], whose `Display` is the
//! text shown to people:
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

/// How many errors are written out before the rest is only counted.
const SHOWN: usize = 50;
/// Longest piece of a source line that is shown, in characters.
const WIDTH: usize = 100;

/// A range of bytes of the file being read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The place of things that come from no file.
    pub const NONE: Self = Self { start: usize::MAX, end: usize::MAX };

    /// The bytes from `start` up to but excluding `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Whether this is a place in a file.
    pub const fn is_known(self) -> bool {
        self.start != usize::MAX
    }

    /// The smallest range covering both.
    pub fn to(self, other: Self) -> Self {
        match (self.is_known(), other.is_known()) {
            (true, true) => Self::new(self.start.min(other.start), self.end.max(other.end)),
            (true, false) => self,
            _ => other,
        }
    }
}

/// A thing and where it was read.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The thing.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `value`, read at `span`.
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
    /// A lowercase fragment that names the offending text.
    pub message: String,
    /// Where it is.
    pub span: Span,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A mistake at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, hint: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds advice, if there is any.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }
}

/// Every mistake of one file, in the order of the file; or everything that is doubtful in it.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    file: Arc<str>,
    text: Arc<str>,
    list: Vec<Diagnostic>,
    /// What each of the list is: an error or a warning.
    called: &'static str,
    /// The mistakes of files that this one refers to.
    referred: Vec<Self>,
}

impl Diagnostics {
    /// Sorts the mistakes of a file by place.
    pub fn new(file: impl Into<Arc<str>>, text: impl Into<Arc<str>>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| d.span);
        list.dedup();
        Self { file: file.into(), text: text.into(), list, called: "error", referred: Vec::new() }
    }

    /// Calls all of them warnings.
    #[must_use]
    pub fn as_warnings(self) -> Self {
        Self { called: "warning", ..self }
    }

    /// Adds the mistakes of another file, which this one refers to.
    #[must_use]
    pub fn with_those_of(mut self, other: Self) -> Self {
        self.referred.push(other);
        self
    }

    /// The mistakes.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The mistakes of files that this one refers to.
    pub fn referred(&self) -> &[Self] {
        &self.referred
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Line and column of a place, both counted from 1, columns in characters.
    pub fn line_column(&self, span: Span) -> Option<(usize, usize)> {
        let (line, start, _) = self.line(span)?;
        let offset = floor_boundary(&self.text, span.start);
        Some((line, self.text[start..offset].chars().count() + 1))
    }

    /// Number (from 1), first byte and end of the line where a span starts.
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
        writeln!(f, "{}: {}", self.called, diagnostic.message)?;
        let place = self.line(diagnostic.span).zip(self.line_column(diagnostic.span));
        if let Some(((line, start, end), (_, column))) = place {
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

/// The part of a line around the marked columns, and the marks below it.
fn excerpt(line: &[char], column: usize, length: usize) -> (String, String) {
    let first = if column + length.min(WIDTH / 2) <= WIDTH { 0 } else { column.saturating_sub(WIDTH / 2) };
    let last = line.len().min(first + WIDTH);
    let lead = if first > 0 { "..." } else { "" };
    let tail = if last < line.len() { "..." } else { "" };
    let shown = line.get(first..last).unwrap_or_default().iter();
    // A control character would break the alignment, or the terminal.
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
        for (i, diagnostic) in self.list.iter().take(SHOWN).enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            self.render(f, diagnostic)?;
        }
        let more = self.list.len().saturating_sub(SHOWN);
        if more > 0 {
            writeln!(f, "\nand {more} more {}s", self.called)?;
        }
        self.referred.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_mistake() {
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
    fn places_without_a_file_and_past_its_end_are_shown() {
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
