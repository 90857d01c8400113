//! The descendants of this process, read from /proc.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid, kill_process};

use crate::sys;

/// The method for finding the children of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tree {
    /// The kernel's list of children for each thread.
    Listed,
    /// A scan of all processes and their parents, for kernels without such lists.
    Scanned,
}

/// One process of the tree as last seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Process {
    pub(super) pid: Pid,
    /// CPU time, in whole ticks, of the children that the process had waited for when it was read.
    pub(super) of_children: Duration,
    /// Resident set in pages.
    pub(super) resident: u64,
    /// Whether the process is dead but has not been waited for.
    pub(super) dead: bool,
}

impl Tree {
    /// Chooses the method that this kernel supports; `None` if /proc is not available.
    pub(super) fn probe() -> Option<Self> {
        let own = getpid().as_raw_pid();
        if Path::new(&format!("/proc/{own}/task/{own}/children")).exists() {
            Some(Self::Listed)
        } else {
            Path::new(&format!("/proc/{own}/stat")).exists().then_some(Self::Scanned)
        }
    }

    /// Returns all descendants of this process, each after its parent.
    pub(super) fn descendants(self) -> Vec<Process> {
        self.descendants_outside(&|_| false)
    }

    /// Returns all descendants of this process, each after its parent. Processes for which `leave_out` is
    /// true are skipped together with their descendants.
    ///
    /// Each process is read before its children are listed. So a child that dies in between is missed, but
    /// its time is never counted both in the child and in the parent that has waited for it.
    pub(super) fn descendants_outside(self, leave_out: &dyn Fn(Pid) -> bool) -> Vec<Process> {
        let scanned = if self == Self::Scanned { scan() } else { HashMap::new() };
        let children = |pid: i32| match self {
            Self::Listed => list(pid),
            Self::Scanned => scanned.get(&pid).cloned().unwrap_or_default(),
        };
        let mut found = Vec::new();
        let mut visited = HashSet::new();
        let mut waiting = children(getpid().as_raw_pid());
        while let Some(pid) = waiting.pop() {
            // A process that changes parents during the walk may be found twice.
            if let (true, Some(process)) =
                (visited.insert(pid), read(pid).filter(|process| !leave_out(process.pid)))
            {
                found.push(process);
                waiting.extend(children(pid));
            }
        }
        found
    }

    /// Sends a signal to every descendant of this process.
    pub(super) fn signal(self, signal: Signal) {
        for process in self.descendants() {
            // An error is ignored, because the process may have ended already.
            kill_process(process.pid, signal).ok();
        }
    }
}

fn list(pid: i32) -> Vec<i32> {
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    children
}

/// Returns the children of every process on the machine.
fn scan() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for (pid, parent) in entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Some((pid, number(fields(&stat)?.nth(1)?)? as i32))
    }) {
        children.entry(parent).or_default().push(pid);
    }
    children
}

fn read(pid: i32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&[u8]> = fields(&stat)?.collect();
    let field = |at: usize| number(fields.get(at)?);
    let ticks = field(13)? + field(14)?;
    let leader_is_dead = matches!(*fields.first()?, b"Z" | b"X");
    let has_other_threads = leader_is_dead && field(17)? > 1;
    Some(Process {
        pid: Pid::from_raw(pid)?,
        of_children: Duration::from_nanos(ticks * 1_000_000_000 / sys::ticks_per_second()),
        resident: if has_other_threads { resident_of_threads(pid) } else { field(21)? },
        dead: leader_is_dead && !has_other_threads,
    })
}

/// Returns the resident set, in pages, of a process whose first thread has ended before the others.
fn resident_of_threads(pid: i32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let resident = |thread: fs::DirEntry| {
        let statm = fs::read_to_string(thread.path().join("statm")).ok()?;
        statm.split(' ').nth(1)?.parse().ok()
    };
    threads.filter_map(resident).max().unwrap_or(0)
}

impl Process {
    /// Returns the proportional set size in bytes, in which a page shared by n processes counts as 1/n;
    /// slow to read.
    pub(super) fn proportional(&self) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid.as_raw_pid())).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    }

    /// Returns whether the process ignores SIGCHLD, so that its children are never waited for.
    pub(super) fn ignores_children(&self) -> bool {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.pid.as_raw_pid())).unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        ignored & (1 << (libc::SIGCHLD - 1)) != 0
    }
}

/// Returns the fields of a `stat` line, starting with the state. The process name before the state may
/// contain any character.
fn fields(stat: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let end_of_name = stat.iter().rposition(|&byte| byte == b')')?;
    Some(stat.get(end_of_name + 2..)?.split(|&byte| byte == b' '))
}

fn number(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn both_methods_find_the_same_tree() {
        let mut child = Command::new("sh")
            .args(["-c", "cat | cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let pids = |tree: Tree| {
            let mut pids: Vec<i32> = tree.descendants().iter().map(|p| p.pid.as_raw_pid()).collect();
            pids.sort_unstable();
            pids
        };
        // The shell needs a moment to start its children; then all three processes wait for input.
        while pids(Tree::Scanned).len() < 3 {
            std::thread::yield_now();
        }
        assert_eq!(Tree::probe(), Some(Tree::Listed));
        assert_eq!(pids(Tree::Listed), pids(Tree::Scanned));
        assert!(pids(Tree::Listed).contains(&(child.id() as i32)));
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_name_may_contain_brackets_and_spaces() {
        let stat = b"12 (a) S (b) R 7 0 0 0 0 0 0 0 0 0 0 0 3 4 0 0 0 0 0 0 99 ";
        let fields: Vec<&[u8]> = fields(stat).unwrap().collect();
        assert_eq!((fields[0], number(fields[1])), (&b"R"[..], Some(7)));
    }
}
