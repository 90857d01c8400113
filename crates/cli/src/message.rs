//! Errors as a person reads them: what happened, because of what, and one hint.

use std::fmt::Display;
use std::io::Write;

use confine::LaunchError;

use crate::exit_code::ExitCode;

/// Prints an error with its causes and says how the program ends.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    line(format_args!("captune: error: {error}"));
    for cause in error.chain().skip(1) {
        line(format_args!("  because: {cause}"));
    }
    let launch = error.chain().find_map(|cause| cause.downcast_ref::<LaunchError>());
    if let Some(hint) = launch.and_then(LaunchError::hint) {
        line(format_args!("hint: {hint}"));
    }
    match launch {
        Some(launch) if launch.is_unenforceable() => ExitCode::Unenforceable,
        Some(launch) if !launch.is_of_system() => ExitCode::Usage,
        _ => ExitCode::Failed,
    }
}

/// Prints a line that is no data.
pub(crate) fn say(text: &str) {
    line(format_args!("captune: {text}"));
}

fn line(text: impl Display) {
    // Where nobody can be told, there is nobody to be told that either.
    writeln!(std::io::stderr(), "{text}").ok();
}
