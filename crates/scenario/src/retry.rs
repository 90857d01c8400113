//! `target.retry`: which failed runs are repeated because they give no information about the configuration,
//! such as runs that got no licence.

use std::time::Duration;

use regex::bytes::Regex;

use super::report::{Report, Section};
use super::target::{Success, pattern};

/// The failed runs to repeat, and how to repeat them.
#[derive(Clone, Debug)]
pub struct Retry {
    /// Exit codes of runs to repeat.
    pub exit: Vec<i32>,
    /// Pattern for a line in the output of runs to repeat.
    pub pattern: Option<Regex>,
    /// Maximum number of repetitions.
    pub times: u32,
    /// Time to wait before each repetition.
    pub wait: Duration,
}

/// Reads `target.retry`. The outer `None` means a mistake.
pub(super) fn read(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    success: Option<&Success>,
) -> Option<Option<Retry>> {
    if !section.is_present() {
        return Some(None);
    }
    let (exit, regex) = (section.get("exit"), section.get("pattern"));
    if exit.is_none() && regex.is_none() {
        let hint = "give `exit`, `pattern` or both to select the runs to repeat";
        report.mistake(section.span, "`target.retry` has no `exit` and no `pattern`", hint);
    }
    let codes = match &exit {
        None => Some(Vec::new()),
        Some(found) => report.integers(found, 0, 255),
    };
    let succeeds = |code: &&i64| {
        let codes = success.and_then(|success| success.exit.as_ref());
        codes.is_some_and(|codes| codes.contains(&(**code as i32)))
    };
    if let (Some(code), Some(found)) = (codes.iter().flatten().find(succeeds), &exit) {
        let message =
            format!("`target.retry.exit` contains {code}, which is an exit code that means success");
        report.mistake(found.span(), message, "remove it: only failed runs are repeated");
    }
    let regex = match &regex {
        None => Some(None),
        Some(found) => pattern(report, found).map(Some),
    };
    let times = match section.get("times") {
        None => Some(5),
        Some(found) => report.integer(&found, 1, 1_000_000),
    };
    let wait = match section.get("wait") {
        None => Some(Duration::from_secs(30)),
        Some(found) => report.duration(&found),
    };
    Some(Some(Retry {
        exit: codes?.into_iter().map(|code| code as i32).collect(),
        pattern: regex?,
        times: times? as u32,
        wait: wait?,
    }))
}
