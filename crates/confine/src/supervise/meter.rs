//! Measures what the tree has used so far. The estimates are never too high.
//!
//! | symbol | meaning |
//! |---|---|
//! | W | time of children that the supervisor has waited for, and of their children (rusage) |
//! | o(p) | own time of a living process p, to the nanosecond (its CPU clock) |
//! | c(p) | time of the children that p has waited for, in whole ticks (`stat`) |
//! | s(p) | value of o(p) when p, dead or alive, was last seen |
//! | G | time of the control group, if there is one |
//!
//! The time used is at least max( W + Σ o(p) + Σ c(p), Σ s(p), G ). The second bound includes children whose
//! parents never wait for them. The third bound includes every process, but it may lag by up to one tick for
//! running processes.
//!
//! If processes of an earlier job are still running, the value of each bound at the start of the job is
//! subtracted. The difference then has a rounding error of up to one tick per process.

use std::collections::HashMap;
use std::time::Duration;

use rustix::process::Pid;

use super::enclosure::Enclosure;
use super::tree::{Process, Tree};
use crate::finished::CpuTime;
use crate::sys;

/// One measurement of the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    /// CPU time used so far; a lower bound.
    pub(super) cpu: Duration,
    /// Sum of the resident sets in bytes.
    pub(super) memory: u64,
    /// Processes alive.
    pub(super) processes: u32,
}

/// The resources used by a tree, summed over its processes.
pub(super) struct Meter {
    tree: Tree,
    page: u64,
    /// s(p) for each PID.
    seen: HashMap<Pid, Duration>,
    /// Sum of s(p) over processes whose PID has been reused since.
    replaced: Duration,
    /// The largest memory sampled.
    pub(super) peak_memory: u64,
    /// Whether a process whose children are never reaped has been seen.
    pub(super) saw_unreaped: bool,
    before: Before,
}

/// The values at the start of the job.
#[derive(Default)]
struct Before {
    accounted: Duration,
    system: Duration,
    seen: Duration,
    group: Option<CpuTime>,
}

impl Meter {
    pub(super) fn new(tree: Tree) -> Self {
        let page = rustix::param::page_size() as u64;
        Self {
            tree,
            page,
            seen: HashMap::new(),
            replaced: Duration::ZERO,
            peak_memory: 0,
            saw_unreaped: false,
            before: Before::default(),
        }
    }

    /// Starts counting the CPU time of a job.
    pub(super) fn begin(&mut self, enclosure: &mut Enclosure) {
        let (accounted, _) = self.read_tree();
        self.before = Before {
            accounted,
            system: sys::usage_of_children().system,
            seen: self.total_seen(),
            group: enclosure.cpu(),
        };
    }

    /// Measures the tree now.
    pub(super) fn sample(&mut self, enclosure: &mut Enclosure) -> Sample {
        let (accounted, mut sample) = self.read_tree();
        self.peak_memory = self.peak_memory.max(sample.memory);
        let accounted = accounted.saturating_sub(self.before.accounted);
        let group = self.of_group(enclosure).map_or(Duration::ZERO, |cpu| cpu.total());
        sample.cpu = accounted.max(self.total_seen()).max(group);
        sample
    }

    /// Returns the user and system time of all processes that are alive or were waited for. The system time
    /// covers only processes that were waited for; all remaining time is reported as user time.
    pub(super) fn accounted(&mut self) -> (Duration, Duration) {
        let total = self.read_tree().0.saturating_sub(self.before.accounted);
        let system = sys::usage_of_children().system.saturating_sub(self.before.system).min(total);
        (total - system, system)
    }

    /// Returns the CPU time that the control group has used, if there is one.
    pub(super) fn of_group(&self, enclosure: &mut Enclosure) -> Option<CpuTime> {
        let now = enclosure.cpu()?;
        let Some(before) = &self.before.group else { return Some(now) };
        let (user, system) = (now.user.saturating_sub(before.user), now.system.saturating_sub(before.system));
        Some(CpuTime { user, system, complete: now.complete })
    }

    /// Returns W + Σ o(p) + Σ c(p), and a sample with the memory and the number of processes.
    fn read_tree(&mut self) -> (Duration, Sample) {
        let waited = sys::usage_of_children();
        let mut accounted = waited.user + waited.system;
        let mut sample = Sample::default();
        for process in self.tree.descendants() {
            accounted += process.of_children;
            sample.memory += process.resident * self.page;
            sample.processes += u32::from(!process.dead);
            if let Some(own) = sys::cpu_time(process.pid) {
                accounted += own;
                self.see(process.pid, own);
            }
        }
        (accounted, sample)
    }

    /// Checks whether the tree contains children that are never reaped; this is slow.
    pub(super) fn check_unreaped(&mut self) {
        self.saw_unreaped |= self.tree.descendants().iter().any(Process::ignores_children);
    }

    /// Returns the memory of the tree in bytes, with shared pages counted once. If the kernel does not report
    /// this for a process, the shared pages of that process count in full.
    pub(super) fn shared_memory(&self) -> u64 {
        let processes = self.tree.descendants();
        processes.iter().map(|process| process.proportional().unwrap_or(process.resident * self.page)).sum()
    }

    fn see(&mut self, pid: Pid, own: Duration) {
        let last = self.seen.insert(pid, own).unwrap_or_default();
        if last > own {
            self.replaced += last;
        }
    }

    /// Returns Σ s(p): the own time of each process when it was last seen, summed over all processes ever
    /// seen.
    pub(super) fn total_seen(&self) -> Duration {
        (self.seen.values().sum::<Duration>() + self.replaced).saturating_sub(self.before.seen)
    }
}
