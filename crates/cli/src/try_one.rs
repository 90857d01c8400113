//! `captune try`: one configuration of your own, raced next in a campaign.

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
The file is TOML (`name = value`), JSON (one object) or has a line `name value` for each parameter, as
`captune best --as` writes them; parameters that are left out have their default. The campaign races it
as the next challenger: at once if it runs, else when it goes on. It is kept until the campaign has
stored it, whatever happens in between.")]
pub(crate) struct Arguments {
    /// The campaign's folder, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// A file with the configuration
    #[arg(value_name = "CONFIG")]
    configuration: PathBuf,
}

/// Checks the configuration and puts it into the campaign's queue.
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
            "it races when the campaign goes on: captune run {}",
            quoted(&kept.folder.to_string_lossy())
        ),
    };
    let what = if changed.is_empty() { String::new() } else { format!(" ({changed})") };
    message::note(&format!("queued{what}; {when}"));
    Ok(ExitCode::Done)
}
