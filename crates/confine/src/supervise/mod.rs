//! What happens behind the control socket, in processes of one thread each.
//!
//! ```text
//! caller ── nursery
//!   │          └── guardian ── supervisor ── target ── …
//!   └─ control socket ─┴───────────┘
//! ```
//!
//! The *nursery* forks a guardian for each run. The *guardian* makes the enclosure, starts the
//! supervisor, and when that is gone, whatever the reason, destroys what is left. The *supervisor*
//! starts the target, watches its limits, kills and reaps the tree, and reports.
//!
//! | who dies | who notices | how |
//! |---|---|---|
//! | caller | nursery, supervisor | their sockets hang up |
//! | nursery | caller, at the next run | its socket |
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

/// The hidden first argument that turns an executable into a nursery.
pub(crate) const SUPERVISE: &str = "__supervise";

/// Runs as nursery until the caller is gone.
pub(crate) fn nurse() -> ! {
    sys::close_inherited();
    // Started by hand, or with a standard input that is no socket: nothing to do.
    let Some(births) = take_socket() else { sys::exit_now(2) };
    sys::reap_children_unseen();
    while let Ok(Some(((), sockets))) = wire::receive::<()>(&births) {
        for socket in sockets {
            if let Ok(Forked::Child) = sys::fork() {
                drop(births);
                sys::default_signals();
                // A failure here has nobody to be told to: the caller sees the socket close.
                let done = guard(&socket).is_some();
                sys::exit_now(i32::from(!done));
            }
        }
    }
    sys::exit_now(0)
}

/// Runs as guardian of one run.
fn guard(socket: &OwnedFd) -> Option<()> {
    let (job, files) = wire::receive::<Job>(socket).ok()??;
    let enclosure = match Enclosure::make(&job) {
        Ok(enclosure) => enclosure,
        Err(failure) => return wire::send(socket, &Report::NotStarted(failure), &[]).ok(),
    };
    let guardian = pidfd_open(getpid(), PidfdFlags::empty()).during(Step::Descriptors);
    match guardian.and_then(|guardian| Ok((guardian, sys::fork().during(Step::Fork)?))) {
        Ok((guardian, Forked::Child)) => supervise(socket.as_fd(), guardian, &job, files, enclosure),
        Ok((_, Forked::Parent(supervisor))) => drop(sys::wait(Some(supervisor), true)),
        Err(failure) => wire::send(socket, &Report::NotStarted(failure), &[]).ok()?,
    }
    // A supervisor that was not killed has done all this. The caller is still held by our end of the
    // socket if it got no report, so it goes on only when nothing is left.
    enclosure.destroy();
    private_folder(&job).is_none_or(|path| folder::remove(&path).is_ok()).then_some(())
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
    let ended = watch::watch(socket, guardian, job, files, &mut enclosure);
    enclosure.remove();
    let report = match ended {
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
