//! `captune import`: runs of an earlier campaign, of another configurator or of a table, as trials.

use std::path::{Path, PathBuf};

use campaign::conduct::{self, Imported, Order};
use campaign::import::ImportError;
use campaign::import::runs::{self, Runs};
use clap::Args;
use scenario::shell::quoted;

use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};
use crate::trouble::explained;
use crate::words::{counted, harmless};

/// Reasons shown before the rest is only counted.
const SHOWN: usize = 10;

#[derive(Args, Debug)]
#[command(after_help = "\
FROM is one of
  the folder of a campaign
  runhistory.json of SMAC3, any version, or the folder that has it
  an SQLite file of Optuna
  a table in CSV: a column for each parameter, and instance, seed, cost, status, cap, time and
  output:NAME

Runs that were stopped enter as \"at least that\", whatever penalty was written for them. Those that do
not fit the scenario are left out and listed. Parameters that the scenario does not have, numbers below
zero that cannot be, and runs that contradict each other are errors: nothing is imported then. Imported trials count as trials of the budget, but take
none of its time; the configurations known best race first. A run that is there already is not taken
twice. More in docs/guides/from-smac.md and docs/reference/runs-csv.md.

Exit code: 0 if runs were taken over, now or before; 2 if none fits, or if they cannot be read; 5 if the
campaign's folder cannot be used.")]
pub(crate) struct Arguments {
    /// A scenario, or the folder of a campaign
    #[arg(value_name = "SCENARIO|DIR")]
    path: PathBuf,
    /// Where the runs are
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// The campaign's folder, if not the one named after the scenario
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// A parameter or output of the runs to leave out: it made no difference; may be given several times
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
}

/// Imports, and says what to do next.
pub(crate) fn import(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let order = Order { path: arguments.path.clone(), folder: arguments.dir.clone(), ..Order::default() };
    let imported = bring_in(&order, &arguments.from, &arguments.ignore)?;
    let folder = quoted(&imported.folder.to_string_lossy());
    message::note(&format!("next: captune run {folder}"));
    let nothing_fits = imported.count() == 0 && imported.left.keys().all(|why| why != runs::KNOWN);
    Ok(if nothing_fits { ExitCode::Usage } else { ExitCode::Done })
}

/// Imports, and says what became of the runs.
pub(crate) fn bring_in(order: &Order, from: &Path, ignored: &[String]) -> anyhow::Result<Imported> {
    let runs = runs::read(from).map_err(unreadable)?;
    let runs = runs.without(ignored).map_err(|name| Hinted {
        message: format!("no run in {} has a parameter or output `{name}`", from.display()),
        hint: "correct the name after --ignore".to_owned(),
    })?;
    let imported = conduct::import(order, &runs).map_err(explained)?;
    said(&imported, &runs, ignored).iter().for_each(|line| message::note(line));
    Ok(imported)
}

fn said(imported: &Imported, runs: &Runs, ignored: &[String]) -> Vec<String> {
    let parts = imported.trials.iter().map(|(status, count)| format!("{count} {}", status.name()));
    let parts: Vec<String> = parts.collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let configurations = counted(imported.configurations as u64, "configuration");
    let folder = quoted(&imported.folder.to_string_lossy());
    let count = imported.count();
    let mut lines = vec![format!(
        "{count} of {} imported{parts}, of {configurations}, into {folder}",
        counted(runs.list.len() as u64, "run")
    )];
    if let Some(aside) = &imported.set_aside {
        let aside = quoted(&aside.to_string_lossy());
        lines.push(format!("the search begins anew with them; the store as it was is kept in {aside}"));
    }
    if !imported.left.is_empty() {
        lines.push("left out:".to_owned());
        let mut left: Vec<(&String, &usize)> = imported.left.iter().collect();
        left.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let more = left.len().saturating_sub(SHOWN);
        lines.extend(left.iter().take(SHOWN).map(|(why, count)| format!("  {count} x {}", harmless(why))));
        if more > 0 {
            lines.push(format!("  and for {more} more reasons"));
        }
    }
    let filled = imported.filled.iter().map(|(name, value)| format!("{name} = {value}"));
    lines.extend(listed("named by no run, so the default is taken:", filled));
    let ignored = ignored.iter().map(|name| format!("`{name}`, as you asked for"));
    lines.extend(listed("not used:", ignored.chain(imported.unused.iter().cloned())));
    lines
}

/// A title and its items; nothing without items.
fn listed(title: &str, items: impl Iterator<Item = String>) -> Vec<String> {
    let items: Vec<String> = items.map(|item| format!("  {}", harmless(&item))).collect();
    if items.is_empty() { items } else { [vec![title.to_owned()], items].concat() }
}

/// The error with its parts where `message::report` looks for them, and with advice.
pub(crate) fn unreadable(error: ImportError) -> anyhow::Error {
    let hint = match error {
        ImportError::Table(mistakes) | ImportError::Space(mistakes) => return mistakes.into(),
        ImportError::Store(error) => return error.into(),
        ImportError::Unknown { .. } => {
            "known are folders and scenarios of SMAC, SMAC3 and irace, and SQLite files of Optuna"
        }
        ImportError::NoRuns { .. } => "name the file, or the folder it is in",
        other => return other.into(),
    };
    Hinted { message: error.to_string(), hint: hint.to_owned() }.into()
}
