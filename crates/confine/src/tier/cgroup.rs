//! A control group (version 2) for each run: complete CPU time, atomic kill, and a memory limit if the
//! memory controller is delegated to this user.
//!
//! ```text
//! <ours>/                    the caller's group, if groups can be created below it
//!   captune-caller/          the caller itself, moved here only if the controller requires it
//!   captune-run-<pid>-<n>/   one for each run, created and removed by its supervisor
//! ```

use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use crate::error::{DuringStep, Failure, Step};
use crate::finished::CpuTime;
use crate::folder::{self, RUN_PREFIX};
use crate::limits::Limits;

/// The path at which the group for one run is created.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    path: CString,
}

impl Plan {
    /// Kills and removes the group if it exists. The guardian calls this if the supervisor was killed.
    pub(crate) fn clear(&self) {
        remove(self.path());
    }

    fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.path.to_bytes()))
    }
}

/// The group below which the groups of runs are created.
#[derive(Debug)]
pub(crate) struct Parent {
    path: PathBuf,
}

impl Parent {
    /// Returns the group of this process. The first call finds it, enables the memory controller and
    /// removes leftover groups.
    pub(crate) fn ours() -> Result<&'static Self, String> {
        static OURS: OnceLock<Result<Parent, String>> = OnceLock::new();
        OURS.get_or_init(|| {
            let path = own_group()?;
            enable_memory(&path);
            sweep(&path);
            Ok(Self { path })
        })
        .as_ref()
        .map_err(Clone::clone)
    }

    /// Returns the path of the group for the next run.
    pub(crate) fn plan(&self) -> Plan {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{RUN_PREFIX}{}-{count}", std::process::id()));
        // A path from the system contains no NUL.
        Plan { path: CString::new(path.into_os_string().into_vec()).unwrap_or_default() }
    }
}

/// The group of one run.
pub(crate) struct ControlGroup {
    path: PathBuf,
    /// The group's folder, kept open and locked while the supervisor lives. [`sweep`] checks the lock.
    folder: File,
    cpu_stat: File,
    kill: File,
    memory: bool,
}

impl ControlGroup {
    /// Creates the group and sets its limits.
    pub(crate) fn make(plan: &Plan, limits: &Limits) -> Result<Self, Failure> {
        fs::create_dir(plan.path()).during(Step::Cgroup)?;
        match Self::open(plan.path(), limits) {
            Ok(group) => Ok(group),
            Err(failure) => {
                // Report the original failure, not a failure to remove the empty group.
                fs::remove_dir(plan.path()).ok();
                Err(failure)
            }
        }
    }

    fn open(path: &Path, limits: &Limits) -> Result<Self, Failure> {
        let folder = File::open(path).during(Step::Cgroup)?;
        rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).during(Step::Cgroup)?;
        let cpu_stat = File::open(path.join("cpu.stat")).during(Step::Cgroup)?;
        // Without `cgroup.kill` (Linux before 5.14), this tier could not guarantee that every process is
        // killed.
        let kill = File::options().write(true).open(path.join("cgroup.kill")).during(Step::Cgroup)?;
        let memory = path.join("memory.max").exists();
        let set = |file: &str, value: String| fs::write(path.join(file), value).during(Step::CgroupLimit);
        if let (true, Some(bytes)) = (memory, limits.memory) {
            set("memory.max", bytes.to_string())?;
            set("memory.oom.group", "1".into())?;
            if path.join("memory.swap.max").exists() {
                set("memory.swap.max", "0".into())?;
            }
        }
        Ok(Self { path: path.to_owned(), folder, cpu_stat, kill, memory })
    }

    /// Returns the descriptor that is needed to start a child in the group.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Returns whether the kernel limits and measures the memory of the group.
    pub(crate) fn counts_memory(&self) -> bool {
        self.memory
    }

    /// Returns the CPU time of everything that ever ran in the group.
    pub(crate) fn cpu(&mut self) -> io::Result<CpuTime> {
        let mut text = String::new();
        self.cpu_stat.rewind()?;
        self.cpu_stat.read_to_string(&mut text)?;
        let time = |key| {
            field(&text, key)
                .map(Duration::from_micros)
                .ok_or_else(|| io::Error::other("a field is missing in cpu.stat"))
        };
        Ok(CpuTime { user: time("user_usec")?, system: time("system_usec")?, complete: true })
    }

    /// Returns the peak memory use of the group, if the kernel measures it.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        fs::read_to_string(self.path.join("memory.peak")).ok()?.trim().parse().ok()
    }

    /// Returns whether the kernel killed the group for exceeding its memory limit.
    pub(crate) fn exceeded_memory_limit(&self) -> bool {
        fs::read_to_string(self.path.join("memory.events"))
            .is_ok_and(|text| field(&text, "oom_kill").is_some_and(|count| count > 0))
    }

    /// Kills all members at once.
    pub(crate) fn kill(&self) {
        // The write fails only if the group and its members are gone.
        (&self.kill).write_all(b"1").ok();
    }

    /// Kills the remaining members and removes the group.
    pub(crate) fn remove(&self) {
        remove(&self.path);
    }
}

