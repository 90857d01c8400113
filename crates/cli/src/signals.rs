//! Signals that ask the program to stop, such as Ctrl-C.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

/// Signals that no longer end the process. They are kept until [`Listening::each`] handles them.
pub(crate) struct Listening(Signals);

/// Listens for SIGINT, SIGTERM, SIGHUP and SIGUSR1 (which batch systems send before a job ends), except those
/// that were already ignored when the program started.
pub(crate) fn listen() -> anyhow::Result<Listening> {
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGUSR1].into_iter().filter(|&signal| !is_ignored(signal));
    Ok(Listening(Signals::new(wanted).context("cannot listen for signals")?))
}

impl Listening {
    /// Starts a thread that calls a function for each signal. The argument is 1 for the first signal, 2 for
    /// the second, and so on.
    pub(crate) fn each(self, mut act: impl FnMut(usize) + Send + 'static) {
        let Self(mut signals) = self;
        std::thread::spawn(move || signals.forever().enumerate().for_each(|(before, _)| act(before + 1)));
    }
}

/// Returns whether a signal was ignored when the program started, as with `nohup`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & (1 << (signal - 1)) != 0)
}
