//! `captune rerun`: runs a trial of a campaign again and shows its output.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use campaign::staging::Staging;
use clap::Args;
use comfy_table::{Table, presets};
use confine::quantity::show_size;
use engine::{InstanceId, TrialId, TrialRequest};
use execution::{Account, ProcessTarget, Record};
use scenario::Instance;
use view::Kept;

use crate::check::exit;
use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};
use crate::tryout;
use crate::words::{Costs, harmless, number, seconds};
use crate::wrap;

#[derive(Args, Debug)]
#[command(after_help = "\
Repeats the trial with the same configuration, instance, seed and cap, on any
core. Prints the output when the target has ended, then compares both runs.
Nothing is stored, and the campaign may be running.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// Number of the trial
    #[arg(value_name = "TRIAL")]
    trial: u64,
}

/// Runs the trial again.
pub(crate) fn rerun(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let Some(stored) = kept.trial(TrialId(arguments.trial))? else {
        let hint = match kept.last_trial()? {
            Some(last) => {
                format!(
                    "choose a trial up to {last}; trials that were running when a campaign stopped are not stored"
                )
            }
            None => "the campaign has no trials yet".to_owned(),
        };
        let message = format!("there is no trial {} in {}", arguments.trial, kept.folder.display());
        return Err(Hinted { message, hint }.into());
    };
    let scenario = kept.scenario()?;
    let costs = Costs::of(scenario);
    let target =
        ProcessTarget::new(Arc::new(scenario.clone())).on(instances(&kept, stored.trial.key.pair.instance)?);
    let trial = &stored.trial;
    let request = TrialRequest {
        id: trial.id,
        key: trial.key,
        configuration: kept.configuration(trial.key.config)?,
        cap: trial.cap,
        why: trial.why,
    };
    message::raw(&format!("captune: {}", target.command_line(&request)?));
    let Some((account, record)) = tryout::run(&target, &request)? else {
        message::say("interrupted");
        return Ok(ExitCode::Interrupted);
    };
    if let Some(finished) = record {
        message::print(&finished.stdout.joined())?;
        // If standard error cannot be written to, there is nowhere to report that.
        std::io::stderr().write_all(&finished.stderr.joined()).ok();
    }
    message::raw(&compared(&stored, &account, &costs));
    Ok(ExitCode::Done)
}

/// Returns the training instances. If the scenario stages instances, the wanted one is replaced by its staged
/// copy.
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

/// Returns a table that compares the earlier run with this one.
fn compared(stored: &Record, account: &Account, costs: &Costs) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "before", "now"]);
    let (then, now, detail) = (&stored.trial.observation, &account.observation, &account.detail);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut row = |name: &str, then: Option<String>, now: Option<String>| {
        if then.is_some() || now.is_some() {
            table.add_row([name.to_owned(), or_none(then), or_none(now)]);
        }
    };
    row("ended", Some(then.status().name().to_owned()), Some(now.status().name().to_owned()));
    let reason = |reason: &Option<String>| reason.as_deref().map(harmless);
    row("because", reason(&stored.detail.reason), reason(&detail.reason));
    row("cost", then.cost().map(|cost| costs.reading(cost)), now.cost().map(|cost| costs.reading(cost)));
    let names: BTreeSet<&String> = stored.detail.outputs.keys().chain(detail.outputs.keys()).collect();
    for name in names {
        let shown = |outputs: &BTreeMap<String, f64>| outputs.get(name).map(|value| number(*value));
        row(&harmless(name), shown(&stored.detail.outputs), shown(&detail.outputs));
    }
    row("cpu", stored.detail.cpu.map(seconds), detail.cpu.map(seconds));
    row("wall", stored.detail.wall.map(seconds), detail.wall.map(seconds));
    let size = |bytes: u64| show_size(bytes).to_string();
    row("memory", stored.detail.memory.map(size), detail.memory.map(size));
    row("exit", stored.detail.exit.map(exit), detail.exit.map(exit));
    wrap::fit(&mut table, wrap::stderr_width());
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
