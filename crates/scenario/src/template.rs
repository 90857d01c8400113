//! Text with placeholders, such as `-rnd-seed={seed}`. `{{` and `}}` stand for literal braces.

use std::ops::Range;

use space::{Diagnostic, Span, Spanned, suggestion};

use super::report::Report;

/// A part of a text.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Text passed unchanged.
    Literal(String),
    /// The text between a pair of braces.
    Placeholder(Spanned<String>),
}

/// Splits a text into parts. If a brace is unmatched, reports it and returns `None`.
pub(super) fn split(report: &mut Report<'_>, text: &Spanned<String>) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text.value.char_indices().peekable();
    let bytes = text.value.as_str();
    while let Some((at, c)) = rest.next() {
        match c {
            '{' | '}' if rest.next_if(|&(_, next)| next == c).is_some() => literal.push(c),
            '{' => match bytes[at + 1..].find(['{', '}']).map(|length| at + 1 + length) {
                Some(end) if bytes[end..].starts_with('}') => {
                    if !literal.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut literal)));
                    }
                    let span = within(report.text, text, at..end + 1);
                    parts.push(Part::Placeholder(Spanned::new(bytes[at + 1..end].to_owned(), span)));
                    while rest.next_if(|&(place, _)| place <= end).is_some() {}
                }
                _ => {
                    let span = within(report.text, text, at..at + 1);
                    report.mistake(span, "`{` has no matching `}`", "write `{{` for a literal brace");
                    return None;
                }
            },
            '}' => {
                let span = within(report.text, text, at..at + 1);
                report.mistake(span, "`}` has no matching `{`", "write `}}` for a literal brace");
                return None;
            }
            c => literal.push(c),
        }
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Some(parts)
}

/// Locates a part of a text in the file. If the text contains escapes, returns the location of the whole
/// text.
fn within(file: &str, text: &Spanned<String>, part: Range<usize>) -> Span {
    let quoted = file.get(text.span.start..text.span.end).unwrap_or_default();
    match quoted.find(text.value.as_str()) {
        Some(lead) if !text.value.is_empty() => {
            let start = text.span.start + lead;
            Span::new(start + part.start, start + part.end)
        }
        _ => text.span,
    }
}

/// Reports a placeholder that is unknown in this context.
pub(super) fn unknown(report: &mut Report<'_>, placeholder: &Spanned<String>, known: &[&str]) {
    let list = known.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ");
    let near = suggestion(&placeholder.value, known.iter().copied());
    let near = near.map(|hint| hint.replacen('`', "`{", 1).replacen("`?", "}`?", 1) + " ");
    let message = format!("unknown placeholder `{{{}}}`", placeholder.value);
    let hint = format!("{}known placeholders: {list}; `{{{{` is a literal brace", near.unwrap_or_default());
    report.mistakes.push(Diagnostic::new(placeholder.span, message).hint(hint));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let file = format!("\"{text}\"");
        let mut report = Report::new(&file);
        let text = Spanned::new(text.to_owned(), Span::new(0, file.len()));
        match split(&mut report, &text) {
            Some(parts) => parts
                .iter()
                .map(|part| match part {
                    Part::Literal(text) => format!("[{text}]"),
                    Part::Placeholder(name) => {
                        assert_eq!(&file[name.span.start..name.span.end], format!("{{{}}}", name.value));
                        format!("<{}>", name.value)
                    }
                })
                .collect(),
            None => report.mistakes.iter().map(|d| format!("{}@{}", d.message, d.span.start)).collect(),
        }
    }

    #[test]
    fn placeholders_and_literal_braces_are_distinguished() {
        assert_eq!(shown("-s={seed}x"), "[-s=]<seed>[x]");
        assert_eq!(shown("{{a}} {param:é} é"), "[{a} ]<param:é>[ é]");
        assert_eq!(shown("{{{seed}}}"), "[{]<seed>[}]");
        assert_eq!(shown(""), "");
        assert_eq!(shown("{}"), "<>");
        assert_eq!(shown("a{b"), "`{` has no matching `}`@2");
        assert_eq!(shown("a}b"), "`}` has no matching `{`@2");
        assert_eq!(shown("{a{b}"), "`{` has no matching `}`@1");
    }
}
