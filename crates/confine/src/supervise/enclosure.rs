//! How each tier encloses, kills, reaps and accounts for a tree.

use std::collections::HashSet;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, set_child_subreaper};

use super::deaths::Deaths;
use super::tree::Tree;
use crate::error::{DuringStep, Failure, Step};
use crate::finished::CpuTime;
use crate::limits::Limits;
use crate::sys::{self, Forked};
use crate::tier::cgroup::ControlGroup;
use crate::tier::{Tier, namespace};
use crate::wire::RunSpec;

/// The enclosure of one run, created and held by its supervisor.
pub(super) enum Enclosure {
    Cgroup(ControlGroup),
    Namespace,
    Subreaper,
    /// The process group of the target, once it has started.
    Group(Option<Pid>),
}

impl Enclosure {
    /// Creates the enclosure.
    pub(super) fn make(spec: &RunSpec, limits: &Limits) -> Result<Self, Failure> {
        match spec.tier {
            Tier::Cgroup => {
                become_subreaper()?;
                let plan = spec.cgroup.as_ref().ok_or(Failure { step: Step::Cgroup, errno: libc::ENOENT })?;
                ControlGroup::make(plan, limits).map(Self::Cgroup)
            }
            // This process is already the first one in the namespace.
            Tier::Namespace => namespace::mount_proc().map(|()| Self::Namespace),
            Tier::Subreaper => become_subreaper().map(|()| Self::Subreaper),
            Tier::Group => Ok(Self::Group(None)),
        }
    }

    pub(super) fn tier(&self) -> Tier {
        match self {
            Self::Cgroup(_) => Tier::Cgroup,
            Self::Namespace => Tier::Namespace,
            Self::Subreaper => Tier::Subreaper,
            Self::Group(_) => Tier::Group,
        }
    }

    /// Forks a child that starts inside the enclosure.
    pub(super) fn fork(&mut self) -> Result<Forked, Failure> {
        let forked = match self {
            Self::Cgroup(group) => sys::fork_into(group.descriptor()).during(Step::CgroupFork)?,
            _ => sys::fork().during(Step::Fork)?,
        };
        if let (Self::Group(group), Forked::Parent(child)) = (self, &forked) {
            *group = Some(*child);
        }
        Ok(forked)
    }

    /// Returns the CPU time that the kernel has counted for the enclosure. `None` if the tier has no such
    /// counter.
    pub(super) fn cpu(&mut self) -> Option<CpuTime> {
        match self {
            Self::Cgroup(group) => group.cpu().ok(),
            _ => None,
        }
    }

    /// Returns the control group, if there is one.
    pub(super) fn control_group(&self) -> Option<&ControlGroup> {
        match self {
            Self::Cgroup(group) => Some(group),
            _ => None,
        }
    }

    /// Returns whether the supervisor adopts orphans and so can count them.
    pub(super) fn adopts(&self) -> bool {
        !matches!(self, Self::Group(_))
    }

    /// Sends TERM to every process inside.
    pub(super) fn terminate(&self, tree: Tree) {
        match self {
            Self::Cgroup(_) | Self::Namespace | Self::Subreaper => tree.signal(Signal::TERM),
            Self::Group(group) => signal_group(*group, Signal::TERM),
        }
    }

    /// Kills every process inside and waits until all are gone.
    pub(super) fn kill(&self, tree: Tree, deaths: &mut Deaths) {
        // Except in the group tier, every process inside is or becomes a child of the supervisor. So when no
        // child is left, the tree is gone. A process started during one round of kills is killed in the next
        // round.
        while deaths.take_dead() || !self.adopts() {
            match self {
                Self::Cgroup(group) => {
                    group.kill();
                    // Processes that moved to another group are still in the tree.
                    tree.signal(Signal::KILL);
                }
                Self::Namespace => sys::kill_namespace(),
                Self::Subreaper => tree.signal(Signal::KILL),
                Self::Group(group) => signal_group(*group, Signal::KILL),
            }
            if !deaths.await_one() {
                return;
            }
        }
    }

    /// Kills every process inside except those in `spared` and their descendants, and waits until the
    /// killed ones are gone. Must not be called in the group tier.
    pub(super) fn kill_except(&self, spared: &HashSet<Pid>, tree: Tree, deaths: &mut Deaths) {
        while deaths.take_dead() {
            let strays = tree.descendants_outside(&|pid| spared.contains(&pid));
            if strays.is_empty() {
                return;
            }
            for process in strays {
                kill_process(process.pid, Signal::KILL).ok();
            }
            // The topmost of these processes are children of the supervisor, so it can wait for one to die.
            if !deaths.await_one() {
                return;
            }
        }
    }

    /// Removes the control group, if there is one.
    pub(super) fn remove(&self) {
        if let Self::Cgroup(group) = self {
            group.remove();
        }
    }
}

fn become_subreaper() -> Result<(), Failure> {
    set_child_subreaper(Some(Pid::INIT)).during(Step::Subreaper)
}

fn signal_group(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // The call fails only if the group is empty.
        kill_process_group(group, signal).ok();
    }
}
