//! Mistakes in the options beside a command: what its scenario would be refused for, told of the option.

use std::path::Path;

use space::{Diagnostic, Span};

use super::super::Draft;
use crate::read;

/// The keys that options fill in.
const OPTIONS: [(&str, &str); 4] = [
    ("objective.minimise", "--minimise"),
    ("objective.cutoff", "--cutoff"),
    ("instances.files", "--instances"),
    ("instances.test", "--test"),
];

/// The mistakes of a scenario that stand in a value which an option gave. What else is wrong with it is
/// not told.
pub(super) fn mistakes(draft: &Draft, folder: &Path) -> Vec<Diagnostic> {
    let text = draft.to_toml();
    let Err(found) = read(&text, folder, super::SOURCE) else { return Vec::new() };
    let of_option = |mistake: &Diagnostic| {
        let key = key_at(&text, mistake.span)?;
        let (_, option) = OPTIONS.iter().find(|(path, _)| *path == key)?;
        let named = mistake.message.replace(&format!("`{key}"), &format!("`{option}"));
        let message = if named == mistake.message { format!("`{option}`: {named}") } else { named };
        Some(Diagnostic { message, span: Span::NONE, hint: mistake.hint.clone() })
    };
    found.list().iter().filter_map(of_option).collect()
}

/// The key whose line a place is in; `None` for headings and places that are not known.
fn key_at(text: &str, span: Span) -> Option<String> {
    let before = text.get(..span.start).filter(|_| span.is_known())?;
    let line = before.matches('\n').count();
    let (key, _) = text.lines().nth(line)?.split_once('=')?;
    let heading = text.lines().take(line).filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).last();
    Some(format!("{}.{}", heading?, key.trim()))
}
