//! Whether what a target answered is right.
//!
//! After a success, and outside its cost: what is known of the instance is compared with the
//! target's answer, and a program of the user's checks the whole of standard output.

use std::path::{Path, PathBuf};

use confine::{Control, Finished, Limits, PrivateFolder};
use engine::Seed;

use super::output::last_group;
use super::{CommandLine, TargetError};
use crate::scenario::{Instance, Known, Scenario, Verify, VerifyPiece};

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
    pub(super) fn of(scenario: &Scenario) -> Result<Option<Self>, TargetError> {
        let wanted = scenario.target.answers.verify.as_ref();
        let failed = |verify: &Verify, source| TargetError::Launch {
            command: verify.program.display().to_string(),
            source,
        };
        let make = |verify| PrivateFolder::new().map(Self).map_err(|source| failed(verify, source));
        wanted.map(make).transpose()
    }

    /// The file.
    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("stdout")
    }
}

/// Checks the answer of a success. `target` is the command that gave it.
pub(super) fn check(
    scenario: &Scenario,
    (instance, seed): (&Instance, Seed),
    target: &CommandLine,
    finished: &Finished,
    whole: Option<&Whole>,
    (control, guardian): (&Control, Option<&Path>),
) -> Result<Said, TargetError> {
    let answers = &scenario.target.answers;
    if let Some(known) = &answers.known {
        match compare(known, instance, finished) {
            Said::Right => {}
            other => return Ok(other),
        }
    }
    let (Some(verify), Some(whole)) = (&answers.verify, whole) else { return Ok(Said::Right) };
    if !finished.stdout.file_complete {
        return Ok(Said::Unknown("standard output could not be kept for verification"));
    }
    run(verify, (instance, seed), target, &whole.path(), (control, guardian))
}

fn compare(known: &Known, instance: &Instance, finished: &Finished) -> Said {
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

fn run(
    verify: &Verify,
    (instance, seed): (&Instance, Seed),
    target: &CommandLine,
    stdout: &Path,
    (control, guardian): (&Control, Option<&Path>),
) -> Result<Said, TargetError> {
    let text = |piece: &VerifyPiece| match piece {
        VerifyPiece::Literal(text) => text.clone(),
        VerifyPiece::Instance => instance.argument.clone(),
        VerifyPiece::Seed => seed.to_string(),
        VerifyPiece::Stdout => stdout.to_string_lossy().into_owned(),
    };
    let arguments = verify.arguments.iter().map(|pieces| pieces.iter().map(text).collect()).collect();
    let line = CommandLine { program: verify.program.clone(), arguments, ..target.clone() };
    let mut command = line.command();
    if let Some(guardian) = guardian {
        command = command.guardian(guardian);
    }
    let limits = Limits { wall: Some(verify.limit), ..Limits::default() };
    let checked = confine::run(&command, &limits, control)
        .map_err(|source| TargetError::Launch { command: line.to_string(), source })?;
    let why = match checked.end() {
        confine::End::Exited(0) => return Ok(Said::Right),
        confine::End::Cancelled => return Ok(Said::Unknown("verification was stopped")),
        confine::End::Exited(code) => format!("exit {code}"),
        confine::End::Signalled(signal) => format!("signal {signal}"),
        confine::End::Stopped(limit) => format!("{limit} limit"),
    };
    let wrote = [checked.stdout.joined(), checked.stderr.joined()].concat();
    Ok(Said::Wrong(format!("wrong answer: {why} of verify"), wrote))
}
