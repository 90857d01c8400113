//! What the tiers do differently: how a tree is enclosed, killed, reaped and accounted for.

use rustix::process::{Pid, Signal, kill_process, kill_process_group, set_child_subreaper};

use super::deaths::Deaths;
use super::tree::Tree;
use crate::error::Step;
use crate::finished::CpuTime;
use crate::sys::{self, Forked, Wait};
use crate::tier::cgroup::Group;
use crate::tier::{Tier, namespace};
use crate::wire::{DuringStep, Failure, Job};

/// One run's enclosure. The guardian makes it and shares it with the supervisor by fork.
pub(super) enum Enclosure {
    Cgroup(Group),
    Namespace,
    Subreaper,
    /// The process group of the target, once it is started.
    Group(Option<Pid>),
}

impl Enclosure {
    /// Makes the enclosure; called by the guardian.
    pub(super) fn make(job: &Job) -> Result<Self, Failure> {
        match job.tier {
            Tier::Cgroup => {
                let plan = job.cgroup.as_ref().ok_or(Failure { step: Step::Cgroup, errno: libc::ENOENT })?;
                Group::make(plan, &job.limits).map(Self::Cgroup)
            }
            Tier::Namespace => namespace::enter().map(|()| Self::Namespace),
            Tier::Subreaper => {
                // The guardian too: the tree of a supervisor that is killed comes to it.
                become_subreaper().map(|()| Self::Subreaper)
            }
            Tier::Group => Ok(Self::Group(None)),
        }
    }

    /// Steps inside; called by the supervisor before it starts the target.
    pub(super) fn enter(&self) -> Result<Tree, Failure> {
        match self {
            Self::Cgroup(_) | Self::Subreaper => become_subreaper()?,
            Self::Namespace => namespace::mount_proc()?,
            Self::Group(_) => {}
        }
        Tree::probe().ok_or(Failure { step: Step::ReadTree, errno: libc::ENOENT })
    }

    /// Forks a child that is inside from its first moment.
    pub(super) fn fork(&mut self) -> Result<Forked, Failure> {
        let forked = match self {
            Self::Cgroup(group) => sys::fork_into(group.descriptor()).during(Step::Cgroup)?,
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
    pub(super) fn group(&self) -> Option<&Group> {
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
            Self::Cgroup(group) => {
                for pid in group.members().into_iter().filter_map(Pid::from_raw) {
                    kill_process(pid, Signal::TERM).ok();
                }
            }
            Self::Namespace | Self::Subreaper => tree.signal(Signal::TERM),
            Self::Group(group) => signal_group(*group, Signal::TERM),
        }
    }

    /// Kills everything inside and waits until it is gone.
    pub(super) fn kill(&self, tree: Tree, deaths: &mut Deaths) {
        // Outside the group tier every process inside is or becomes our child, so when there is none
        // left the tree is gone. One that was born during the kill meets the next.
        while deaths.take_dead() || !self.adopts() {
            match self {
                Self::Cgroup(group) => group.kill(),
                Self::Namespace => sys::kill_namespace(),
                Self::Subreaper => tree.signal(Signal::KILL),
                Self::Group(group) => signal_group(*group, Signal::KILL),
            }
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

    /// Destroys whatever is left; called by the guardian when the supervisor is gone.
    pub(super) fn destroy(&self) {
        match self {
            Self::Cgroup(group) => group.remove(),
            // Its tree has come to us.
            Self::Subreaper => {
                while let (Some(tree), Ok(Wait::NoneDead | Wait::Reaped(_))) =
                    (Tree::probe(), sys::wait(None, false))
                {
                    tree.signal(Signal::KILL);
                    sys::wait(None, true).ok();
                }
            }
            // The kernel has killed everything when the namespace lost its first process.
            Self::Namespace => {}
            // The kernel kills the main process with the supervisor; the rest of the group is out
            // of reach, which is why this tier is the last.
            Self::Group(_) => {}
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
