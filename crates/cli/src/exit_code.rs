//! Exit codes, which are part of the interface: see docs/reference/exit-codes.md.

use campaign::validation::GaveUp;

/// The way in which the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// 0: success.
    Done,
    /// 1: something failed for a reason other than the arguments.
    Failed,
    /// 2: the arguments, or the files they name, are invalid.
    Usage,
    /// 3: the target never succeeded, or cannot be run.
    TargetFailed,
    /// 4: a limit cannot be enforced on this machine.
    Unenforceable,
    /// 5: the campaign's store cannot be used.
    Store,
    /// 130: interrupted; a campaign can be resumed.
    Interrupted,
    /// `exec` only: the command's exit code, 124 if a limit stopped it, 128 + n for signal n.
    OfTarget(u8),
}

impl From<&GaveUp> for ExitCode {
    /// Returns the exit code of a validation that gave up.
    fn from(why: &GaveUp) -> Self {
        match why {
            GaveUp::Lost { .. } => Self::Failed,
            GaveUp::Aborted(_) => Self::TargetFailed,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(match code {
            ExitCode::Done => 0,
            ExitCode::Failed => 1,
            ExitCode::Usage => 2,
            ExitCode::TargetFailed => 3,
            ExitCode::Unenforceable => 4,
            ExitCode::Store => 5,
            ExitCode::Interrupted => 130,
            ExitCode::OfTarget(code) => code,
        })
    }
}
