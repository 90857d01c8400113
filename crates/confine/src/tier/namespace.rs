//! A PID namespace whose first process is the supervisor: when that ends, the kernel kills the rest.

use std::fs;
use std::io;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use crate::error::Step;
use crate::wire::{DuringStep, Failure};

/// Makes the next child of this process the first of a new PID namespace.
///
/// Root needs nothing else. Anyone else may do it inside a user namespace of his own, in which he
/// keeps his own user and group number.
pub(crate) fn enter() -> Result<(), Failure> {
    if getuid().is_root() && unshare(UnshareFlags::NEWPID).is_ok() {
        return Ok(());
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWPID).during(Step::Namespace)?;
    fs::write("/proc/self/setgroups", "deny").during(Step::Namespace)?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).during(Step::Namespace)?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).during(Step::Namespace)
}

/// Gives the namespace a /proc that shows its own processes; called by its first process.
pub(crate) fn mount_proc() -> Result<(), Failure> {
    unshare(UnshareFlags::NEWNS).during(Step::MountProc)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).during(Step::MountProc)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).during(Step::MountProc)
}

fn unshare(flags: UnshareFlags) -> io::Result<()> {
    crate::sys::unshare(flags)
}
