//! `captune space`: works with the parameters of a program.

mod check;
mod convert;
mod discover;
mod file;
mod sample;
mod show;

use clap::{Args, Subcommand};

use crate::exit_code::ExitCode;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Show a space as a table, with its size
    Show(show::Arguments),
    /// List every error in space files, with its location
    Check(check::Arguments),
    /// Write a space in another format
    Convert(convert::Arguments),
    /// Draw random configurations
    Sample(sample::Arguments),
    /// Propose a space from a program's help text or option list
    Discover(discover::Arguments),
}

/// Runs a subcommand of `space`.
pub(crate) fn space(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.verb {
        Verb::Show(arguments) => show::show(&arguments),
        Verb::Check(arguments) => check::check(&arguments),
        Verb::Convert(arguments) => convert::convert(&arguments),
        Verb::Sample(arguments) => sample::sample(&arguments),
        Verb::Discover(arguments) => discover::discover(&arguments),
    }
}
