//! Markup that cannot contain unescaped text: tags, attribute names and raw pieces are literals of this
//! program, and everything else is escaped.

use std::fmt::Write as _;

/// A piece of HTML or SVG.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Markup(String);

/// The attributes of an element: names and values.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    /// Returns an empty piece.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the text of an element.
    pub fn element(tag: &'static str, attributes: Attributes<'_>, text: &str) -> Self {
        let mut own = Self::new();
        own.add(tag, attributes, text);
        own
    }

    /// Adds markup that is part of this program.
    pub fn raw(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        escape(text, &mut self.0);
    }

    /// Adds a sentence of this program, in which commands stand between backticks.
    pub fn sentence(&mut self, text: &str) {
        for (index, part) in text.split('`').enumerate() {
            if index % 2 == 1 { self.add("code", &[], part) } else { self.text(part) }
        }
    }

    /// Opens an element.
    pub fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.begin(tag, attributes);
        self.0.push('>');
    }

    /// Closes an element.
    pub fn close(&mut self, tag: &'static str) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "</{tag}>");
    }

    /// Adds an element without content.
    pub fn empty(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.begin(tag, attributes);
        self.0.push_str("/>");
    }

    /// Adds an element that contains text.
    pub fn add(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Adds an element that contains markup.
    pub fn wrap(&mut self, tag: &'static str, attributes: Attributes<'_>, inner: &Self) {
        self.open(tag, attributes);
        self.0.push_str(&inner.0);
        self.close(tag);
    }

    /// Adds a piece.
    pub fn push(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Returns the markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether nothing has been added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn begin(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            escape(value, &mut self.0);
            self.0.push('"');
        }
    }
}

/// Escapes text for elements and attributes. Control characters, which XML forbids, and characters that
/// change the direction of text are replaced.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let own = Markup::element("p", &[("title", "a\"b'<")], "<script>&\u{1b}[2J\u{202e}");
        assert_eq!(own.as_str(), "<p title=\"a&quot;b&#39;&lt;\">&lt;script&gt;&amp;\u{fffd}[2J\u{fffd}</p>");
    }
    #[test]
    fn commands_in_a_sentence_are_code() {
        let mut own = Markup::new();
        own.sentence("`captune a` does <it>, then `b`");
        assert_eq!(own.as_str(), "<code>captune a</code> does &lt;it&gt;, then <code>b</code>");
    }
}