/// Kills the processes of a group and removes the group. A killed process takes a moment to leave its group,
/// so this tries for up to two seconds; the next [`sweep`] removes what is left.
fn remove(path: &Path) {
    for round in 0..1000 {
        match remove_once(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                if round % 100 == 0 {
                    fs::write(path.join("cgroup.kill"), "1").ok();
                }
                std::thread::sleep(Duration::from_millis(2).min(Duration::from_micros(50 << round.min(6))));
            }
            _ => return,
        }
    }
}

/// Removes an empty group. First removes any empty groups that a target has created below it.
fn remove_once(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
            for entry in fs::read_dir(path)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    remove_once(&entry.path())?;
                }
            }
            fs::remove_dir(path)
        }
        other => other,
    }
}

/// Returns the folder of the control group of this process.
fn own_group() -> Result<PathBuf, String> {
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let mounts = read("/proc/self/mountinfo")?;
    let mount = mounts
        .lines()
        .filter_map(|line| line.split_once(" - ").filter(|(_, kind)| kind.starts_with("cgroup2 ")))
        .filter_map(|(fields, _)| fields.split(' ').nth(4))
        .next()
        .ok_or("no version 2 control groups are mounted")?;
    let groups = read("/proc/self/cgroup")?;
    let within = groups
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .ok_or("this process is not in a version 2 control group")?;
    let path = Path::new(mount).join(within.trim_start_matches('/'));
    if rustix::fs::access(&path, rustix::fs::Access::WRITE_OK).is_err() {
        return Err(format!("the control group {} is not delegated to this user", path.display()));
    }
    Ok(path)
}

/// Enables the memory controller for groups below `path`, if it is delegated to this user.
///
/// A group that passes controllers on to its subgroups must not contain processes itself. If this process is
/// alone in the group, it moves into a subgroup. If there are other processes, nothing is moved, and the
/// memory of runs is limited by other means. Whether the controller was enabled can be seen in the subgroups
/// created later.
fn enable_memory(path: &Path) {
    let has = |file: &str| words(&path.join(file)).iter().any(|word| word == "memory");
    if !has("cgroup.controllers") || has("cgroup.subtree_control") {
        return;
    }
    // The root group has no `cgroup.type` and may contain processes.
    if path.join("cgroup.type").exists() {
        if words(&path.join("cgroup.procs")) != [std::process::id().to_string()] {
            return;
        }
        let home = path.join("captune-caller");
        if fs::create_dir_all(&home).is_err() || fs::write(home.join("cgroup.procs"), "0").is_err() {
            return;
        }
    }
    fs::write(path.join("cgroup.subtree_control"), "+memory").ok();
}

/// Removes groups whose supervisor and guardian were both killed.
fn sweep(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let is_run = entry.file_name().to_str().is_some_and(|name| name.starts_with(RUN_PREFIX));
        if is_run && folder::is_abandoned(&entry.path()) {
            // Do not wait: the next sweep removes a group that is busy now.
            fs::write(entry.path().join("cgroup.kill"), "1").ok();
            remove_once(&entry.path()).ok();
        }
    }
}

fn words(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Returns the number after `key` in text with lines of the form `key number`.
fn field(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "usage_usec 12\nuser_usec 7\nsystem_usec 5\n";
        assert_eq!(field(text, "user_usec"), Some(7));
        assert_eq!(field(text, "usec"), None);
        assert_eq!(field(text, "nice_usec"), None);
    }
}
