//! Guardian and supervisor, the processes at the other end of the control socket. Each has one thread.
//!
//! ```text
//! caller ── guardian ── supervisor ── target ── …
//!   └──── control socket ────┘
//! ```
//!
//! The *guardian*, one for each caller, forks a supervisor for each run and cleans up after supervisors
//! that were killed. The *supervisor* creates the enclosure, starts the target, watches its limits,
//! kills and reaps the tree, cleans up and reports. For a sequence, it runs one job after the other in
//! the same enclosure, and processes of an earlier job may keep running until the end.
//!
//! | who dies | who notices | how |
//! |---|---|---|
//! | caller | guardian, supervisor | their sockets are closed |
//! | guardian | supervisor; caller, at the next run | its process descriptor; its socket |
//! | supervisor | guardian | SIGCHLD |

mod clock;
mod deaths;
mod enclosure;
mod guardian;
mod meter;
mod output;
mod sequence;
mod spawn;
mod tree;
mod watch;

use std::os::fd::OwnedFd;

use crate::sys;

/// The hidden first argument that turns an executable into a guardian.
pub(crate) const SUPERVISE: &str = "__supervise";

/// Name of guardians and supervisors in process lists. This name differs from the caller's, so that `killall`
/// with the caller's name leaves guardians and supervisors alive. They can then kill the processes that the
/// caller started.
pub(crate) const NAME: &str = "confine";

/// Runs as the guardian until the caller is gone.
pub(crate) fn guard() -> ! {
    // A failure is harmless: the name is only for display.
    rustix::thread::set_name(c"confine").ok();
    sys::close_inherited();
    // All processes forked from here inherit these settings. A signal sent to every process must not end
    // a guardian or supervisor before its targets; both exit when their sockets close.
    sys::default_signals();
    sys::block_signals();
    // If a user starts the guardian by hand, standard input is not a socket and there is nothing to do.
    let done = take_socket().and_then(guardian::guard).is_some();
    sys::exit_now(i32::from(!done))
}

/// Moves the caller's socket away from standard input, so that no child can inherit it.
fn take_socket() -> Option<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).ok()?;
    let null = std::fs::File::open("/dev/null").ok()?;
    rustix::stdio::dup2_stdin(&null).ok()?;
    Some(socket)
}
