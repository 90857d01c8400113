//! `captune run … -- CMD`: a command with parameters in it, written down as a scenario.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use scenario::draft::inline::{self, Wishes};
use scenario::draft::{SaveError, Saved};
use scenario::shell::quoted;

use crate::goal::Goal;
use crate::init;
use crate::message::{self, Hinted};

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "With a command instead of a scenario")]
pub(crate) struct InlineCommand {
    #[command(flatten)]
    goal: Goal,
    /// Replace a scenario that is there and says something else
    #[arg(long, requires = "command")]
    force: bool,
    /// The program and its arguments, some of them ranges: '-rinc={1.1..4.0 = 2}' '-m={a|b = b}'
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// What a campaign may spend and how it runs, which have options of their own.
pub(super) struct Terms {
    pub(super) wall: Option<Duration>,
    pub(super) cpu: Option<Duration>,
    pub(super) trials: Option<u64>,
    pub(super) workers: Option<u32>,
    pub(super) seed: Option<u64>,
}

impl InlineCommand {
    /// Whether there is a command.
    pub(super) fn is_given(&self) -> bool {
        !self.command.is_empty()
    }

    /// Refuses options that describe a command where there is none.
    pub(super) fn check(&self) -> Result<(), Hinted> {
        match self.goal.first_given() {
            Some(option) if !self.is_given() => Err(Hinted {
                message: format!("`{option}` describes a command, and there is none"),
                hint:
                    "give the command after `--`; a scenario has keys for this (docs/reference/scenario.md)"
                        .to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Writes the scenario and says where it is.
    pub(super) fn write(&self, path: Option<&Path>, terms: &Terms) -> anyhow::Result<PathBuf> {
        let path = path.unwrap_or(Path::new(init::FILE));
        let wishes = Wishes {
            wall: terms.wall.map(|time| time.as_secs_f64()),
            cpu: terms.cpu.map(|time| time.as_secs_f64()),
            trials: terms.trials,
            workers: terms.workers,
            seed: terms.seed,
            ..self.goal.wishes()?
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let draft = inline::draft_to_run(&self.command, &wishes, folder.unwrap_or(Path::new(".")))?;
        let shown = quoted(&path.to_string_lossy());
        match draft.save(path, self.force).map_err(explained)? {
            Saved::Written => message::note(&format!("the scenario is in {shown}")),
            Saved::Same => message::note(&format!("the scenario is in {shown}, as before")),
        }
        Ok(path.to_owned())
    }
}

/// The error with what to do.
pub(crate) fn explained(error: SaveError) -> anyhow::Error {
    match error {
        SaveError::Differs { ref path } => {
            let hint = format!("--force replaces it; or name another file than {}", path.display());
            Hinted { message: error.to_string(), hint }.into()
        }
        other => other.into(),
    }
}
