//! Wraps text to the width of the terminal.
//!
//! Lines are broken only at spaces, and never inside a command in backticks. Continuation lines are indented
//! so that they start below the text. Output to a file or a pipe is not wrapped: each message is one line, so
//! that `grep` finds it.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width};

/// Width that is assumed for a terminal that does not report one.
const USUAL: usize = 80;
/// Smallest width; narrower terminals are treated as if they had this width.
const LEAST: usize = 20;
/// Width of row labels, such as `Verdict: `.
const LABEL: usize = 9;
/// Labels that start messages. A line may have several, as in `captune: error: `.
const LABELS: [&str; 8] =
    ["captune: ", "error: ", "warning: ", "hint: ", "  because: ", "plan: ", "best: ", "verdict: "];
/// Labels before commands to paste, which are never wrapped.
const COMMANDS: [&str; 2] = ["next: ", "then: "];

/// Returns the width of the terminal on standard error; `None` for a file or a pipe.
pub(crate) fn stderr_width() -> Option<usize> {
    width(&std::io::stderr())
}

/// Returns the width of the terminal on standard output; `None` for a file or a pipe.
pub(crate) fn stdout_width() -> Option<usize> {
    width(&std::io::stdout())
}

fn width(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let columns = rustix::termios::tcgetwinsize(stream).map_or(0, |size| usize::from(size.ws_col));
    Some(if columns == 0 { USUAL } else { columns.max(LEAST) })
}

/// Wraps one paragraph, with continuation lines indented by `indent` spaces.
pub(crate) fn paragraph(text: &str, width: Option<usize>, indent: usize) -> String {
    match width {
        None => text.to_owned(),
        Some(width) => fill(words(text), width, indent),
    }
}

/// Joins parts, such as commands, with a separator. Lines are broken only between parts, and the separator is
/// then left out.
pub(crate) fn parts(parts: &[String], separator: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width else { return parts.join(separator) };
    let gaps = std::iter::once("").chain(std::iter::repeat(separator));
    // The caller adds the indentation of the first line.
    let text = fill(gaps.zip(parts.iter().map(String::as_str)), width.saturating_sub(indent), 0);
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// Wraps the messages in a text line by line. Commands, file excerpts and indented lines stay unchanged.
pub(crate) fn text(text: &str, width: Option<usize>) -> String {
    let line = |line: &str| {
        let labels = labels(line);
        let is_excerpt = line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" |");
        let is_command = COMMANDS.iter().any(|label| line.starts_with(label));
        if labels > 0 {
            paragraph(line, width, labels)
        } else if line.starts_with(' ') || is_excerpt || is_command {
            line.to_owned()
        } else {
            paragraph(line, width, 2)
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Formats rows with a label in the first column, and wraps their texts in the second.
pub(crate) fn rows(rows: &[(&str, String)], width: Option<usize>) -> String {
    let row = |(label, text): &(&str, String)| {
        let line = paragraph(&format!("{label:<LABEL$}{text}"), width, LABEL);
        format!("{line}\n")
    };
    rows.iter().map(row).collect()
}

/// Fits a table into the width by wrapping its cells between words. Call it once the table has all its rows.
pub(crate) fn fit(table: &mut Table, width: Option<usize>) {
    let Some(width) = width.and_then(|width| u16::try_from(width).ok()) else { return };
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    let longest = |cell: Option<&Cell>| -> usize {
        let content = cell.map(Cell::content).unwrap_or_default();
        content.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
    };
    for index in 0..table.column_count() {
        let rows = table.header().into_iter().chain(table.row_iter());
        let word = rows.map(|row| longest(row.cell_iter().nth(index))).max().unwrap_or(0);
        if let Some(column) = table.column_mut(index) {
            let word = u16::try_from(word).unwrap_or(width).saturating_add(column.padding_width());
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(word)));
        }
    }
}

/// Returns the width of the labels at the start of a line.
fn labels(line: &str) -> usize {
    let mut rest = line;
    while let Some(after) = LABELS.iter().find_map(|label| rest.strip_prefix(label)) {
        rest = after;
    }
    line.len() - rest.len()
}

/// Splits a text into words, each with the spaces before it. Text in backticks is one word.
fn words(text: &str) -> Vec<(&str, &str)> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(|c| c != ' ').unwrap_or(rest.len());
        let (gap, after) = rest.split_at(start);
        let mut quoted = false;
        let end = after.find(|c| {
            quoted ^= c == '`';
            c == ' ' && !quoted
        });
        let (word, after) = after.split_at(end.unwrap_or(after.len()));
        words.push((gap, word));
        rest = after;
    }
    words
}

