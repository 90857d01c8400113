//! Reads files of `key = value` lines, which most configurators use. R files may also contain `key <- value`.

use crate::draft::Draft;

/// A line that assigns a value to a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Assignment {
    pub(super) key: String,
    /// The value without quotes and comments.
    pub(super) value: String,
}

/// The lines of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Lines {
    /// Lines that assign a value to a key.
    pub(super) assigned: Vec<Assignment>,
    /// All other lines, with their numbers.
    others: Vec<(usize, String)>,
}

impl Lines {
    /// Adds the other lines to the draft's list of settings that could not be converted.
    pub(super) fn lose_others(&self, draft: &mut Draft) {
        for (number, text) in &self.others {
            draft.lose(format!("line {number}, `{text}`: not an assignment"));
        }
    }
}

/// Reads all lines except empty ones and comments. A comment starts with `#` outside quotes.
pub(super) fn read(text: &str) -> Lines {
    let mut lines = Lines::default();
    for (number, text) in text.lines().enumerate() {
        let text = without_comment(text).trim();
        match line(text) {
            Some(assignment) => lines.assigned.push(assignment),
            None if text.is_empty() => {}
            None => lines.others.push((number + 1, text.to_owned())),
        }
    }
    lines
}

fn line(line: &str) -> Option<Assignment> {
    let (key, value) = match (line.split_once("<-"), line.split_once('=')) {
        (Some(arrow), Some(equals)) if arrow.0.len() < equals.0.len() => arrow,
        (_, Some(equals)) => equals,
        (arrow, None) => arrow?,
    };
    let key = key.trim().trim_start_matches("--");
    let value = value.trim().trim_end_matches(';').trim_end();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let valid = !key.is_empty() && !key.contains(char::is_whitespace);
    valid.then(|| Assignment { key: key.to_owned(), value: quoted.unwrap_or(value).to_owned() })
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (c, quote) {
            ('#', None) => return &line[..at],
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    line
}

/// Normalises a key, so that `wallclock_limit`, `wallclock-limit` and `wallclockLimit` are equal.
pub(super) fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_dialects_are_read() {
        let text = "# c\nalgo = ./a -x=1 # why\n\ncutoff-time=5\nexecDir <- \"./#1\" # R\nx = 'a b';\nno\n--seed = 3";
        let lines = read(text);
        assert_eq!(lines.others, [(7, "no".to_owned())]);
        let shown: Vec<String> =
            lines.assigned.into_iter().map(|line| format!("{}|{}", line.key, line.value)).collect();
        assert_eq!(shown, ["algo|./a -x=1", "cutoff-time|5", "execDir|./#1", "x|a b", "seed|3"]);
        assert_eq!(
            ["wallclock_limit", "wallclockLimit", "wallclock-limit"].map(plain),
            ["wallclocklimit"; 3]
        );
    }
}
