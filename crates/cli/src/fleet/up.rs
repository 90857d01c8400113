//! `captune fleet up`: a server, a coordinator and workers on this machine.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use clap::Args;
use fleet::invitation::{self, Invitation};
use fleet::private::private_folder;
use store::{Store, StoreError};

use crate::exit_code::ExitCode;
use crate::run;

#[derive(Args, Debug)]
pub(crate) struct UpArguments {
    /// Number of workers, each with one slot
    #[arg(value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// Let trials use any core, so that there can be more workers than cores
    #[arg(long)]
    any_core: bool,
    #[command(flatten)]
    run: run::Arguments,
}

/// Worker processes. Their standard input is open as long as this value exists, so they end with this process,
/// however it ends.
struct Workers(Vec<Child>);

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            drop(child.stdin.take());
        }
        for child in &mut self.0 {
            // The exit code is of no interest: the log has the reason.
            let _ = child.wait();
        }
    }
}

/// Starts workers, and runs the campaign on them.
pub(crate) fn up(arguments: UpArguments) -> anyhow::Result<ExitCode> {
    let UpArguments { count, any_core, run } = arguments;
    let run = run.on_this_fleet()?;
    let folder = run.folder()?;
    let logs = invitation::folder(&folder);
    private_folder(&logs)?;
    if let Some(holder) = Store::holder(&folder)? {
        return Err(StoreError::InUse { folder, pid: holder.pid, host: holder.host }.into());
    }
    // An invitation to a campaign that is over would make the workers end at once.
    let stale = Invitation::path(&folder);
    if let Err(error) = fs::remove_file(&stale)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error).with_context(|| format!("cannot remove {}", stale.display()));
    }
    let start = |number| start(&folder, &logs, number, count, any_core);
    let _workers = Workers((1..=count).map(start).collect::<anyhow::Result<_>>()?);
    run::run(&run)
}

fn start(folder: &Path, logs: &Path, number: u32, of: u32, any_core: bool) -> anyhow::Result<Child> {
    let own: PathBuf = std::env::current_exe().context("cannot determine the path of captune")?;
    let path = logs.join(format!("worker-{number}.log"));
    let log = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut command = Command::new(own);
    command.arg("worker").arg(folder).args(["--slots", "1", "--while-stdin"]);
    if any_core {
        command.arg("--any-core");
    } else {
        command.args(["--part", &format!("{number}/{of}")]);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
    command.spawn().context("cannot start a worker")
}
