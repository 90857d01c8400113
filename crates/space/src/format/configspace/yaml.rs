//! A YAML parser that keeps positions and follows PyYAML, which ConfigSpace uses.
//!
//! | plain scalar | means |
//! |---|---|
//! | `true`, `Yes`, `on`, ... | a boolean, as in YAML 1.1 |
//! | `~`, `null`, nothing | null |
//! | `12`, `-0x1F`, `1_000` | an integer |
//! | `1.5`, `1.0e-7` | a float; without decimal point and sign, as in `1e5`, it is text |
//! | `1:30`, `2001-12-14` | rejected: some parsers read a base-60 number or a date, others text |
//!
//! ConfigSpace writes some lists as `!!python/tuple`, which are read as lists. Aliases are resolved, up
//! to a total of [`MAX_ALIASED`] nodes and bytes.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::super::super::{Diagnostic, Literal, Span, Spanned};
use super::node::{MAX_DEPTH, Node, Value};

/// Maximum size that aliases may add to a document, in nodes and bytes of text.
const MAX_ALIASED: usize = 1_000_000;

/// Returns the document, or the first mistake in it.
pub(super) fn parse(text: &str) -> Result<Node, Diagnostic> {
    let mut loader = Loader {
        positions: Positions::new(text),
        open: Vec::new(),
        root: None,
        anchored: HashMap::new(),
        aliased: 0,
    };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| loader.positions.syntax(&error))?;
        let span = loader.positions.span(span);
        loader.take(event, span)?;
    }
    Ok(loader.root.unwrap_or_else(Node::null))
}

/// A conversion of the parser's positions, which are counted in characters, to bytes.
struct Positions {
    /// Byte offset of every character; empty if the text is ASCII, where both counts agree.
    offsets: Vec<usize>,
    length: usize,
}

