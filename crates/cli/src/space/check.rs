//! `captune space check`: lists every error in space files.

use std::path::PathBuf;

use clap::Args;

use super::file::{FromArgument, shown};
use super::show::counts;
use crate::exit_code::ExitCode;
use crate::message;

#[derive(Args, Debug)]
#[command(after_help = "Exit code: 0 if all files are valid, 2 otherwise.")]
pub(crate) struct Arguments {
    /// Space files or scenarios; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    from: FromArgument,
}

/// Checks every file, even if some are invalid.
pub(crate) fn check(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut end = ExitCode::Done;
    for path in &arguments.files {
        match arguments.from.read(path) {
            Ok(space) => message::show_wrapped(&format!("{}: ok, {}\n", shown(path), counts(&space)))?,
            Err(error) => end = message::report(error),
        }
    }
    Ok(end)
}
