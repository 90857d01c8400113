//! Code shared by the line-based formats: lines without their comments, and pieces of text with their
//! position in the file.
//!
//! A comment runs from the first `#` to the end of the line, even inside quotes, as in SMAC and irace.
//! After a parameter it becomes the parameter's note; on its own line it is dropped.

use super::super::{Literal, Span, Spanned};

/// Maximum number of characters that a message quotes from the file.
const MAX_SHOWN: usize = 60;

/// A part of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    /// Position of its first byte in the file.
    pub(super) start: usize,
}

impl<'t> Piece<'t> {
    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    /// Returns the bytes from one offset up to another.
    pub(super) fn part(self, from: usize, to: usize) -> Self {
        Self { text: &self.text[from..to], start: self.start + from }
    }

    /// Splits at an offset.
    pub(super) fn split_at(self, offset: usize) -> (Self, Self) {
        (self.part(0, offset), self.part(offset, self.text.len()))
    }

    /// Removes the surrounding white space.
    pub(super) fn trim(self) -> Self {
        let lead = self.text.len() - self.text.trim_start().len();
        self.part(lead, lead + self.text.trim().len())
    }

    /// Returns the text after a prefix; `None` if this piece does not start with the prefix.
    pub(super) fn after(self, prefix: &str) -> Option<Self> {
        self.text.starts_with(prefix).then(|| self.split_at(prefix.len()).1)
    }

    /// Splits before the first character for which `stops` is true.
    pub(super) fn until(self, stops: impl Fn(char) -> bool) -> (Self, Self) {
        self.split_at(self.text.find(stops).unwrap_or(self.text.len()))
    }

    /// Returns the text between the opening delimiter, which must come first, and the next closing delimiter.
    /// Also returns the rest of the piece.
    pub(super) fn enclosed(self, open: char, close: char) -> Option<(Self, Self)> {
        let inner = self.after(open.encode_utf8(&mut [0; 4]))?;
        let end = inner.text.find(close)?;
        let (inside, rest) = inner.split_at(end);
        Some((inside, rest.split_at(close.len_utf8()).1))
    }

    /// Splits at commas and trims the parts; blank text has no parts.
    pub(super) fn list(self) -> Vec<Self> {
        if self.trim().is_empty() {
            return Vec::new();
        }
        let mut offset = 0;
        let part = |text: &'t str| {
            let part = self.part(offset, offset + text.len()).trim();
            offset += text.len() + 1;
            part
        };
        self.text.split(',').map(part).collect()
    }

    /// Returns the text for a message, shortened if it is long.
    pub(super) fn shown(self) -> String {
        match self.text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}...", &self.text[..end]),
            None => self.text.to_owned(),
        }
    }

    pub(super) fn owned(self) -> Spanned<String> {
        Spanned::new(self.text.to_owned(), self.span())
    }

    /// Returns the piece as a text value, since these formats have no types.
    pub(super) fn literal(self) -> Spanned<Literal> {
        Spanned::new(self.text.into(), self.span())
    }
}

/// A line with content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The line without comment and surrounding white space; never empty.
    pub(super) content: Piece<'t>,
    /// Comment at the end of the line.
    pub(super) note: Option<&'t str>,
}

/// Returns the lines of a file that contain more than a comment.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split('\n').filter_map(move |line| {
        let whole = Piece { text: line, start };
        start += line.len() + 1;
        let (content, comment) = whole.until(|c| c == '#');
        let note = comment.text.get(1..).map(str::trim).filter(|note| !note.is_empty());
        let content = content.trim();
        (!content.is_empty()).then_some(Line { content, note })
    })
}

/// Writes a note as a comment at the end of a line; `None` if it would not be read back unchanged.
pub(super) fn comment(note: &str) -> Option<String> {
    let fits = !note.is_empty() && note.trim() == note && !note.contains('\n');
    fits.then(|| format!(" # {note}"))
}
