//! Detects which program wrote a text, by patterns that only that program uses.

use super::Source;
use super::{cadical, gcc, minisat};

/// Number of bytes to search: the patterns appear near the start, and texts may be long.
const SEARCHED: usize = 200_000;

pub(super) fn guess(text: &str) -> Option<Source> {
    let mut end = text.len().min(SEARCHED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let any = |test: fn(&str) -> bool| text.lines().any(test);
    if text.contains("[Global flags]") || text.contains("[Global flags ranges]") {
        return Some(Source::Java);
    }
    if any(|line| line.starts_with("# [type: ") && line.contains("advanced: ")) {
        // Both solvers use the same comments, but only SCIP writes upper-case booleans.
        let scip = text.contains("advanced: TRUE") || text.contains("advanced: FALSE");
        return Some(if scip { Source::Scip } else { Source::Highs });
    }
    let header = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    if ["name", "setting", "vartype", "min_val"]
        .iter()
        .all(|column| header.split(',').any(|word| word == *column))
    {
        return Some(Source::Postgres);
    }
    if any(gcc::is_option) {
        return Some(Source::Gcc);
    }
    if any(cadical::is_option) {
        return Some(Source::Cadical);
    }
    any(minisat::is_option).then_some(Source::Minisat)
}
