//! Explains a failing target: shows its exact command, its output and possible causes.

use engine::Status;
use execution::{Detail, NO_ANSWER, environment};
use scenario::TargetSettings;

use crate::words::harmless;

/// Maximum number of output lines shown.
const LINES: usize = 20;

/// Explains a failed trial in full.
pub(crate) fn explanation(command: &str, status: Status, detail: &Detail, target: &TargetSettings) -> String {
    let mut text = format!("  {command}\n");
    if let Some(reason) = &detail.reason {
        text += &format!("  failed: {}\n", harmless(reason));
    }
    text += &output(&detail.stdout_tail, &detail.stderr_tail);
    // A target that gave a wrong answer ended normally, so nothing was missing and no advice is needed.
    let advice = if status == Status::Wrong { Vec::new() } else { advice(detail, target) };
    if !advice.is_empty() {
        text.push('\n');
        text += &advice.iter().map(|line| format!("hint: {line}\n")).collect::<String>();
    }
    text
}

/// Returns the last lines of a trial's output, indented.
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
        let end = if skipped > 0 { "end of " } else { "" };
        text += &format!("  {end}{name}:\n");
        text += &lines[skipped..].iter().map(|line| format!("  | {line}\n")).collect::<String>();
    }
    if text.is_empty() { "  no output\n".to_owned() } else { text }
}

fn advice(detail: &Detail, target: &TargetSettings) -> Vec<String> {
    let mut advice = Vec::new();
    if detail.reason.as_deref().is_some_and(|reason| reason.ends_with(NO_ANSWER)) {
        let (name, answer) = (target.protocol.name(), target.protocol.answer());
        advice.push(format!("with the protocol `{name}`, the target must print a line such as `{answer}`"));
    } else if let (Some(code @ 0..), Some(known)) = (detail.exit, &target.success.exit)
        && !known.contains(&code)
    {
        advice.push(format!(
            "if exit code {code} means success, set `success = {{ exit = [{code}] }}` in `[target]`"
        ));
    }
    let written = [detail.stdout_tail.as_slice(), b"\n", &detail.stderr_tail].concat();
    let suspects = environment::suspects(&written, target);
    if let Some(first) = suspects.first() {
        let names = suspects.join(", ");
        advice.push(format!(
            "variables in your shell that the target does not get: {names}; pass one with `pass_env = [\"{first}\"]`"
        ));
    }
    advice
}
