//! A PID namespace whose first process is the supervisor: when that ends, the kernel kills the rest.

use std::fs;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use crate::error::Step;
use crate::sys::{self, Forked};
use crate::wire::{DuringStep, Failure};

/// Forks a child that is the first process of a new PID namespace.
///
/// Root needs nothing else. Anyone else may do it inside a user namespace of his own.
pub(crate) fn fork() -> Result<Forked, Failure> {
    if getuid().is_root()
        && let Ok(forked) = sys::fork_apart(UnshareFlags::NEWPID)
    {
        return Ok(forked);
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let forked = sys::fork_apart(UnshareFlags::NEWUSER | UnshareFlags::NEWPID).during(Step::Namespace)?;
    if let Forked::Child = forked {
        // Everyone keeps his own user and group number. Without this nothing below would be allowed,
        // so a failure shows in the next step.
        fs::write("/proc/self/setgroups", "deny").ok();
        fs::write("/proc/self/uid_map", format!("{user} {user} 1")).ok();
        fs::write("/proc/self/gid_map", format!("{group} {group} 1")).ok();
    }
    Ok(forked)
}

/// Gives the namespace a /proc that shows its own processes; called by its first process.
pub(crate) fn settle() -> Result<(), Failure> {
    sys::unshare(UnshareFlags::NEWNS).during(Step::MountProc)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).during(Step::MountProc)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).during(Step::MountProc)
}