impl Positions {
    fn new(text: &str) -> Self {
        let offsets =
            if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Self { offsets, length: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        if self.offsets.is_empty() {
            return character.min(self.length);
        }
        self.offsets.get(character).copied().unwrap_or(self.length)
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        Span::new(self.byte(span.start.index()), self.byte(span.end.index()))
    }

    fn syntax(&self, error: &ScanError) -> Diagnostic {
        let at = self.byte(error.marker().index());
        let hint = "indent items with spaces; put text with special characters in quotes";
        Diagnostic::new(Span::new(at, at), error.info().to_owned()).hint(hint)
    }
}

/// A list or mapping whose end has not been read yet.
struct Open {
    start: Span,
    anchor: usize,
    parts: Parts,
}

enum Parts {
    List(Vec<Node>),
    Map(Vec<(Spanned<String>, Node)>, Option<Spanned<String>>),
}

struct Loader {
    positions: Positions,
    open: Vec<Open>,
    root: Option<Node>,
    /// Nodes that an alias may refer to, and their sizes.
    anchored: HashMap<usize, (Node, usize)>,
    aliased: usize,
}

impl Loader {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(Diagnostic::new(span, "a second document starts here").hint("keep one document per file"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref(), span)?;
                // Keys are always text: `on` must not become `true`.
                let awaited = self.open.last_mut().map(|open| &mut open.parts);
                if let Some(Parts::Map(_, key @ None)) = awaited {
                    *key = Some(Spanned::new(text.into_owned(), span));
                    return Ok(());
                }
                self.put(Node::new(value, span), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.check_collection(tag.as_deref(), &["seq", "python/tuple"], span)?;
                self.begin(span, anchor, Parts::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.check_collection(tag.as_deref(), &["map"], span)?;
                self.begin(span, anchor, Parts::Map(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let value = match open.parts {
                    Parts::List(items) => Value::List(items),
                    Parts::Map(entries, _) => Value::Map(entries),
                };
                self.put(Node::new(value, open.start.to(span)), open.anchor)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchored.get(&anchor) else {
                    let hint = "define its anchor before it; an alias may not be inside its own anchor";
                    return Err(Diagnostic::new(span, "unknown alias").hint(hint));
                };
                self.aliased += size;
                if self.aliased > MAX_ALIASED {
                    let hint = "replace the aliases with their contents";
                    return Err(Diagnostic::new(span, "the aliases make the file too large").hint(hint));
                }
                let mut node = node.clone();
                node.span = span;
                self.put(node, 0)
            }
            _ => Ok(()),
        }
    }

    fn check_collection(&self, tag: Option<&Tag>, known: &[&str], span: Span) -> Result<(), Diagnostic> {
        match tag {
            Some(tag) if !(tag.is_yaml_core_schema() && known.contains(&tag.suffix.as_str())) => {
                Err(unknown_tag(tag, span))
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, start: Span, anchor: usize, parts: Parts) -> Result<(), Diagnostic> {
        if self.open.len() == MAX_DEPTH {
            return Err(Diagnostic::new(start, "nested too deeply").hint("merge nested clauses"));
        }
        if let Some(Open { parts: Parts::Map(_, None), .. }) = self.open.last() {
            return Err(Diagnostic::new(start, "a key must be a single string"));
        }
        self.open.push(Open { start, anchor, parts });
        Ok(())
    }

    fn put(&mut self, node: Node, anchor: usize) -> Result<(), Diagnostic> {
        if anchor > 0 {
            self.anchored.insert(anchor, (node.clone(), size(&node)));
        }
        match self.open.last_mut().map(|open| &mut open.parts) {
            None => self.root = Some(node),
            Some(Parts::List(items)) => items.push(node),
            Some(Parts::Map(entries, key)) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => return Err(Diagnostic::new(node.span, "a key must be a single string")),
            },
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    1 + match &node.value {
        Value::Null => 0,
        Value::Scalar(Literal::Text(text)) => text.len(),
        Value::Scalar(_) => 0,
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(entries) => entries.iter().map(|(key, value)| key.value.len() + size(value)).sum(),
    }
}

fn unknown_tag(tag: &Tag, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("unsupported tag `{tag}`"))
        .hint("write the value without a tag, as text, a number, true or false")
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Result<Value, Diagnostic> {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { plain(text, span) } else { Ok(Value::Scalar(text.into())) };
    };
    let reject = || Err(Diagnostic::new(span, format!("`{text}` does not match its tag `{tag}`")));
    match tag.suffix.as_str() {
        _ if !tag.is_yaml_core_schema() => Err(unknown_tag(tag, span)),
        "str" | "python/str" | "python/unicode" => Ok(Value::Scalar(text.into())),
        "null" => Ok(Value::Null),
        "bool" => truth(text).map_or_else(reject, |truth| Ok(Value::Scalar(truth.into()))),
        "int" => integer(text).map_or_else(reject, |number| Ok(Value::Scalar(number.into()))),
        "float" => match Literal::from(text).number() {
            Some(number) => Ok(Value::Scalar(number.into())),
            None => reject(),
        },
        _ => Err(unknown_tag(tag, span)),
    }
}

/// Reads a scalar without quotes or tag.
fn plain(text: &str, span: Span) -> Result<Value, Diagnostic> {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Ok(Value::Null);
    }
    if let Some(truth) = truth(text) {
        return Ok(Value::Scalar(truth.into()));
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(digits, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Err(Diagnostic::new(span, format!("`{text}` is not a finite number")));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Ok(Value::Scalar(text.into()));
    }
    let only = |allowed: &str| digits.chars().all(|c| c.is_ascii_digit() || allowed.contains(c));
    let dated = digits.len() >= 8
        && digits.as_bytes()[..4].iter().all(u8::is_ascii_digit)
        && digits.as_bytes()[4] == b'-';
    if (dated && only("-:.+TtZz ")) || (digits.contains(':') && only(":._")) {
        let message = format!("`{text}` is a number, a date or text, depending on the YAML parser");
        return Err(Diagnostic::new(span, message).hint("if it is text, put it in quotes"));
    }
    if let Some(number) = integer(text) {
        return Ok(Value::Scalar(number.into()));
    }
    if !digits.contains('.') && only("_") && !digits.starts_with('0') {
        return Err(Diagnostic::new(span, format!("the integer `{text}` is too large")));
    }
    if is_float(text) {
        let number = text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite());
        let number =
            number.ok_or_else(|| Diagnostic::new(span, format!("`{text}` is not a finite number")))?;
        return Ok(Value::Scalar(number.into()));
    }
    Ok(Value::Scalar(text.into()))
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// Reads a decimal number, `0b101`, `0x1f` or, as in YAML 1.1, `017`; underscores may separate digits.
fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let valid = !digits.is_empty() && !digits.starts_with(['+', '-']);
    let digits = digits.replace('_', "");
    let signed = if negative { format!("-{digits}") } else { digits };
    i64::from_str_radix(&signed, radix).ok().filter(|_| valid)
}

/// Returns whether PyYAML reads the text as a float: the text needs a decimal point, a leading sign must
/// precede a digit, and an exponent must have a sign.
fn is_float(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).filter(|digits| !digits.starts_with('.')).unwrap_or(text);
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']);
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    });
    let leading = mantissa.strip_prefix('.').unwrap_or(mantissa);
    let point = mantissa.matches('.').count() == 1 && leading.starts_with(|c: char| c.is_ascii_digit());
    point && exponent_fits && mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'_' || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match parse(text) {
            Err(mistake) => format!("error {}", mistake.message),
            Ok(Node { value: Value::Scalar(literal), .. }) => format!("{literal:?}"),
            Ok(node) => format!("{:?}", node.value),
        }
    }

