//! Checks the answers of targets.
//!
//! If a trial succeeds, its answer is compared with the known answer for its instance, and the user's program
//! checks the complete standard output. Neither check adds to the trial's cost.

use std::path::{Path, PathBuf};

use confine::{End, Finished, LaunchError, PrivateFolder};
use engine::Seed;
use scenario::{Instance, Known, Scenario, Verify, VerifyPiece};

use super::CommandLine;
use super::output::last_group;
use super::stages::ending;

/// The result of checking an answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Check {
    /// The answer is not known to be wrong.
    Right,
    /// The answer is wrong. Contains the reason, in words that are the same for the same cause, and the
    /// output of the checking program.
    Wrong(String, Vec<u8>),
    /// The target gave no answer.
    NoAnswer,
    /// It is unknown whether the answer is right, because the check was stopped or standard output was not
    /// kept in full.
    Unknown(&'static str),
}

/// The folder with the complete standard output for the checking program.
pub(super) struct StdoutFolder(PrivateFolder);

impl StdoutFolder {
    /// Creates the folder if the scenario has a checking program.
    pub(super) fn of(scenario: &Scenario) -> Result<Option<Self>, LaunchError> {
        let wanted = scenario.target.answers.verify.is_some();
        wanted.then(|| PrivateFolder::new().map(Self)).transpose()
    }

    /// Returns the path of the file with standard output.
    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("stdout")
    }
}

/// Compares the target's answer with the known answer for the instance.
pub(super) fn compare(known: &Known, instance: &Instance, finished: &Finished) -> Check {
    let Some(expected) = known.answers.get(&instance.name) else { return Check::Right };
    match last_group(&finished.stdout, &known.answer) {
        None => Check::NoAnswer,
        Some(answer) if answer.trim() == expected => Check::Right,
        Some(answer) => {
            let why = format!("wrong answer: got `{}`, expected `{expected}`", answer.trim());
            Check::Wrong(why, Vec::new())
        }
    }
}

/// Returns the command that checks the answer of the command `target`. The check runs in the same
/// environment.
pub(super) fn command(
    verify: &Verify,
    (instance, seed): (&Instance, Seed),
    target: &CommandLine,
    stdout: &Path,
) -> CommandLine {
    let text = |piece: &VerifyPiece| match piece {
        VerifyPiece::Literal(text) => text.clone(),
        VerifyPiece::Instance => instance.argument.clone(),
        VerifyPiece::Seed => seed.to_string(),
        VerifyPiece::Stdout => stdout.to_string_lossy().into_owned(),
    };
    let arguments = verify.arguments.iter().map(|pieces| pieces.iter().map(text).collect()).collect();
    CommandLine { program: verify.program.clone(), arguments, request: None, ..target.clone() }
}

/// Returns the result of the check, based on how the checking program ended.
pub(super) fn judge(checked: &Finished) -> Check {
    let why = match checked.end() {
        End::Exited(0) => return Check::Right,
        End::Cancelled => return Check::Unknown("verification was stopped"),
        _ => ending(checked),
    };
    let output = [checked.stdout.joined(), checked.stderr.joined()].concat();
    Check::Wrong(format!("wrong answer: verify: {why}"), output)
}
