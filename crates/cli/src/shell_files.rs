//! `captune completions` and `captune man`: the files that packages install together with the program.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit_code::ExitCode;
use crate::message;

#[derive(Args, Debug)]
#[command(after_help = "\
  captune completions bash > ~/.local/share/bash-completion/completions/captune
  captune completions zsh  > ~/.zfunc/_captune     # with ~/.zfunc in fpath
  captune completions fish > ~/.config/fish/completions/captune.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Write a page for each verb into this folder, instead of printing the main page
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints the completions for a shell.
pub(crate) fn completions(arguments: &CompletionsArguments, command: &Command) -> anyhow::Result<ExitCode> {
    // clap_complete would also offer the hidden verbs.
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let mut visible = Command::new("captune")
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().cloned())
        .subcommands(verbs);
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut visible, "captune", &mut text);
    message::print(&text)?;
    Ok(ExitCode::Done)
}

/// Prints the main manual page, or writes a page for each verb.
pub(crate) fn man(arguments: &ManArguments, command: Command) -> anyhow::Result<ExitCode> {
    match &arguments.folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)?;
        }
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text)?;
            message::print(&text)?;
        }
    }
    Ok(ExitCode::Done)
}