    #[test]
    fn plain_scalars_are_read_as_pyyaml_reads_them() {
        let all = [
            "yes",
            "'yes'",
            "Off",
            "~",
            "12",
            "-0x1F",
            "017",
            "1_000",
            "+3",
            "1.5",
            ".5",
            "-.5",
            "._5",
            "1.0e-07",
            "1e5",
            "1.e+3",
            "1.5e3",
            "09",
            "a b",
            "-",
            "1:30",
            "2001-12-14",
            ".inf",
            "99999999999999999999",
            "!!str 12",
            "!!float 3",
            "!!python/name:os.x 1",
            "\"\\x41\\u00fc\"",
            "0.1.2",
            "- !!python/tuple [1]",
        ];
        let lines: Vec<String> = all.iter().map(|text| format!("{text} -> {}", shown(text))).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        yes -> Boolean(true)
        'yes' -> Text("yes")
        Off -> Boolean(false)
        ~ -> Null
        12 -> Integer(12)
        -0x1F -> Integer(-31)
        017 -> Integer(15)
        1_000 -> Integer(1000)
        +3 -> Integer(3)
        1.5 -> Float(1.5)
        .5 -> Float(0.5)
        -.5 -> Text("-.5")
        ._5 -> Text("._5")
        1.0e-07 -> Float(1e-7)
        1e5 -> Text("1e5")
        1.e+3 -> Float(1000.0)
        1.5e3 -> Text("1.5e3")
        09 -> Text("09")
        a b -> Text("a b")
        - -> List([Node { value: Null, span: Span { start: 1, end: 1 } }])
        1:30 -> error `1:30` is a number, a date or text, depending on the YAML parser
        2001-12-14 -> error `2001-12-14` is a number, a date or text, depending on the YAML parser
        .inf -> error `.inf` is not a finite number
        99999999999999999999 -> error the integer `99999999999999999999` is too large
        !!str 12 -> Text("12")
        !!float 3 -> Float(3.0)
        !!python/name:os.x 1 -> error unsupported tag `tag:yaml.org,2002:!python/name:os.x`
        "\x41\u00fc" -> Text("Aü")
        0.1.2 -> Text("0.1.2")
        - !!python/tuple [1] -> List([Node { value: List([Node { value: Scalar(Integer(1)), span: Span { start: 18, end: 19 } }]), span: Span { start: 2, end: 20 } }])
        "#);
    }

    #[test]
    fn aliases_are_resolved_within_limits() {
        let root = parse("a: &x [1, 2]\nb: *x\n").unwrap();
        assert_eq!(root.entries("").unwrap()[1].1.items("b").unwrap().len(), 2);
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..12 {
            bomb += &format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(", "));
        }
        assert_eq!(parse(&bomb).unwrap_err().message, "the aliases make the file too large");
        assert!(parse("a: &x [*x]\n").is_err() && parse("a: *y\n").is_err());
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&deep(MAX_DEPTH)).is_ok());
        assert_eq!(parse(&deep(MAX_DEPTH + 1)).unwrap_err().message, "nested too deeply");
        assert!(parse(&"[".repeat(100_000)).is_err() && parse(&"- ".repeat(100_000)).is_err());
    }

    #[test]
    fn positions_refer_to_the_text() {
        let text = "é: 1\nü:\n  - 'b'\n  - cd # x\n";
        let root = parse(text).unwrap();
        let (key, list) = &root.entries("").unwrap()[1];
        let at = |span: Span| &text[span.start..span.end];
        let items: Vec<&str> = list.items("").unwrap().iter().map(|item| at(item.span)).collect();
        assert_eq!((at(key.span), items), ("ü", vec!["'b'", "cd"]));
    }
}
