//! `captune rerun`: a trial of a campaign once more, with its output shown.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use campaign::staging::Staging;
use clap::Args;
use comfy_table::{Table, presets};
use confine::quantity::show_size;
use engine::{InstanceId, TrialId};
use execution::{Account, ProcessTarget};
use scenario::Instance;
use view::{Kept, Past};

use crate::check::exit;
use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};
use crate::tryout;
use crate::words::{Costs, harmless, number, seconds};

#[derive(Args, Debug)]
#[command(after_help = "\
The same configuration, instance, seed and cap, on any core. What the target writes is shown when it has
ended; then how it ended before and now. Nothing is kept, and the campaign may run meanwhile.")]
pub(crate) struct Arguments {
    /// The campaign's folder, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// The trial's number
    #[arg(value_name = "TRIAL")]
    trial: u64,
}

/// Runs the trial again.
pub(crate) fn rerun(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let Some(past) = kept.trial(TrialId(arguments.trial))? else {
        let hint = match kept.last_trial()? {
            Some(last) => {
                format!("the last one that has ended is {last}; trials cut off by a stop have gaps")
            }
            None => "no trial has ended yet".to_owned(),
        };
        let message = format!("there is no trial {} in {}", arguments.trial, kept.folder.display());
        return Err(Hinted { message, hint }.into());
    };
    let scenario = kept.scenario()?;
    let costs = Costs::of(scenario);
    let instances = instances(&kept, past.request.key.pair.instance)?;
    let target = ProcessTarget::new(Arc::new(scenario.clone())).on(instances);
    message::say(&target.command_line(&past.request)?.to_string());
    let Some((account, record)) = tryout::run(&target, &past.request)? else {
        message::say("interrupted");
        return Ok(ExitCode::Interrupted);
    };
    if let Some(finished) = record {
        message::print(&finished.stdout.joined())?;
        // Where nobody can be told, there is nobody to be told that either.
        std::io::stderr().write_all(&finished.stderr.joined()).ok();
    }
    message::note(&compared(&past, &account, &costs));
    Ok(ExitCode::Done)
}

/// The instances by the store's numbers: what is named there and is no more has no argument.
fn instances(kept: &Kept, wanted: InstanceId) -> anyhow::Result<Vec<Instance>> {
    let mut all = kept.scenario()?.instances.train.clone();
    if let (Some(staging), Some(one)) =
        (Staging::of(kept.scenario()?, &kept.folder), all.get_mut(wanted.index()))
    {
        let source = std::slice::from_ref(&*one);
        staging.stage(source)?;
        let staged = staging.staged(source).remove(0);
        *one = staged;
    }
    Ok(all)
}

/// Then and now, side by side.
fn compared(past: &Past, account: &Account, costs: &Costs) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "then", "now"]);
    let (now, detail) = (&account.observation, &account.detail);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut row = |name: &str, then: Option<String>, now: Option<String>| {
        if then.is_some() || now.is_some() {
            table.add_row([name.to_owned(), or_none(then), or_none(now)]);
        }
    };
    row("ended", Some(past.status.name().to_owned()), Some(now.status().name().to_owned()));
    let reason = |reason: &Option<String>| reason.as_deref().map(harmless);
    row("because", reason(&past.reason), reason(&detail.reason));
    row("cost", past.cost.map(|cost| costs.reading(cost)), now.cost().map(|cost| costs.reading(cost)));
    let names: BTreeSet<&String> = past.outputs.keys().chain(detail.outputs.keys()).collect();
    for name in names {
        let shown = |outputs: &BTreeMap<String, f64>| outputs.get(name).map(|value| number(*value));
        row(&harmless(name), shown(&past.outputs), shown(&detail.outputs));
    }
    row("cpu", past.cpu.map(seconds), detail.cpu.map(seconds));
    row("wall", past.wall.map(seconds), Some(seconds(detail.wall)));
    let size = |bytes: u64| show_size(bytes).to_string();
    row("memory", past.memory.map(size), detail.memory.map(size));
    row("exit", past.exit.map(exit), detail.exit.map(exit));
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
