//! What the line-based formats share: lines without their comments, and pieces of text that know
//! where in the file they stand.
//!
//! A comment runs from the first `#` to the end of the line, inside quotes too, as SMAC and irace
//! have it. Behind a parameter it is the parameter's note; on a line of its own it is dropped.

use super::super::{Literal, Span, Spanned};

/// Most characters of the file that a message repeats.
const SHOWN: usize = 60;

/// A part of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    /// Place of its first byte in the file.
    pub(super) start: usize,
}

impl<'t> Piece<'t> {
    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    /// The bytes from one offset up to another.
    pub(super) fn part(self, from: usize, to: usize) -> Self {
        Self { text: &self.text[from..to], start: self.start + from }
    }

    /// What comes before an offset, and what comes from there on.
    pub(super) fn split_at(self, offset: usize) -> (Self, Self) {
        (self.part(0, offset), self.part(offset, self.text.len()))
    }

    /// Without the white space around it.
    pub(super) fn trim(self) -> Self {
        let lead = self.text.len() - self.text.trim_start().len();
        self.part(lead, lead + self.text.trim().len())
    }

    /// What follows a beginning, if it begins so.
    pub(super) fn after(self, beginning: &str) -> Option<Self> {
        self.text.starts_with(beginning).then(|| self.split_at(beginning.len()).1)
    }

    /// The longest beginning without any such character, and the rest.
    pub(super) fn until(self, stops: impl Fn(char) -> bool) -> (Self, Self) {
        self.split_at(self.text.find(stops).unwrap_or(self.text.len()))
    }

    /// What stands between an opening mark, with which this begins, and the next closing one; and
    /// the rest.
    pub(super) fn enclosed(self, open: char, close: char) -> Option<(Self, Self)> {
        let inner = self.after(open.encode_utf8(&mut [0; 4]))?;
        let end = inner.text.find(close)?;
        let (inside, rest) = inner.split_at(end);
        Some((inside, rest.split_at(close.len_utf8()).1))
    }

    /// The parts between commas, trimmed; none if there is nothing at all.
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

    /// For a message: no longer than it takes to recognise it.
    pub(super) fn shown(self) -> String {
        match self.text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}...", &self.text[..end]),
            None => self.text.to_owned(),
        }
    }

    pub(super) fn owned(self) -> Spanned<String> {
        Spanned::new(self.text.to_owned(), self.span())
    }

    /// As a value: the formats have no types, so it is text.
    pub(super) fn literal(self) -> Spanned<Literal> {
        Spanned::new(self.text.into(), self.span())
    }
}

/// A line that says something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// Without comment and surrounding space; never empty.
    pub(super) content: Piece<'t>,
    /// Its comment.
    pub(super) note: Option<&'t str>,
}

/// The lines of a file that hold more than a comment.
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

/// A note as the comment at the end of a line, or nothing if it would not be read back.
pub(super) fn comment(note: &str) -> Option<String> {
    let fits = !note.is_empty() && note.trim() == note && !note.contains('\n');
    fits.then(|| format!(" # {note}"))
}
