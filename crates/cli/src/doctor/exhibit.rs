//! The small test programs that `doctor` confines. Each is this program, started with a hidden verb.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::exit_code::ExitCode;

/// The hidden verb.
pub(crate) const VERB: &str = "__exhibit";

#[derive(Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    pub(super) what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Ends at once.
    Nothing,
    /// Uses CPU time endlessly.
    Burn,
    /// Sleeps for an hour.
    Sleep,
    /// Allocates memory endlessly.
    Grow,
    /// Writes to standard output endlessly.
    Flood,
    /// Writes to a file endlessly.
    Fill,
    /// Starts processes endlessly.
    Crowd,
    /// Leaves behind a process that has left the session.
    Escape,
    /// Leaves its session and runs for a moment longer.
    Escaped,
}

/// Behaves as requested. Endless behaviours continue until the process is stopped.
pub(crate) fn exhibit(arguments: &Arguments) -> ExitCode {
    match arguments.what {
        What::Nothing => {}
        What::Burn => burn(),
        What::Sleep => std::thread::sleep(Duration::from_secs(3600)),
        What::Grow => grow(),
        What::Flood => while std::io::stdout().write_all(&[b'x'; 4096]).is_ok() {},
        What::Fill => fill(),
        What::Crowd => while start(What::Sleep).is_ok() {},
        What::Escape => escape(),
        What::Escaped => {
            // An error is ignored: the process then stays in its session, where it is certain to be found.
            rustix::process::setsid().ok();
            std::io::stdout().write_all(b"!").and_then(|()| std::io::stdout().flush()).ok();
            // The sleep is short, because in the group tier the process escapes and is not killed.
            std::thread::sleep(Duration::from_millis(500));
        }
    }
    ExitCode::Done
}

fn burn() {
    let mut x = 1_u64;
    while std::hint::black_box(x) != 0 {
        x = x.wrapping_mul(3);
    }
}

fn grow() {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    loop {
        taken.push(vec![1; 1 << 20]);
        std::hint::black_box(&taken);
    }
}

fn fill() {
    if let Ok(mut file) = std::fs::File::create("filled") {
        while file.write_all(&[0; 65536]).is_ok() {}
    }
}

/// Starts a process that leaves the session. Returns once that process has left it.
fn escape() {
    let Ok(mut child) = command(What::Escaped).stdout(Stdio::piped()).spawn() else { return };
    if let Some(stdout) = &mut child.stdout {
        stdout.read_exact(&mut [0]).ok();
    }
}

fn start(what: What) -> std::io::Result<Child> {
    command(what).spawn()
}

/// Returns a command that runs this program with another behaviour.
fn command(what: What) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.args([VERB, &what.name()]);
    command
}

impl What {
    /// Returns the name of the behaviour on the command line.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
