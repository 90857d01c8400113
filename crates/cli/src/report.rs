//! `captune report`: writes a campaign as one HTML file, and its data as tables or JSON.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use scenario::shell::quoted;
use scenario::whole_file;
use view::pages::Pages;
use view::{Kept, KeptFolds, Records, ViewError};

use crate::exit_code::ExitCode;
use crate::message;
use crate::words::counted;

#[derive(Args, Debug)]
#[command(after_help = "\
The file opens in any browser, loads nothing from a network and can be sent as
it is. docs/guides/report.md explains its pages. The campaign may be running;
`captune serve DIR` shows the same pages live. If the campaign has folds, each
fold gets a report in its own folder.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// HTML file to write [default: report.html in the campaign's folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write the data behind the pictures, one CSV file per table
    #[arg(long, value_name = "FOLDER")]
    csv: Option<PathBuf>,
    /// Also write all data as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Hide paths, hosts, commands, names of instances and the texts of failures
    #[arg(long)]
    redact: bool,
    /// Print a paragraph for a paper instead of writing the HTML file
    #[arg(long)]
    methods: bool,
}

/// Writes the report.
pub(crate) fn report(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match KeptFolds::find(&arguments.path)? {
        Some(folds) => of_each(&folds, arguments),
        None => of_one(&Kept::open(&arguments.path)?, arguments),
    }
}

/// Writes a report into the folder of each fold that has started. Options that name a file need one fold.
fn of_each(folds: &KeptFolds, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let names_a_file = arguments.output.is_some()
        || arguments.csv.is_some()
        || arguments.json.is_some()
        || arguments.methods;
    if names_a_file {
        let (folder, count) = (folds.folder.clone(), folds.folds.len());
        return Err(ViewError::Several { folder, count }.into());
    }
    for fold in folds.folds.iter().flatten() {
        of_one(fold, arguments)?;
    }
    let waiting = folds.folds.iter().filter(|fold| fold.is_none()).count() as u64;
    if waiting > 0 {
        let verb = if waiting == 1 { "has" } else { "have" };
        message::note(&format!("{} {verb} not started yet", counted(waiting, "fold")));
    }
    let folder = quoted(&folds.folder.display().to_string());
    message::note(&format!("the verdict over all folds: captune status {folder}"));
    Ok(ExitCode::Done)
}

fn of_one(kept: &Kept, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut pages = Pages::of(&Records::of(kept)?)?;
    if arguments.redact {
        pages.redact();
    }
    if let Some(folder) = &arguments.csv {
        tables(&pages, folder)?;
    }
    if let Some(file) = &arguments.json {
        let text = serde_json::to_string(&pages).context("cannot write the data as JSON")?;
        write(file, &text)?;
        message::note(&format!("data written to {}", file.display()));
    }
    if arguments.methods {
        message::show_wrapped(&::report::methods(&pages, env!("CARGO_PKG_VERSION")))?;
        return Ok(ExitCode::Done);
    }
    let file = arguments.output.clone().unwrap_or_else(|| kept.folder.join("report.html"));
    write(&file, &::report::html(&pages))?;
    message::note(&format!("report written to {}", file.display()));
    Ok(ExitCode::Done)
}

fn tables(pages: &Pages, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let tables = ::report::tables(pages);
    for table in &tables {
        write(&folder.join(format!("{}.csv", table.name)), &table.csv)?;
    }
    message::note(&format!("{} written to {}", counted(tables.len() as u64, "table"), folder.display()));
    Ok(())
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    whole_file::write(file, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", file.display()))
}
