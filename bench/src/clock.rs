//! CPU times, which other programs on the machine hardly affect.

use anyhow::{Context, Result};
use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// Returns the CPU seconds of this thread so far.
pub(crate) fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the CPU seconds so far of this process and of its children that have ended, to a hundredth of a
/// second.
pub(crate) fn cpu_with_children() -> Result<f64> {
    cpu_of("self")
}

/// Returns the CPU seconds so far of the process with this number, and of its children that have ended.
pub(crate) fn cpu_of(process: &str) -> Result<f64> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("could not read {path}"))?;
    // The name of the program, in parentheses, may contain spaces.
    let (_, fields) = stat.rsplit_once(')').with_context(|| format!("no name in {path}"))?;
    let ticks: Vec<u64> =
        fields.split_whitespace().skip(11).take(4).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<u64>() as f64 / clock_ticks_per_second() as f64)
}
