//! A PID namespace whose first process is the supervisor. When the supervisor ends, the kernel kills all
//! other processes in the namespace.

use std::fs;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use crate::error::{DuringStep, Failure, Step};
use crate::sys::{self, Forked};

/// Forks a child that is the first process of a new PID namespace.
///
/// Root first tries without a new user namespace. Other users always need one.
pub(crate) fn fork() -> Result<Forked, Failure> {
    if getuid().is_root()
        && let Ok(forked) = sys::fork_into_namespaces(UnshareFlags::NEWPID)
    {
        return Ok(forked);
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let forked =
        sys::fork_into_namespaces(UnshareFlags::NEWUSER | UnshareFlags::NEWPID).during(Step::Namespace)?;
    if let Forked::Child = forked {
        // User and group IDs stay the same. A failure is ignored here, because the next step fails without
        // these mappings.
        fs::write("/proc/self/setgroups", "deny").ok();
        fs::write("/proc/self/uid_map", format!("{user} {user} 1")).ok();
        fs::write("/proc/self/gid_map", format!("{group} {group} 1")).ok();
    }
    Ok(forked)
}

/// Mounts a /proc that shows only the processes of the namespace; called by its first process.
pub(crate) fn mount_proc() -> Result<(), Failure> {
    sys::unshare(UnshareFlags::NEWNS).during(Step::MountProc)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).during(Step::MountProc)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).during(Step::MountProc)
}
