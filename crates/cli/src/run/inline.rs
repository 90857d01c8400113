//! `captune run … -- CMD`: writes a scenario for a command that contains parameters.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use scenario::draft::Saved;
use scenario::draft::inline::{self, Wishes};
use scenario::shell::quoted;

use crate::goal::{self, Goal, explained};
use crate::message::{self, Hinted};

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "With a command instead of a scenario")]
pub(crate) struct InlineCommand {
    #[command(flatten)]
    goal: Goal,
    /// Replace an existing scenario with different content
    #[arg(long, requires = "command")]
    force: bool,
    /// Program and arguments, with ranges or choices for parameters (see below)
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// The options for budget and execution, which also apply to runs of a scenario.
pub(super) struct Terms {
    pub(super) wall: Option<Duration>,
    pub(super) cpu: Option<Duration>,
    pub(super) trials: Option<u64>,
    pub(super) workers: Option<u32>,
    pub(super) seed: Option<u64>,
}

impl InlineCommand {
    /// Returns whether a command was given.
    pub(super) fn is_given(&self) -> bool {
        !self.command.is_empty()
    }

    /// Rejects options that describe a command if there is no command.
    pub(super) fn check(&self) -> Result<(), Hinted> {
        match self.goal.first_given() {
            Some(option) if !self.is_given() => Err(Hinted {
                message: format!("`{option}` needs a command after `--`"),
                hint: "in a scenario, use the corresponding key (docs/reference/scenario.md)".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Writes the scenario and prints its path.
    pub(super) fn write(&self, path: Option<&Path>, terms: &Terms) -> anyhow::Result<PathBuf> {
        let path = path.unwrap_or(Path::new(goal::FILE));
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
            Saved::Written => message::note(&format!("wrote the scenario to {shown}")),
            Saved::Same => message::note(&format!("using the scenario in {shown}, which is unchanged")),
        }
        Ok(path.to_owned())
    }
}
