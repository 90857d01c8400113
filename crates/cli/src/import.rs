//! `captune import`: adds runs from another campaign, from another configurator or from a table as trials.

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

/// Maximum number of reasons shown. The rest are only counted.
const SHOWN: usize = 10;

#[derive(Args, Debug)]
#[command(after_help = "\
FROM is one of
  the folder of a campaign, or a campaign-N.sqlite that it keeps
  runhistory.json from SMAC3 (any version), or the folder that contains it
  an SQLite file from Optuna
  a CSV table with a column per parameter, and instance, seed, cost, status,
  cap, time and output:NAME

Runs that were stopped are imported as lower bounds, whatever penalty the file
gives them. Runs that do not fit the scenario are left out and listed, and so
are runs of a campaign on instances that have changed since. A campaign whose
program has changed is refused.
Unknown parameters, impossible negative numbers and contradictory runs are
errors, and then nothing is imported. Imported trials count towards
`budget.trials` but not towards time budgets; the best configurations among
them race first. A run is imported only once. See docs/guides/from-smac.md and
docs/reference/runs-csv.md.

Exit code: 0 if runs were imported, now or before; 2 if no run fits, or the
runs cannot be read; 5 if the campaign's folder cannot be used.")]
pub(crate) struct Arguments {
    /// Scenario, or folder of a campaign
    #[arg(value_name = "SCENARIO|DIR")]
    path: PathBuf,
    /// File or folder with the runs
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// Folder of the campaign [default: named after the scenario]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Ignore a parameter or output that made no difference; may be repeated
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
}

/// Imports runs and prints the next command.
pub(crate) fn import(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let order = Order { path: arguments.path.clone(), folder: arguments.dir.clone(), ..Order::default() };
    let imported = bring_in(&order, &arguments.from, &arguments.ignore)?;
    let folder = quoted(&imported.folder.to_string_lossy());
    message::note(&format!("next: captune run {folder}"));
    let nothing_fits = imported.count() == 0 && imported.left.keys().all(|why| why != runs::KNOWN);
    Ok(if nothing_fits { ExitCode::Usage } else { ExitCode::Done })
}

/// Imports runs and reports which were imported and which were left out.
pub(crate) fn bring_in(order: &Order, from: &Path, ignored: &[String]) -> anyhow::Result<Imported> {
    let runs = runs::read(from).map_err(unreadable)?;
    let runs = runs.without(ignored).map_err(|name| Hinted {
        message: format!("no run in {} has a parameter or output `{name}`", from.display()),
        hint: "correct the name after --ignore".to_owned(),
    })?;
    let imported = conduct::import(order, &runs).map_err(explained)?;
    report(&imported, &runs, ignored).iter().for_each(|line| message::note(line));
    Ok(imported)
}

/// Describes what was imported and what was left out, one line each.
fn report(imported: &Imported, runs: &Runs, ignored: &[String]) -> Vec<String> {
    let parts = imported.trials.iter().map(|(status, count)| format!("{count} {}", status.name()));
    let parts: Vec<String> = parts.collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let configurations = counted(imported.configurations as u64, "configuration");
    let folder = quoted(&imported.folder.to_string_lossy());
    let count = imported.count();
    let mut lines = vec![format!(
        "imported {count} of {}{parts} of {configurations} into {folder}",
        counted(runs.list.len() as u64, "run")
    )];
    if let Some(aside) = &imported.set_aside {
        let aside = quoted(&aside.to_string_lossy());
        lines.push(format!(
            "the search starts again with the imported trials; the previous store is kept in {aside}"
        ));
    }
    if !imported.left.is_empty() {
        lines.push("left out:".to_owned());
        let mut left: Vec<(&String, &usize)> = imported.left.iter().collect();
        left.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let more = left.len().saturating_sub(SHOWN);
        lines.extend(left.iter().take(SHOWN).map(|(why, count)| format!("  {count} x {}", harmless(why))));
        if more > 0 {
            lines.push(format!("  and {more} more reasons"));
        }
    }
    let filled = imported.filled.iter().map(|(name, value)| format!("{name} = {value}"));
    lines.extend(listed("not in the runs, so the default is used:", filled));
    let ignored = ignored.iter().map(|name| format!("`{name}` (--ignore)"));
    lines.extend(listed("not used:", ignored.chain(imported.unused.iter().cloned())));
    lines
}

/// Returns a title followed by its items; an empty list if there are no items.
fn listed(title: &str, items: impl Iterator<Item = String>) -> Vec<String> {
    let items: Vec<String> = items.map(|item| format!("  {}", harmless(&item))).collect();
    if items.is_empty() { items } else { [vec![title.to_owned()], items].concat() }
}

/// Converts the error to one whose causes and hint `message::report` can print.
pub(crate) fn unreadable(error: ImportError) -> anyhow::Error {
    let hint = match error {
        ImportError::Table(mistakes) | ImportError::Space(mistakes) => return mistakes.into(),
        ImportError::Store(error) => return error.into(),
        ImportError::Unknown { .. } => {
            "name a folder or scenario from SMAC, SMAC3 or irace, or an SQLite file from Optuna"
        }
        ImportError::NoRuns { .. } => "name the file, or the folder that contains it",
        other => return other.into(),
    };
    Hinted { message: error.to_string(), hint: hint.to_owned() }.into()
}
