//! Whether what a target answered is right.
//!
//! After a success, and outside its cost: what is known of the instance is compared with the
//! target's answer, and a program of the user's checks the whole of standard output.

use std::path::{Path, PathBuf};

use confine::{End, Finished, LaunchError, PrivateFolder};
use engine::Seed;
use scenario::{Instance, Known, Scenario, Verify, VerifyPiece};

use super::CommandLine;
use super::output::last_group;

/// What is said of an answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Said {
    /// Nothing against it.
    Right,
    /// It is wrong: why, in words that are the same for the same cause, and what the checking program
    /// wrote.
    Wrong(String, Vec<u8>),
    /// There is none.
    NoAnswer,
    /// Nobody knows, as checking was stopped or not all of standard output could be kept.
    Unknown(&'static str),
}

/// Where all of standard output is kept for the checking program.
pub(super) struct Whole(PrivateFolder);

impl Whole {
    /// A place for it, if it is wanted.
    pub(super) fn of(scenario: &Scenario) -> Result<Option<Self>, LaunchError> {
        let wanted = scenario.target.answers.verify.is_some();
        wanted.then(|| PrivateFolder::new().map(Self)).transpose()
    }

    /// The file.
    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("stdout")
    }
}

/// The target's answer against what is known of the instance.
pub(super) fn compare(known: &Known, instance: &Instance, finished: &Finished) -> Said {
    let Some(expected) = known.answers.get(&instance.name) else { return Said::Right };
    match last_group(&finished.stdout, &known.answer) {
        None => Said::NoAnswer,
        Some(answer) if answer.trim() == expected => Said::Right,
        Some(answer) => {
            let why = format!("wrong answer: `{}` where `{expected}` is known", answer.trim());
            Said::Wrong(why, Vec::new())
        }
    }
}

/// The command that checks what the command `target` answered, in the same environment.
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

/// What the end of the checking program says.
pub(super) fn judge(checked: &Finished) -> Said {
    let why = match checked.end() {
        End::Exited(0) => return Said::Right,
        End::Cancelled => return Said::Unknown("verification was stopped"),
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(signal) => format!("signal {signal}"),
        End::Stopped(limit) => format!("{limit} limit"),
    };
    let wrote = [checked.stdout.joined(), checked.stderr.joined()].concat();
    Said::Wrong(format!("wrong answer: {why} of verify"), wrote)
}
