//! What the tree has used so far, by estimates that are never too high.
//!
//! | symbol | meaning |
//! |---|---|
//! | W | time of children we have waited for, and of theirs (rusage) |
//! | o(p) | own time of a living process p, to the nanosecond (its CPU clock) |
//! | c(p) | time of the children p has waited for, in whole ticks (`stat`) |
//! | s(p) | o(p) when p, dead or alive, was last seen |
//! | G | time of the control group, where there is one |
//!
//! The time used is at least max( W + Σ o(p) + Σ c(p), Σ s(p), G ). The second bound sees through
//! parents that never wait; the third is complete but lags behind by a tick for what is running.
//!
//! Where processes of an earlier job live on, each of the three counts from what it was when the job
//! began, so that their own roundings, of a tick for each process, go into the difference.

use std::collections::HashMap;
use std::time::Duration;

use rustix::process::Pid;

use super::enclosure::Enclosure;
use super::tree::{Process, Tree};
use crate::finished::CpuTime;
use crate::sys;

/// One look at the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    /// CPU time used so far; the truth may be more.
    pub(super) cpu: Duration,
    /// Sum of the resident sets in bytes.
    pub(super) memory: u64,
    /// Processes alive.
    pub(super) processes: u32,
}

/// Adds up what the tree uses.
pub(super) struct Meter {
    tree: Tree,
    page: u64,
    /// s(p) of each process number.
    seen: HashMap<Pid, Duration>,
    /// s(p) of processes whose number has been given to another since.
    replaced: Duration,
    /// The largest memory sampled.
    pub(super) peak_memory: u64,
    /// Whether a process was seen whose children are reaped by nobody.
    pub(super) saw_unreaped: bool,
    before: Before,
}

/// What had been used when the job began.
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

    /// Counts from now on only.
    pub(super) fn begin(&mut self, enclosure: &mut Enclosure) {
        let (accounted, _) = self.look();
        self.before = Before {
            accounted,
            system: sys::usage_of_children().system,
            seen: self.seen_in_all(),
            group: enclosure.cpu(),
        };
    }

    /// Looks at the tree now.
    pub(super) fn sample(&mut self, enclosure: &mut Enclosure) -> Sample {
        let (accounted, mut sample) = self.look();
        self.peak_memory = self.peak_memory.max(sample.memory);
        let accounted = accounted.saturating_sub(self.before.accounted);
        let group = self.of_group(enclosure).map_or(Duration::ZERO, |cpu| cpu.total());
        sample.cpu = accounted.max(self.seen_in_all()).max(group);
        sample
    }

    /// What the processes that were waited for and the living ones have used, in user and kernel mode:
    /// the latter as far as waited for.
    pub(super) fn accounted(&mut self) -> (Duration, Duration) {
        let total = self.look().0.saturating_sub(self.before.accounted);
        let system = sys::usage_of_children().system.saturating_sub(self.before.system).min(total);
        (total - system, system)
    }

    /// What the control group has used, where there is one.
    pub(super) fn of_group(&self, enclosure: &mut Enclosure) -> Option<CpuTime> {
        let now = enclosure.cpu()?;
        let Some(before) = &self.before.group else { return Some(now) };
        let (user, system) = (now.user.saturating_sub(before.user), now.system.saturating_sub(before.system));
        Some(CpuTime { user, system, complete: now.complete })
    }

    /// W + Σ o(p) + Σ c(p), and what else shows.
    fn look(&mut self) -> (Duration, Sample) {
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

    /// Looks for what is slow to tell: whether the tree has children that nobody reaps.
    pub(super) fn look_closer(&mut self) {
        self.saw_unreaped |= self.tree.descendants().iter().any(Process::ignores_children);
    }

    /// Memory in bytes with shared pages counted once; the plain sum where that is not told.
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

    /// Σ s(p): own time of every process ever seen, as last seen.
    pub(super) fn seen_in_all(&self) -> Duration {
        (self.seen.values().sum::<Duration>() + self.replaced).saturating_sub(self.before.seen)
    }
}
