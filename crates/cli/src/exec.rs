//! `captune exec`: runs one command under limits.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use confine::{Command, Control, Exit, Finished, Folder, Stdin, Stop};

use crate::exit_code::ExitCode;
use crate::limits::LimitArguments;
use crate::message;
use crate::record;
use crate::signals;

#[derive(Args, Debug)]
#[command(after_help = "\
The command runs as given, without a shell. Its environment has your PATH,
HOME, LANG and TMPDIR, OMP_NUM_THREADS=1, and the variables that you pass or
set. When the command ends, captune ends its whole process tree. Its output is
printed afterwards: the first 64 KiB and the last 1 MiB of each stream.

Exit code: that of the command; 124 if a limit stopped it; 128 + n if signal n
ended it; 130 if you interrupted it (interrupt again to skip the grace period);
1, 2 or 4 if it could not be run as requested. --json reports these cases
separately.")]
pub(crate) struct Arguments {
    /// Print one JSON object with all measurements and the command's output
    #[arg(long)]
    json: bool,
    /// Pass variables from your environment; `*` matches any text
    #[arg(long, value_name = "PATTERN")]
    pass_env: Vec<String>,
    /// Set an environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_variable)]
    env: Vec<(String, String)>,
    /// Run in this folder instead of the current one
    #[arg(long, value_name = "PATH", conflicts_with = "private")]
    folder: Option<PathBuf>,
    /// Run in a fresh folder that is removed afterwards
    #[arg(long)]
    private: bool,
    /// Read standard input from a file; `-` passes captune's standard input [default: closed]
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Write all of standard output to a file
    #[arg(long, value_name = "FILE")]
    stdout: Option<PathBuf>,
    /// Write all of standard error to a file
    #[arg(long, value_name = "FILE")]
    stderr: Option<PathBuf>,
    /// Command and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
    #[command(flatten)]
    limits: LimitArguments,
}

fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("expected NAME=VALUE".into()),
    }
}

/// Runs the command and reports what it used.
pub(crate) fn exec(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let limits = arguments.limits.limits();
    let control = Arc::new(Control::new());
    cancel_on_signal(&control)?;
    let finished = confine::run(&command(&arguments)?, &limits, &control)?;

    if arguments.json {
        message::print(record::json(&arguments.command, &finished).as_bytes())?;
    } else {
        if arguments.stdout.is_none() {
            message::print(&finished.stdout.joined())?;
        }
        if arguments.stderr.is_none() {
            std::io::stderr().write_all(&finished.stderr.joined()).ok();
        }
        message::say(&record::summary(&finished, &limits));
    }
    Ok(exit_code(&finished))
}

fn command(arguments: &Arguments) -> anyhow::Result<Command> {
    let (program, rest) = arguments.command.split_first().context("there is no command")?;
    let folder = match (&arguments.folder, arguments.private) {
        (_, true) => Folder::Private,
        (Some(path), _) => Folder::Given(path.clone()),
        (None, _) => Folder::Given(std::env::current_dir().context("the current folder no longer exists")?),
    };
    let stdin = match &arguments.stdin {
        None => Stdin::Closed,
        Some(path) if path.as_os_str() == "-" => Stdin::Inherited,
        Some(path) => Stdin::File(path.clone()),
    };
    let mut command = Command::new(program).args(rest).folder(folder).stdin(stdin);
    for pattern in &arguments.pass_env {
        command = command.pass_env(pattern);
    }
    for (name, value) in &arguments.env {
        command = command.env(name, value);
    }
    if let Some(path) = &arguments.stdout {
        command = command.stdout_file(path);
    }
    if let Some(path) = &arguments.stderr {
        command = command.stderr_file(path);
    }
    if let Some(tier) = arguments.limits.tier {
        command = command.tier(tier);
    }
    Ok(command)
}

/// Makes Ctrl-C and similar signals cancel the command. captune itself continues, because it still has to
/// print the record. The third signal ends captune at once, and the command with it.
fn cancel_on_signal(control: &Arc<Control>) -> anyhow::Result<()> {
    let control = Arc::clone(control);
    signals::listen()?.each(move |count| {
        control.cancel();
        if count == 3 {
            #[expect(clippy::exit, reason = "the main thread may be blocked")]
            std::process::exit(130);
        }
    });
    Ok(())
}

fn exit_code(finished: &Finished) -> ExitCode {
    match (finished.stopped, finished.exit) {
        (Some(Stop::Cancelled), _) => ExitCode::Interrupted,
        (Some(Stop::Limit(_)), _) => ExitCode::OfTarget(124),
        // The conversions lose nothing: exit codes have eight bits, and signal numbers fewer.
        (None, Exit::Code(code)) => ExitCode::OfTarget(code as u8),
        (None, Exit::Signal(signal)) => ExitCode::OfTarget(128 + signal as u8),
    }
}
