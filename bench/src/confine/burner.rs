//! The targets: programs that use a known amount of CPU time.

use std::process::Command;
use std::time::Duration;

use clap::Args;
use rustix::time::{ClockId, clock_gettime};

/// The hidden subcommand.
pub(crate) const VERB: &str = "__burn";

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of processes.
    processes: u32,
    /// CPU time of each process, in seconds.
    seconds: f64,
    /// Further arguments of a scenario; ignored.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Uses CPU time in this process, or in children that it waits for.
pub(crate) fn burn(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.processes == 1 {
        let clock = || {
            let time = clock_gettime(ClockId::ProcessCPUTime);
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        };
        while clock() < Duration::from_secs_f64(arguments.seconds) {}
        return Ok(());
    }
    let seconds = arguments.seconds.to_string();
    let start = || Command::new("/proc/self/exe").args([VERB, "1", &seconds]).spawn();
    let children: Result<Vec<_>, _> = (0..arguments.processes).map(|_| start()).collect();
    for mut child in children? {
        child.wait()?;
    }
    Ok(())
}
