//! `captune space`: the parameters of a program, in every form they come in.

mod check;
mod convert;
mod discover;
mod file;
mod sample;
mod show;

pub(crate) use sample::refusal;

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
    /// Say what is wrong with files, all of it, and where
    Check(check::Arguments),
    /// Write a space in another format
    Convert(convert::Arguments),
    /// Draw configurations
    Sample(sample::Arguments),
    /// Propose a space from a program's own words
    Discover(discover::Arguments),
}

/// Does what was asked with a space.
pub(crate) fn space(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.verb {
        Verb::Show(arguments) => show::show(&arguments),
        Verb::Check(arguments) => check::check(&arguments),
        Verb::Convert(arguments) => convert::convert(&arguments),
        Verb::Sample(arguments) => sample::sample(&arguments),
        Verb::Discover(arguments) => discover::discover(&arguments),
    }
}
