//! `captune failures`: trials that failed, by their reason.

use std::path::PathBuf;

use clap::Args;
use scenario::shell::quoted;
use view::{Failure, Happened, Kept};

use crate::exit_code::ExitCode;
use crate::init;
use crate::message;
use crate::run::failing;
use crate::words::{clock, counted, harmless};

#[derive(Args, Debug)]
#[command(
    after_help = "Timeouts and capped trials are no failures: they are slow, and that is what tuning is about."
)]
pub(crate) struct Arguments {
    /// The campaign's folder, or its scenario
    #[arg(value_name = "DIR", default_value = init::FILE)]
    path: PathBuf,
}

/// Prints the reasons, the most frequent first.
pub(crate) fn failures(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let failures = kept.failures()?;
    let folder = quoted(&kept.folder.to_string_lossy());
    let text = if failures.is_empty() {
        "no trial has failed\n".to_owned()
    } else {
        failures.iter().map(|group| text(group, &folder)).collect::<Vec<_>>().join("\n")
    };
    message::show(&text)?;
    Ok(ExitCode::Done)
}

fn text(group: &Failure, folder: &str) -> String {
    let Failure { first, newest, .. } = group;
    let when = |one: &Happened| format!("trial {} at {}", one.trial, clock(one.at));
    let span =
        if group.trials == 1 { when(first) } else { format!("first {}, last {}", when(first), when(newest)) };
    let mut named: Vec<String> = group.examples.iter().map(|config| format!("#{config}")).collect();
    if group.configurations > named.len() as u64 {
        named.push("...".to_owned());
    }
    let configurations = counted(group.configurations, "configuration");
    let mut text = format!(
        "{}: {}\n  {span}\n  {configurations}: {}\n",
        counted(group.trials, "trial"),
        harmless(&group.reason),
        named.join(" ")
    );
    if let Some([stdout, stderr]) = &group.wrote {
        text += &failing::output(stdout, stderr);
    }
    text + &format!("  captune rerun {folder} {}\n", newest.trial)
}