/// Fills lines with words, each given with the text that separates it from the previous one.
fn fill<'a>(words: impl IntoIterator<Item = (&'a str, &'a str)>, width: usize, indent: usize) -> String {
    let size = |text: &str| text.chars().count();
    let (mut text, mut used) = (String::new(), 0);
    for (place, (gap, word)) in words.into_iter().enumerate() {
        let needed = size(gap) + size(word);
        // Break only if the next line has more room. A word that is too long for any line stays whole.
        if place > 0 && used + needed > width && used + size(gap) > indent {
            text = format!("{text}\n{}{word}", " ".repeat(indent));
            used = indent + size(word);
        } else {
            text = text + gap + word;
            used += needed;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "hint: name another file, or start one with `captune run SCENARIO`";

    #[test]
    fn paragraphs_break_between_words_and_are_indented() {
        assert_eq!(paragraph("one two three four", Some(9), 2), "one two\n  three\n  four");
        assert_eq!(paragraph("  one  two three", Some(10), 4), "  one  two\n    three");
        assert_eq!(paragraph("é é é", Some(3), 0), "é é\né", "characters are counted, not bytes");
        assert_eq!(paragraph("one two", Some(7), 2), "one two");
        assert_eq!(paragraph("", Some(7), 2), "");
    }

    #[test]
    fn long_words_stay_whole() {
        assert_eq!(paragraph("an incomprehensible word", Some(8), 2), "an\n  incomprehensible\n  word");
    }

    #[test]
    fn pipes_get_one_line() {
        assert_eq!(paragraph(LINE, None, 2), LINE);
        assert_eq!(text(LINE, None), LINE);
        assert_eq!(parts(&["a b".to_owned(), "c".to_owned()], " · ", None, 9), "a b · c");
    }

    #[test]
    fn messages_are_indented_under_their_text_and_commands_stay_whole() {
        assert_eq!(
            text(LINE, Some(40)),
            "hint: name another file, or start one\n      with `captune run SCENARIO`"
        );
        assert_eq!(text(LINE, Some(30)).lines().last(), Some("      `captune run SCENARIO`"));
        let report = "captune: error: the trial has failed\n  ./solver --with many arguments";
        let wrapped =
            "captune: error: the trial has\n                failed\n  ./solver --with many arguments";
        assert_eq!(text(report, Some(30)), wrapped);
        assert_eq!(text("a note without a label", Some(12)), "a note\n  without a\n  label");
        let excerpt =
            "12 | broom = { choices = [\"soft\"] }\n   |             ^\nnext: captune check some.toml";
        assert_eq!(text(excerpt, Some(20)), excerpt);
    }

    #[test]
    fn rows_have_a_column_for_labels() {
        let all = [("spent", "one two three".to_owned()), ("", "four".to_owned())];
        assert_eq!(rows(&all, Some(18)), "spent    one two\n         three\n         four\n");
    }

    #[test]
    fn words_in_tables_stay_whole() {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(["campaign", "cost"]);
        table.add_row(["count.campaign", "PAR10 2.61 ms on 6 pairs"]);
        fit(&mut table, Some(30));
        let lines: Vec<String> = table.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 30), "{lines:#?}");
        assert!(lines.len() > 2 && lines.iter().any(|line| line.contains(" count.campaign ")), "{lines:#?}");
    }

    #[test]
    fn parts_break_only_between_parts() {
        let commands = ["captune status a".to_owned(), "captune best a".to_owned()];
        assert_eq!(parts(&commands, " · ", Some(60), 9), "captune status a · captune best a");
        assert_eq!(parts(&commands, " · ", Some(30), 9), "captune status a\n         captune best a");
    }
}
