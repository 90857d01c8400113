//! `captune fleet`: starts the workers of a campaign.

mod slurm;
mod ssh;
mod up;

use clap::{Args, Subcommand};

use crate::exit_code::ExitCode;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Run a campaign with workers on this machine, to try how a fleet works
    Up(Box<up::UpArguments>),
    /// Start, show and cancel workers as jobs of Slurm
    Slurm(slurm::SlurmArguments),
    /// Keep a worker running on each host of a list, through ssh
    Ssh(ssh::SshArguments),
}

/// Starts workers.
pub(crate) fn fleet(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.verb {
        Verb::Up(arguments) => up::up(*arguments),
        Verb::Slurm(arguments) => slurm::slurm(&arguments),
        Verb::Ssh(arguments) => ssh::ssh(&arguments),
    }
}
