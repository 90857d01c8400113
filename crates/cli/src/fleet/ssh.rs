//! `captune fleet ssh`: a worker on each host of a list, as long as this command runs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Context;
use campaign::conduct::Order;
use clap::Args;
use fleet::lifeline::SILENCE;
use fleet::ssh::{Fate, Halting, Host, Launch, Notice, keep, read_hosts};

use crate::exit_code::ExitCode;
use crate::goal;
use crate::message::{self, Hinted};
use crate::signals;
use crate::words::counted;
use crate::worker::Options;

#[derive(Args, Debug)]
#[command(after_help = "\
HOSTS is a file with one host per line: HOST, or HOST SLOTS. `#` starts a
comment. ssh must be able to log in without a password. Options after `--` are
passed to ssh:
  captune fleet ssh hosts.txt cnf.toml -- -p 2222 -i key

A connection that breaks is made again. A worker ends when its connection does,
so nothing stays behind on the hosts. The first signal (Ctrl-C, SIGTERM) lets
running trials end; the second gives them back at once.")]
pub(crate) struct SshArguments {
    /// File with the names of the hosts
    #[arg(value_name = "HOSTS")]
    hosts: PathBuf,
    /// Folder of the campaign, or its scenario; the hosts must have it under the same path
    #[arg(value_name = "SCENARIO|DIR", default_value = goal::FILE)]
    path: PathBuf,
    /// Path of captune on the hosts [default: the path of this program]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    #[command(flatten)]
    worker: Options,
    /// Further options of ssh
    #[arg(value_name = "SSH OPTIONS", last = true)]
    options: Vec<OsString>,
}

/// Keeps workers running until the campaign is over.
pub(crate) fn ssh(arguments: &SshArguments) -> anyhow::Result<ExitCode> {
    let signals = signals::listen()?;
    let hosts = read_hosts(&arguments.hosts)?;
    let launch = launch(arguments)?;
    check(&launch)?;
    let halting = Arc::new(Halting::default());
    let (more, grace) = (Arc::clone(&halting), arguments.worker.grace);
    signals.each(move |count| {
        if count == 1 {
            let grace = grace.as_secs_f64();
            message::note(&format!("trials have {grace} s to end; a second signal gives them back at once"));
        }
        more.more();
    });
    message::note(&format!("starting workers on {}", counted(hosts.len() as u64, "host")));
    let fates = keep(&launch, &hosts, &halting, &show);
    let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let unusable = count(|fate| matches!(fate, Fate::Unusable(_)));
    if count(|fate| *fate == Fate::Stopped) > 0 {
        return Ok(ExitCode::Interrupted);
    }
    if unusable == fates.len() {
        message::say("error: no host can run a worker");
        return Ok(ExitCode::Failed);
    }
    message::note("the campaign is over");
    Ok(ExitCode::Done)
}

fn launch(arguments: &SshArguments) -> anyhow::Result<Launch> {
    let SshArguments { path, program, worker, options, .. } = arguments;
    let program = program.clone().map_or_else(std::env::current_exe, Ok);
    let program = program.context("cannot determine the path of captune")?;
    let mut words = vec![program.into_os_string(), "worker".into()];
    words.extend(["--while-stdin", "--silence", &format!("{}s", SILENCE.as_secs())].map(OsString::from));
    let Options { connect, scenario, slots, any_core, grace, patience } = worker;
    let seconds = |time: &std::time::Duration| Some(format!("{}s", time.as_secs_f64()).into());
    let of_path = |path: &Option<PathBuf>| path.clone().map(PathBuf::into_os_string);
    for (name, value) in [
        ("--connect", of_path(connect)),
        ("--scenario", of_path(scenario)),
        ("--grace", seconds(grace)),
        ("--patience", patience.as_ref().and_then(seconds)),
    ] {
        if let Some(value) = value {
            words.extend([name.into(), value]);
        }
    }
    words.extend(any_core.then(|| "--any-core".into()));
    if connect.is_none() {
        let folder = Order { path: path.clone(), ..Order::default() }.folder();
        let folder = std::path::absolute(&folder).context("cannot determine the folder of the campaign")?;
        words.push(folder.into_os_string());
    }
    let text = |word: OsString| {
        word.into_string().map_err(|word| Hinted {
            message: format!("`{}` is not valid text, so it cannot be sent to a host", word.display()),
            hint: "rename the file, or use a link to it".to_owned(),
        })
    };
    let worker = words.into_iter().map(text).collect::<Result<_, _>>()?;
    Ok(Launch { ssh: "ssh".into(), options: options.clone(), worker, slots: *slots })
}

/// Returns an error if ssh is not installed.
fn check(launch: &Launch) -> anyhow::Result<()> {
    let tried = Command::new(&launch.ssh).arg("-V").stdin(Stdio::null()).output();
    tried.map(drop).context("cannot run ssh; is it installed here?")
}

/// Prints what the user should know about a host.
fn show(host: &Host, notice: Notice) {
    let name = &host.name;
    match notice {
        Notice::Said(line) => message::note(&format!("{name}: {line}")),
        Notice::Again(why) => {
            message::say(&format!("warning: {name} has no worker: {why}; captune keeps trying"));
        }
        Notice::Ended(Fate::Unusable(why)) => {
            message::say(&format!("error: {name} is not used: {why}"));
        }
        Notice::Ended(Fate::Over | Fate::Stopped) => {}
    }
}
