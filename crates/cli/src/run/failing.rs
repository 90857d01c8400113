//! A target that fails: its exact command, what it wrote, and what may be the cause.

use engine::Status;
use execution::{Detail, NO_ANSWER, environment};
use scenario::TargetSettings;

use crate::words::harmless;

/// Lines of output that are shown.
const LINES: usize = 20;

/// A failed trial in full.
pub(crate) fn explanation(command: &str, status: Status, detail: &Detail, target: &TargetSettings) -> String {
    let mut text = format!("  {command}\n");
    if let Some(reason) = &detail.reason {
        text += &format!("  failed: {}\n", harmless(reason));
    }
    text += &output(&detail.stdout_tail, &detail.stderr_tail);
    // What ended well, and answered wrongly, lacked nothing.
    let advice = if status == Status::Wrong { Vec::new() } else { advice(detail, target) };
    if !advice.is_empty() {
        text.push('\n');
        text += &advice.iter().map(|line| format!("hint: {line}\n")).collect::<String>();
    }
    text
}

/// The end of what a trial wrote, indented.
pub(crate) fn output(stdout: &[u8], stderr: &[u8]) -> String {
    let mut text = String::new();
    for (name, bytes) in [("standard output", stdout), ("standard error", stderr)] {
        let shown = String::from_utf8_lossy(bytes);
        let shown = harmless(shown.trim_end());
        if shown.is_empty() {
            continue;
        }
        let lines: Vec<&str> = shown.lines().collect();
        let skipped = lines.len().saturating_sub(LINES);
        let end = if skipped > 0 { "the end of its " } else { "its " };
        text += &format!("  {end}{name}:\n");
        text += &lines[skipped..].iter().map(|line| format!("  | {line}\n")).collect::<String>();
    }
    if text.is_empty() { "  it wrote nothing\n".to_owned() } else { text }
}

fn advice(detail: &Detail, target: &TargetSettings) -> Vec<String> {
    let mut advice = Vec::new();
    if detail.reason.as_deref().is_some_and(|reason| reason.ends_with(NO_ANSWER)) {
        let (name, answer) = (target.protocol.name(), target.protocol.answer());
        advice.push(format!("by the protocol `{name}` it answers with a line such as `{answer}`"));
    } else if let (Some(code @ 0..), Some(known)) = (detail.exit, &target.success.exit)
        && !known.contains(&code)
    {
        advice.push(format!(
            "if exit code {code} is a success, say so: `success = {{ exit = [{code}] }}` in `[target]`"
        ));
    }
    let written = [detail.stdout_tail.as_slice(), b"\n", &detail.stderr_tail].concat();
    let suspects = environment::suspects(&written, target);
    if let Some(first) = suspects.first() {
        let names = suspects.join(", ");
        advice.push(format!(
            "your shell has variables that the target did not get: {names}; `pass_env = [\"{first}\"]` passes one"
        ));
    }
    advice
}
