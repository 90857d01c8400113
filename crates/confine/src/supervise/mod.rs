//! What happens behind the control socket, in two processes of one thread each.
//!
//! ```text
//! caller ──socket── guardian ── supervisor ── target ── …
//! ```
//!
//! The *guardian* makes the enclosure, starts the supervisor, and when that is gone, whatever the
//! reason, destroys what is left. The *supervisor* starts the target, watches its limits, kills and
//! reaps the tree, and reports. Each end of the chain notices the death of its neighbour:
//!
//! | who dies | who notices | how |
//! |---|---|---|
//! | caller | supervisor | the socket hangs up |
//! | guardian | supervisor | its process descriptor |
//! | supervisor | guardian | `wait` |

mod clock;
mod deaths;
mod enclosure;
mod meter;
mod output;
mod spawn;
mod tree;
mod watch;

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use rustix::process::{PidfdFlags, getpid, pidfd_open};

use crate::error::Step;
use crate::folder;
use crate::sys::{self, Forked};
use crate::wire::{self, DuringStep, Job, Report};

use enclosure::Enclosure;

/// The hidden first argument that turns an executable into a guardian.
pub(crate) const SUPERVISE: &str = "__supervise";

/// Runs as guardian; never returns.
pub(crate) fn guard() -> ! {
    // A failure here has nobody to be told to: the caller sees that the socket closed unanswered.
    let code = i32::from(become_guardian().is_none());
    sys::exit_now(code)
}

fn become_guardian() -> Option<()> {
    sys::close_inherited();
    let socket = take_socket()?;
    let (job, files) = wire::receive::<Job>(&socket).ok()??;
    let private = private_folder(&job);

    let started = Enclosure::make(&job).and_then(|enclosure| {
        let guardian = pidfd_open(getpid(), PidfdFlags::empty()).during(Step::Descriptors)?;
        match sys::fork().during(Step::Fork)? {
            Forked::Parent(supervisor) => Ok((enclosure, supervisor)),
            Forked::Child => supervise(socket.as_fd(), guardian, &job, files, enclosure),
        }
    });
    match started {
        Ok((mut enclosure, supervisor)) => {
            // The caller must see the socket close when the supervisor dies, not when we do.
            drop(socket);
            sys::wait(Some(supervisor), true).ok()?;
            enclosure.destroy();
            private.is_none_or(|path| folder::remove(&path).is_ok()).then_some(())
        }
        Err(failure) => wire::send(&socket, &Report::NotStarted(failure), &[]).ok(),
    }
}

/// Moves the control socket away from standard input, so that no child can inherit it.
fn take_socket() -> Option<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).ok()?;
    let nothing = std::fs::File::open("/dev/null").ok()?;
    rustix::stdio::dup2_stdin(&nothing).ok()?;
    Some(socket)
}

/// Runs as supervisor; never returns.
fn supervise(
    socket: BorrowedFd<'_>,
    guardian: OwnedFd,
    job: &Job,
    files: Vec<OwnedFd>,
    mut enclosure: Enclosure,
) -> ! {
    let report = match watch::watch(socket, guardian, job, files, &mut enclosure) {
        Ok(mut finished) => {
            finished.left_behind = private_folder(job).filter(|path| folder::remove(path).is_err());
            Report::Finished(Box::new(finished))
        }
        Err(failure) => Report::NotStarted(failure),
    };
    // If the caller is gone there is nobody to report to.
    wire::send(socket, &report, &[]).ok();
    sys::exit_now(0)
}

/// The folder that is ours to remove.
fn private_folder(job: &Job) -> Option<PathBuf> {
    job.private.then(|| PathBuf::from(OsStr::from_bytes(job.folder.to_bytes())))
}
