//! A JSON parser that keeps positions.
//!
//! This parser exists because the usual libraries do not keep positions. It stops at the first mistake,
//! because after a syntax error the rest is guesswork.

use super::super::super::{Diagnostic, Literal, Span, Spanned};
use super::node::{MAX_DEPTH, Node, Value};

/// Returns the document, or the first mistake in it.
pub(super) fn parse(text: &str) -> Result<Node, Diagnostic> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let node = parser.value()?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.mistake("text after the end of the document").hint("keep one document per file"));
    }
    Ok(node)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Creates a mistake at the next character.
    fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        Diagnostic::new(Span::new(self.at, self.at + width), message)
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        match self.text[self.at..].chars().next() {
            Some(found) if found.is_control() => {
                self.mistake(format!("unexpected `{}` where {wanted} was expected", found.escape_debug()))
            }
            Some(found) => self.mistake(format!("unexpected `{found}` where {wanted} was expected")),
            None => self.mistake(format!("the file ends where {wanted} was expected")),
        }
    }

    fn value(&mut self) -> Result<Node, Diagnostic> {
        self.skip_space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::map)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => Value::Scalar(Literal::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node::new(value, Span::new(start, self.at)))
    }

    fn nested(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Value, Diagnostic>,
    ) -> Result<Value, Diagnostic> {
        if self.depth == MAX_DEPTH {
            return Err(self.mistake("nested too deeply").hint("merge nested clauses"));
        }
        self.depth += 1;
        self.at += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    /// Returns whether the bracket closes here; if not, skips the comma that must separate the items.
    fn closes(&mut self, bracket: u8, first: bool) -> Result<bool, Diagnostic> {
        self.skip_space();
        match self.peek() {
            Some(next) if next == bracket => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') if !first => {
                self.at += 1;
                self.skip_space();
                match self.peek() {
                    Some(next) if next == bracket => {
                        Err(self.unexpected("another item").hint("remove the comma before it"))
                    }
                    _ => Ok(false),
                }
            }
            _ if first => Ok(false),
            _ => Err(self.unexpected(&format!("`,` or `{}`", bracket as char))),
        }
    }

    fn list(&mut self) -> Result<Value, Diagnostic> {
        let mut items = Vec::new();
        while !self.closes(b']', items.is_empty())? {
            items.push(self.value()?);
        }
        Ok(Value::List(items))
    }

    fn map(&mut self) -> Result<Value, Diagnostic> {
        let mut entries = Vec::new();
        while !self.closes(b'}', entries.is_empty())? {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            let key = Spanned::new(key, Span::new(start, self.at));
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.at += 1;
            entries.push((key, self.value()?));
        }
        Ok(Value::Map(entries))
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => {
                    return Err(self.unexpected("the closing quote").hint("write it as an escape sequence"));
                }
                None => {
                    let span = Span::new(start, start + 1);
                    return Err(Diagnostic::new(span, "the string that starts here has no closing quote"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Diagnostic> {
        let start = self.at;
        let wrong = |end: usize| {
            let mut end = end.min(self.text.len());
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            let text = &self.text[start..end];
            Diagnostic::new(Span::new(start, end), format!("unknown escape `{}`", text.escape_debug()))
        };
        let Some(&letter) = self.text.as_bytes().get(start + 1) else { return Err(wrong(start + 1)) };
        let (c, length) = match letter {
            b'"' | b'\\' | b'/' => (letter as char, 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => {
                let unit = |at: usize| {
                    let digits =
                        self.text.get(at..at + 4).filter(|t| t.bytes().all(|b| b.is_ascii_hexdigit()));
                    digits.and_then(|digits| u16::from_str_radix(digits, 16).ok())
                };
                let Some(first) = unit(start + 2) else { return Err(wrong(start + 6)) };
                // Characters beyond the first 65 536 are written as a surrogate pair.
                let second =
                    self.text.get(start + 6..start + 8).filter(|t| *t == "\\u").and_then(|_| unit(start + 8));
                let decoded = char::decode_utf16([first].into_iter().chain(second)).next();
                match decoded {
                    Some(Ok(c)) => (c, if c.len_utf16() == 2 { 12 } else { 6 }),
                    _ => return Err(wrong(start + 6).hint("it is only half of a surrogate pair")),
                }
            }
            _ => return Err(wrong(start + 2)),
        };
        self.at += length;
        Ok(c)
    }

    fn run(&self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        &rest[..rest.bytes().position(|b| !belongs(b)).unwrap_or(rest.len())]
    }

    fn number(&mut self) -> Result<Value, Diagnostic> {
        let text = self.run(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        let span = Span::new(self.at, self.at + text.len());
        self.at += text.len();
        let whole = text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if let Some(integer) = text.parse().ok().filter(|_| whole) {
            return Ok(Value::Scalar(Literal::Integer(integer)));
        }
        match text.parse::<f64>() {
            Ok(_) if whole => Err(Diagnostic::new(span, format!("the integer `{text}` is too large"))),
            Ok(number) if number.is_finite() => Ok(Value::Scalar(Literal::Float(number))),
            _ => Err(Diagnostic::new(span, format!("`{text}` is not a finite number"))),
        }
    }

    fn word(&mut self) -> Result<Value, Diagnostic> {
        let word = self.run(|b| b.is_ascii_alphanumeric() || b == b'_');
        let span = Span::new(self.at, self.at + word.len());
        self.at += word.len();
        match word {
            "null" => Ok(Value::Null),
            "true" => Ok(Value::Scalar(Literal::Boolean(true))),
            "false" => Ok(Value::Scalar(Literal::Boolean(false))),
            "NaN" | "Infinity" => Err(Diagnostic::new(span, format!("`{word}` is not a finite number"))),
            _ => {
                Err(Diagnostic::new(span, format!("unknown word `{word}`")).hint("put text in double quotes"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(json: &str) -> String {
        match parse(json).map(|node| node.value) {
            Ok(Value::Scalar(Literal::Text(text))) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(text_of(r#""a\"\\\/\b\f\n\r\t\u00fc\ud83d\ude00é""#), "a\"\\/\u{8}\u{c}\n\r\tü😀é");
        for wrong in
            [r#""\x""#, r#""\u12g4""#, r#""\ud83d""#, r#""\ud83d\u0041""#, r#""\"#, "\"\\é\"", r#""\u+123""#]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_keep_their_kind() {
        for (text, value) in [
            ("3", Literal::Integer(3)),
            ("-0", Literal::Integer(0)),
            ("3.0", Literal::Float(3.0)),
            ("1e-7", Literal::Float(1e-7)),
        ] {
            assert!(
                matches!(parse(text).unwrap().value, Value::Scalar(ref read) if *read == value),
                "{text}"
            );
        }
        for wrong in ["1e999", "99999999999999999999", "-", "1.2.3", "NaN", "-Infinity", "0x10"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&deep(MAX_DEPTH)).is_ok());
        assert!(parse(&deep(MAX_DEPTH + 1)).is_err() && parse(&"[".repeat(1_000_000)).is_err());
    }

    #[test]
    fn positions_refer_to_the_text() {
        let text = r#" {"é": [1, "b"]} "#;
        let root = parse(text).unwrap();
        let (key, list) = &root.entries("").unwrap()[0];
        let at = |span: Span| &text[span.start..span.end];
        assert_eq!(
            (at(key.span), at(list.span), at(list.items("").unwrap()[1].span)),
            ("\"é\"", "[1, \"b\"]", "\"b\"")
        );
    }
}
