//! `captune failures`: lists failed trials, grouped by reason.

use std::path::PathBuf;

use clap::Args;
use execution::Record;
use scenario::shell::quoted;
use store::Failures;
use view::Kept;

use crate::exit_code::ExitCode;
use crate::goal;
use crate::message;
use crate::run::failing;
use crate::words::{clock, counted, harmless};

#[derive(Args, Debug)]
#[command(after_help = "\
Timeouts and capped trials do not count as failures, because they were only
slow.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR", default_value = goal::FILE)]
    path: PathBuf,
}

/// Prints the reasons for failures, most frequent first.
pub(crate) fn failures(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let failures = kept.failures()?;
    let folder = quoted(&kept.folder.to_string_lossy());
    let text = if failures.is_empty() {
        "no failed trials\n".to_owned()
    } else {
        failures.iter().map(|group| text(group, &folder)).collect::<Vec<_>>().join("\n")
    };
    message::show_wrapped(&text)?;
    Ok(ExitCode::Done)
}

fn text(group: &Failures, folder: &str) -> String {
    let (first, newest) = (&group.first, &group.newest);
    let when = |record: &Record| format!("trial {} at {}", record.trial.id, clock(record.ended));
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
    text += &failing::output(&newest.detail.stdout_tail, &newest.detail.stderr_tail);
    text + &format!("  captune rerun {folder} {}\n", newest.trial.id)
}
