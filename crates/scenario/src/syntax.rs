//! TOML syntax errors.

use space::{Diagnostic, Span};

/// Converts the parser's errors to mistakes. Only one per line is kept, because the parser may report a
/// single slip several times.
pub fn mistakes(text: &str, errors: &[toml::de::Error]) -> Vec<Diagnostic> {
    let line =
        |offset: usize| text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count();
    let mut last = None;
    let mut mistakes = Vec::new();
    for error in errors.iter().take(100) {
        let range = error.span().unwrap_or(0..0);
        if last.replace(line(range.start)) == Some(line(range.start)) {
            continue;
        }
        let span = Span::new(range.start, range.end);
        mistakes.push(if error.message().contains("duplicate key") {
            let word = text.get(range).unwrap_or_default();
            Diagnostic::new(span, format!("`{word}` is given twice")).hint("keep one of them")
        } else {
            let hint = "each line is `key = value` or `[table]`; strings must be in quotes";
            Diagnostic::new(span, error.message().to_owned()).hint(hint)
        });
    }
    mistakes
}
