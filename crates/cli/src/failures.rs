//! `captune failures`: lists failed trials, grouped by reason.

use std::path::PathBuf;

use clap::Args;
use execution::Record;
use scenario::shell::quoted;
use view::{CommonSetting, Failing, Kept};

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

/// Maximum number of configurations or instances listed for one reason.
const LISTED: usize = 5;

fn text(failing: &Failing, folder: &str) -> String {
    let group = &failing.failures;
    let (first, newest) = (&group.first, &group.newest);
    let when = |record: &Record| format!("trial {} at {}", record.trial.id, clock(record.ended));
    let span =
        if group.trials == 1 { when(first) } else { format!("first {}, last {}", when(first), when(newest)) };
    let mut text = format!("{}: {}\n  {span}\n", counted(group.trials, "trial"), harmless(&group.reason));
    let count = group.configurations.len();
    let configurations = listed(count, group.configurations.iter().map(|config| format!("#{config}")));
    text += &format!("  {}: {configurations}\n", counted(count as u64, "configuration"));
    if failing.instances > 1 {
        let count = group.instances.len();
        let instances = listed(count, group.instances.iter().map(|name| harmless(name)));
        text += &format!("  {count} of {} instances: {instances}\n", failing.instances);
    }
    if let Some(common) = &failing.common {
        text += &format!("  {}\n", explained(common));
    }
    text += &failing::output(&newest.detail.stdout_tail, &newest.detail.stderr_tail);
    text + &format!("  captune rerun {folder} {}\n", newest.trial.id)
}

/// Lists the first few of so many names.
fn listed(count: usize, names: impl Iterator<Item = String>) -> String {
    let more = (count > LISTED).then(|| "...".to_owned());
    names.take(LISTED).chain(more).collect::<Vec<_>>().join(" ")
}

/// Names the setting that failing configurations have in common.
fn explained(common: &CommonSetting) -> String {
    let CommonSetting { setting, also, others } = common;
    let setting = harmless(setting);
    match also {
        0 => format!("all of them have {setting}, and none of the other {others} configurations do"),
        also => format!("all of them have {setting}, as do {also} of the other {others} configurations"),
    }
}
