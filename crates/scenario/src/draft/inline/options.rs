//! Reports mistakes in the drafted scenario as mistakes in the command-line options that caused them.

use std::path::Path;

use space::{Diagnostic, Span};

use super::super::Draft;
use crate::read;

/// Keys of a scenario, and the options that set them.
const OPTIONS: [(&str, &str); 8] = [
    ("objective.minimise", "--minimise"),
    ("objective.maximise", "--maximise"),
    ("objective.cutoff", "--cutoff"),
    ("outputs.", "--output"),
    ("constraints.", "--constraint"),
    ("target.success.pattern", "--success-pattern"),
    ("instances.files", "--instances"),
    ("instances.test", "--test"),
];

/// Returns the mistakes in those values of a scenario that were set by options. Other mistakes are left out.
pub(super) fn mistakes(draft: &Draft, folder: &Path) -> Vec<Diagnostic> {
    let text = draft.to_toml();
    let Err(found) = read(&text, folder, super::SOURCE) else { return Vec::new() };
    let of_option = |mistake: &Diagnostic| {
        let key = key_at(&text, mistake.span)?;
        let (_, option) =
            OPTIONS.iter().find(|(path, _)| *path == key || path.ends_with('.') && key.starts_with(path))?;
        let named = mistake.message.replace(&format!("`{key}"), &format!("`{option}"));
        let message = if named == mistake.message { format!("`{option}`: {named}") } else { named };
        let hint = mistake.hint.as_ref();
        let hint = hint.map(|hint| {
            hint.replace("an output in `[outputs]`", "an output, given by `--output 'NAME=REGEX'`")
        });
        Some(Diagnostic { message, span: Span::NONE, hint })
    };
    found.list().iter().filter_map(of_option).collect()
}

/// Returns the key on the line that contains `span`; `None` for headings and unknown places.
fn key_at(text: &str, span: Span) -> Option<String> {
    let before = text.get(..span.start).filter(|_| span.is_known())?;
    let line = before.matches('\n').count();
    let (key, _) = text.lines().nth(line)?.split_once('=')?;
    let heading = text.lines().take(line).filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).last();
    Some(format!("{}.{}", heading?, key.trim()))
}
