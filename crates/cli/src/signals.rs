//! Ctrl-C and its kin: someone wants us to stop.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

/// Signals that from now on do not end us, and wait to be heard.
pub(crate) struct Listening(Signals);

/// Listens for SIGINT, SIGTERM, SIGHUP and SIGUSR1, which batch systems send before a job ends, unless we were started with them ignored.
pub(crate) fn listen() -> anyhow::Result<Listening> {
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGUSR1].into_iter().filter(|&signal| !is_ignored(signal));
    Ok(Listening(Signals::new(wanted).context("cannot listen for signals")?))
}

impl Listening {
    /// Does something at each signal, which is the first, second, third ...; in a thread of its own.
    pub(crate) fn each(self, mut act: impl FnMut(usize) + Send + 'static) {
        let Self(mut signals) = self;
        std::thread::spawn(move || signals.forever().enumerate().for_each(|(before, _)| act(before + 1)));
    }
}

/// Whether we were started with a signal ignored, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & (1 << (signal - 1)) != 0)
}
