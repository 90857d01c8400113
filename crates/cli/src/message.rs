//! Printing: errors with their causes and a hint, messages, and data.
//!
//! All text for people is printed here or in the status block of `progress`. Control characters in this text
//! are replaced by `?`, so that file names and the output of targets cannot move the cursor. Data are printed
//! unchanged.

use std::fmt::{self, Display};
use std::io::{self, Write};

use campaign::LedgerError;
use campaign::conduct::ConductError;
use campaign::folds::FoldsError;
use confine::LaunchError;
use execution::TargetError;
use space::Diagnostics;
use store::StoreError;

use crate::exit_code::ExitCode;
use crate::words::harmless;
use crate::wrap;

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// Failure to write data to standard output.
#[derive(Debug)]
struct Unwritten(io::Error);

impl Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot write to standard output")
    }
}

impl std::error::Error for Unwritten {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Prints an error with its causes and returns the exit code.
pub(crate) fn report(error: anyhow::Error) -> ExitCode {
    let error = &error;
    if let Some(mistakes) = error.downcast_ref::<Diagnostics>() {
        line(mistakes.to_string().trim_end());
        say(&format!("{}: {}", mistakes.file(), count(mistakes.list().len(), "error")));
        return ExitCode::Usage;
    }
    line(format_args!("captune: error: {error}"));
    for cause in error.chain().skip(1) {
        line(format_args!("  because: {cause}"));
    }
    if let Some(hint) = hint(error) {
        line(format_args!("hint: {hint}"));
    }
    exit_code(error)
}

/// Returns the first cause of type `E`.
fn cause<E: std::error::Error + 'static>(error: &anyhow::Error) -> Option<&E> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn hint(error: &anyhow::Error) -> Option<String> {
    let of_launch = || cause::<LaunchError>(error).and_then(LaunchError::hint);
    let of_target = || cause::<TargetError>(error).and_then(TargetError::hint);
    let own = || cause::<Hinted>(error).map(|hinted| hinted.hint.clone());
    let start = || match cause::<StoreError>(error) {
        Some(StoreError::Missing { .. }) => Some("start one with `captune run SCENARIO`".to_owned()),
        _ => None,
    };
    let space = || is_full(error).then(|| "free some disk space there, then try again".to_owned());
    of_launch().or_else(of_target).or_else(own).or_else(start).or_else(space)
}

/// Returns whether the cause is a full disk, and so not an error in the arguments.
fn is_full(error: &anyhow::Error) -> bool {
    let full =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    error.chain().filter_map(|cause| cause.downcast_ref()).any(full)
}

fn exit_code(error: &anyhow::Error) -> ExitCode {
    if is_full(error) && cause::<StoreError>(error).is_none() {
        return ExitCode::Failed;
    }
    if let Some(launch) = cause::<LaunchError>(error) {
        return match launch {
            launch if launch.is_unenforceable() => ExitCode::Unenforceable,
            launch if launch.is_system_failure() => ExitCode::Failed,
            _ => ExitCode::Usage,
        };
    }
    match (cause::<StoreError>(error), cause::<TargetError>(error)) {
        // A path that does not exist is an error in the arguments.
        (Some(StoreError::Missing { .. }), _) => ExitCode::Usage,
        (Some(_), _) => ExitCode::Store,
        (None, Some(_)) => ExitCode::Unenforceable,
        _ if cause::<LedgerError>(error).is_some() => ExitCode::Store,
        _ if cause::<FoldsError>(error).is_some() => ExitCode::Store,
        _ if matches!(cause(error), Some(ConductError::State(_))) => ExitCode::Store,
        _ if error.is::<Unwritten>() => ExitCode::Failed,
        _ => ExitCode::Usage,
    }
}

/// Prints a message with the program's name, wrapped.
pub(crate) fn say(text: &str) {
    line(format_args!("captune: {text}"));
}

/// Prints a message, wrapped.
pub(crate) fn note(text: &str) {
    line(text);
}

/// Prints text that contains colours. The caller must have replaced all other control characters.
pub(crate) fn painted(text: &str) {
    // If standard error cannot be written to, there is nowhere to report that.
    writeln!(io::stderr(), "{text}").ok();
}

/// Prints a message unchanged: a command to paste, or a table.
pub(crate) fn raw(text: &str) {
    painted(&harmless(text));
}

/// Prints a message whose continuation lines are indented by `indent` spaces.
pub(crate) fn hanging(text: &str, indent: usize) {
    painted(&wrap::paragraph(&harmless(text), wrap::stderr_width(), indent));
}

fn line(text: impl Display) {
    painted(&wrap::text(&harmless(&text.to_string()), wrap::stderr_width()));
}

/// Prints text for people to standard output, unchanged: tables, rows and commands.
pub(crate) fn show(text: &str) -> anyhow::Result<()> {
    print(harmless(text).as_bytes())
}

/// Prints messages to standard output, wrapped.
pub(crate) fn show_wrapped(text: &str) -> anyhow::Result<()> {
    show(&wrap::text(text, wrap::stdout_width()))
}

/// Formats a number with a noun: `1 error`, `3 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Prints data to standard output. A closed pipe is not an error.
pub(crate) fn print(data: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(data).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Unwritten(error).into()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_full_disk_is_not_an_error_in_the_arguments() {
        let launch =
            |kind: io::ErrorKind| LaunchError::Folder { path: PathBuf::from("/tmp/x"), source: kind.into() };
        assert_eq!(exit_code(&launch(io::ErrorKind::StorageFull).into()), ExitCode::Failed);
        assert_eq!(exit_code(&launch(io::ErrorKind::QuotaExceeded).into()), ExitCode::Failed);
        assert_eq!(exit_code(&launch(io::ErrorKind::NotFound).into()), ExitCode::Usage);
        let full = StoreError::Full { path: PathBuf::from("campaign.sqlite") };
        assert_eq!(exit_code(&full.into()), ExitCode::Store);
    }
}
