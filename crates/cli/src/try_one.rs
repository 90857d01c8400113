//! `captune try`: queues a configuration from the user as the next challenger.

use std::path::PathBuf;

use anyhow::Context;
use campaign::queue::Queue;
use clap::Args;
use scenario::configuration_file;
use scenario::shell::quoted;
use view::Kept;

use crate::changes;
use crate::exit_code::ExitCode;
use crate::message;

#[derive(Args, Debug)]
#[command(after_help = "\
The file is TOML (`name = value`), JSON (one object) or text with one line
`name value` per parameter, as written by `captune best --as`. Omitted
parameters get their defaults. The configuration becomes the next challenger:
at once if the campaign is running, otherwise when it is resumed. It stays
queued until the campaign has stored it.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// File with the configuration
    #[arg(value_name = "CONFIG")]
    configuration: PathBuf,
}

/// Checks the configuration and adds it to the campaign's queue.
pub(crate) fn try_one(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let shown = arguments.configuration.display().to_string();
    let text =
        std::fs::read_to_string(&arguments.configuration).with_context(|| format!("cannot read {shown}"))?;
    let configuration = configuration_file::read(&text, &shown, &kept.charter.space)?;
    Queue::of_campaign(&kept.folder).put(&configuration)?;
    let changed = changes::in_short(&view::changes(&kept.default()?, &configuration));
    let when = match kept.holder()? {
        Some(_) => "the running campaign races it next".to_owned(),
        None => format!(
            "it races when the campaign is resumed\nnext: captune run {}",
            quoted(&kept.folder.to_string_lossy())
        ),
    };
    let what = if changed.is_empty() { String::new() } else { format!(" ({changed})") };
    message::note(&format!("queued{what}; {when}"));
    Ok(ExitCode::Done)
}
