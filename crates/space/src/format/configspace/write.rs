//! Writes the document as text: JSON, or YAML with the same scalars in block style.

use super::super::super::Literal;
use super::super::super::literal::float_text;
use super::node::{Node, Value};

/// Style in which floats are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Json,
    /// With a decimal point and a signed exponent, since PyYAML reads `1e-7` as text.
    Yaml,
}

/// Writes JSON on one line, for notes.
pub(super) fn compact(node: &Node) -> String {
    let mut out = String::new();
    flow(node, Style::Json, &mut out);
    out
}

/// Writes JSON with one line per parameter and clause.
pub(super) fn json(document: &Node) -> String {
    let mut out = String::from("{");
    for (i, (key, value)) in sections(document).enumerate() {
        out.push_str(if i > 0 { ",\n  " } else { "\n  " });
        quote(key, &mut out);
        out.push_str(": ");
        match &value.value {
            Value::List(items) if !items.is_empty() => {
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { ",\n    " } else { "[\n    " });
                    flow(item, Style::Json, &mut out);
                }
                out.push_str("\n  ]");
            }
            _ => flow(value, Style::Json, &mut out),
        }
    }
    out.push_str("\n}\n");
    out
}

/// Writes YAML in block style, with lists of plain values on one line.
pub(super) fn yaml(document: &Node) -> String {
    let mut out = String::new();
    for (key, value) in sections(document) {
        out.push_str(key);
        out.push(':');
        match &value.value {
            Value::List(items) if !items.is_empty() => {
                for item in items {
                    out.push_str("\n- ");
                    block(item, 2, &mut out);
                }
            }
            _ => {
                out.push(' ');
                flow(value, Style::Yaml, &mut out);
            }
        }
        out.push('\n');
    }
    out
}

fn sections(document: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let entries = document.entries("the document").unwrap_or_default();
    entries.iter().map(|(key, value)| (key.value.as_str(), value))
}

/// Writes a mapping with one key per line, the first one on the current line.
fn block(node: &Node, indent: usize, out: &mut String) {
    let Value::Map(entries) = &node.value else { return flow(node, Style::Yaml, out) };
    for (i, (key, value)) in entries.iter().enumerate() {
        if i > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(&key.value);
        out.push(':');
        match &value.value {
            Value::List(items) if items.iter().any(|item| matches!(item.value, Value::Map(_))) => {
                for item in items {
                    out.push('\n');
                    out.push_str(&" ".repeat(indent));
                    out.push_str("- ");
                    block(item, indent + 2, out);
                }
            }
            _ => {
                out.push(' ');
                flow(value, Style::Yaml, out);
            }
        }
    }
}

/// Writes a node on one line. JSON and YAML's flow style differ only in floats.
fn flow(node: &Node, style: Style, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Scalar(Literal::Text(text)) => quote(text, out),
        Value::Scalar(Literal::Float(number)) if style == Style::Yaml => out.push_str(&yaml_float(*number)),
        Value::Scalar(literal) => out.push_str(&literal.to_string()),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                flow(item, style, out);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                quote(&key.value, out);
                out.push_str(": ");
                flow(value, style, out);
            }
            out.push('}');
        }
    }
}

fn yaml_float(number: f64) -> String {
    let text = float_text(number);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // Control characters, and those that YAML treats as line breaks or rejects.
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pyyaml_reads_floats_as_floats() {
        let texts = [0.5, 1e-7, 1.5e300, -2e-9, 1e16].map(yaml_float);
        assert_eq!(texts, ["0.5", "1.0e-7", "1.5e+300", "-2.0e-9", "1.0e+16"]);
    }
}
