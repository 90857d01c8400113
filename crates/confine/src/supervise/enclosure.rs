//! What the tiers do differently: how a tree is enclosed, killed, reaped and accounted for.

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
use crate::wire::Birth;

/// One run's enclosure, made and held by its supervisor.
pub(super) enum Enclosure {
    Cgroup(ControlGroup),
    Namespace,
    Subreaper,
    /// The process group of the target, once it is started.
    Group(Option<Pid>),
}

impl Enclosure {
    /// Makes the enclosure.
    pub(super) fn make(birth: &Birth, limits: &Limits) -> Result<Self, Failure> {
        match birth.tier {
            Tier::Cgroup => {
                become_subreaper()?;
                let plan =
                    birth.cgroup.as_ref().ok_or(Failure { step: Step::Cgroup, errno: libc::ENOENT })?;
                ControlGroup::make(plan, limits).map(Self::Cgroup)
            }
            // We were born as the first process of it.
            Tier::Namespace => namespace::settle().map(|()| Self::Namespace),
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

    /// Forks a child that is inside from its first moment.
    pub(super) fn fork(&mut self) -> Result<Forked, Failure> {
        let forked = match self {
            Self::Cgroup(group) => sys::fork_into(group.descriptor()).during(Step::CgroupBirth)?,
            _ => sys::fork().during(Step::Fork)?,
        };
        if let (Self::Group(group), Forked::Parent(child)) = (self, &forked) {
            *group = Some(*child);
        }
        Ok(forked)
    }

    /// CPU time by the kernel's own account of the enclosure.
    pub(super) fn cpu(&mut self) -> Option<CpuTime> {
        match self {
            Self::Cgroup(group) => group.cpu().ok(),
            _ => None,
        }
    }

    /// The control group, where there is one.
    pub(super) fn control_group(&self) -> Option<&ControlGroup> {
        match self {
            Self::Cgroup(group) => Some(group),
            _ => None,
        }
    }

    /// Whether orphans come to the supervisor, so that it knows how many there were.
    pub(super) fn adopts(&self) -> bool {
        !matches!(self, Self::Group(_))
    }

    /// Asks everything inside to end.
    pub(super) fn terminate(&self, tree: Tree) {
        match self {
            Self::Cgroup(_) | Self::Namespace | Self::Subreaper => tree.signal(Signal::TERM),
            Self::Group(group) => signal_group(*group, Signal::TERM),
        }
    }

    /// Kills everything inside and waits until it is gone.
    pub(super) fn kill(&self, tree: Tree, deaths: &mut Deaths) {
        // Outside the group tier every process inside is or becomes our child, so when there is none
        // left the tree is gone. One that was born during the kill meets the next.
        while deaths.take_dead() || !self.adopts() {
            match self {
                Self::Cgroup(group) => {
                    group.kill();
                    // Whoever may move processes between groups has left this one, but not the tree.
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

    /// Kills everything inside but the processes of `spared` and what is below them, and waits until
    /// it is gone. Not for the group tier.
    pub(super) fn kill_but(&self, spared: &HashSet<Pid>, tree: Tree, deaths: &mut Deaths) {
        while deaths.take_dead() {
            let strays = tree.descendants_outside(&|pid| spared.contains(&pid));
            if strays.is_empty() {
                return;
            }
            for process in strays {
                kill_process(process.pid, Signal::KILL).ok();
            }
            // The uppermost of them are our own children: one of their deaths comes to us.
            if !deaths.await_one() {
                return;
            }
        }
    }

    /// Removes what the enclosure itself has left in the system.
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
        // Fails only when nobody is left in it.
        kill_process_group(group, signal).ok();
    }
}
