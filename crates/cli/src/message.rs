//! Errors as a person reads them: what happened, because of what, and one hint.

use confine::LaunchError;

use crate::exit_code::ExitCode;

/// Prints an error with its causes and says how the program ends.
#[expect(clippy::print_stderr, reason = "this is where messages are printed")]
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("captune: error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
    let launch = error.chain().find_map(|cause| cause.downcast_ref::<LaunchError>());
    if let Some(hint) = launch.and_then(LaunchError::hint) {
        eprintln!("hint: {hint}");
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
