//! Errors as a person reads them: what happened, because of what, and one hint. And data.

use std::fmt;
use std::io::Write;

use anyhow::Context;
use confine::LaunchError;
use engine::space::Diagnostics;

use crate::exit_code::ExitCode;

/// An error with advice.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// Prints an error with its causes and says how the program ends.
#[expect(clippy::print_stderr, reason = "this is where messages are printed")]
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(mistakes) = error.downcast_ref::<Diagnostics>() {
        eprint!("{mistakes}");
        say(&format!("{}: {}", mistakes.file(), count(mistakes.list().len(), "error")));
        return ExitCode::Usage;
    }
    eprintln!("captune: error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
    let launch = error.chain().find_map(|cause| cause.downcast_ref::<LaunchError>());
    if let Some(hint) = launch.and_then(LaunchError::hint) {
        eprintln!("hint: {hint}");
    }
    if let Some(hinted) = error.chain().find_map(|cause| cause.downcast_ref::<Hinted>()) {
        eprintln!("hint: {}", hinted.hint);
    }
    match launch {
        Some(launch) if launch.is_unenforceable() => ExitCode::Unenforceable,
        _ => ExitCode::Usage,
    }
}

/// Prints a line that is no data.
#[expect(clippy::print_stderr, reason = "this is where messages are printed")]
pub(crate) fn say(line: &str) {
    eprintln!("captune: {line}");
}

/// A number and what it counts.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Prints data. A reader that has gone away is no error of ours.
pub(crate) fn print(data: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(data).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
