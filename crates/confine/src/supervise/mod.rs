//! What happens behind the control socket, in processes of one thread each.
//!
//! ```text
//! caller ── guardian ── supervisor ── target ── …
//!   └──── control socket ────┘
//! ```
//!
//! The *guardian*, one for each caller, forks a supervisor for each run and destroys what a killed
//! one has left. The *supervisor* makes the enclosure, starts the target, watches its limits, kills
//! and reaps the tree, cleans up and reports. Of a sequence it runs one job after the other in the same
//! enclosure, and what an earlier one has started may live on until the end.
//!
//! | who dies | who notices | how |
//! |---|---|---|
//! | caller | guardian, supervisor | their sockets hang up |
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

/// What guardians and supervisors are called in lists of processes. Whoever kills all processes called like their
/// caller, as `killall` does, must leave them alive: they kill what it has started.
pub(crate) const NAME: &str = "confine";

/// Runs as guardian until the caller is gone.
pub(crate) fn guard() -> ! {
    // One that keeps its old name does its work all the same.
    rustix::thread::set_name(c"confine").ok();
    sys::close_inherited();
    // Once for all that will be forked from here. Whoever signals everything he finds must not end
    // us before our targets: the sockets tell us when to go.
    sys::default_signals();
    sys::block_signals();
    // Started by hand, with a standard input that is no socket: nothing to do.
    let done = take_socket().and_then(guardian::guard).is_some();
    sys::exit_now(i32::from(!done))
}

/// Moves the caller's socket away from standard input, so that no child can inherit it.
fn take_socket() -> Option<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).ok()?;
    let nothing = std::fs::File::open("/dev/null").ok()?;
    rustix::stdio::dup2_stdin(&nothing).ok()?;
    Some(socket)
}
