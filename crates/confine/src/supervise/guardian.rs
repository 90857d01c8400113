//! The guardian: forks a supervisor for each run, and cleans up after supervisors that were killed.
//!
//! The children of the guardian are supervisors and, because it is a subreaper, the orphans of
//! supervisors that were killed. So it kills every child that is not a supervisor.

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, set_child_subreaper};

use super::sequence::supervise;
use super::tree::Tree;
use crate::error::{DuringStep, Failure, Step};
use crate::finished::Exit;
use crate::folder;
use crate::sys::{self, Forked, Wait};
use crate::tier::{Tier, cgroup, namespace};
use crate::wire::{self, Reply, Report, RunSpec};

/// Forks supervisors until the caller and all of its runs are gone.
pub(super) fn guard(requests: OwnedFd) -> Option<()> {
    // Without this, another process would adopt the orphans of a killed supervisor. An error is ignored here,
    // because the tiers that depend on this setting check it themselves.
    set_child_subreaper(Some(Pid::INIT)).ok();
    let ourselves = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    let deaths = sys::signal_descriptor(Signal::CHILD).ok()?;
    let mut guardian =
        Guardian { requests: Some(requests), ourselves, runs: HashMap::new(), lost: Vec::new() };
    while guardian.is_needed() {
        let mut waits = vec![PollFd::new(&deaths, PollFlags::IN)];
        waits.extend(guardian.requests.as_ref().map(|requests| PollFd::new(requests, PollFlags::IN)));
        poll(&mut waits, None).ok();
        let happened = |at: usize| waits.get(at).is_some_and(|wait| !wait.revents().is_empty());
        let (died, asked) = (happened(0), happened(1));
        if died {
            sys::take_signal(&deaths);
            guardian.take_deaths();
        }
        if asked {
            guardian.take_request();
        }
    }
    Some(())
}

/// A run in progress, and what to clean up if its supervisor is killed.
struct Run {
    spec: RunSpec,
    /// Copy of the run's control socket. If the supervisor is killed, the caller gets no report and waits
    /// for this socket to close, which happens when the whole tree is gone.
    _socket: OwnedFd,
}

struct Guardian {
    /// Socket on which the caller requests supervisors; `None` once the caller is gone.
    requests: Option<OwnedFd>,
    ourselves: OwnedFd,
    runs: HashMap<Pid, Run>,
    /// Runs whose supervisor was killed and whose tree may still be alive.
    lost: Vec<Run>,
}

impl Guardian {
    fn is_needed(&self) -> bool {
        self.requests.is_some() || !self.runs.is_empty() || !self.lost.is_empty()
    }

    fn take_request(&mut self) {
        let Some(requests) = &self.requests else { return };
        let Ok(Some((spec, sockets))) = wire::receive::<RunSpec>(requests) else {
            self.requests = None;
            return;
        };
        for socket in sockets {
            match fork_for(spec.tier) {
                Ok(Forked::Child) => {
                    // The sockets of other runs must close when those runs end, even if this supervisor is
                    // still running. So the supervisor drops its copies of them now.
                    self.requests = None;
                    self.runs.clear();
                    self.lost.clear();
                    supervise(socket.as_fd(), self.ourselves.as_fd(), &spec);
                }
                Ok(Forked::Parent(supervisor)) => {
                    self.runs.insert(supervisor, Run { spec: spec.clone(), _socket: socket });
                }
                // An error is ignored: it means that the caller is gone and needs no answer.
                Err(failure) => drop(wire::send(&socket, &Reply::Report(Report::NotStarted(failure)), &[])),
            }
        }
    }

    fn take_deaths(&mut self) {
        loop {
            match sys::wait_or_stop() {
                Ok(Wait::Reaped(dead)) => {
                    let run = self.runs.remove(&dead.pid);
                    self.lost.extend(run.filter(|_| dead.exit != Exit::Code(0)));
                }
                // A stopped supervisor would enforce no limits.
                Ok(Wait::Stopped(pid)) => drop(kill_process(pid, Signal::CONT)),
                Ok(Wait::NoneDead | Wait::NoChildren) | Err(_) => break,
            }
        }
        if self.lost.is_empty() {
            return;
        }
        for run in &self.lost {
            run.spec.cgroup.iter().for_each(cgroup::Plan::clear);
        }
        // When a stray process dies, the guardian adopts its children, and this function runs again.
        if self.kill_strays() == 0 {
            for run in self.lost.drain(..) {
                // The next sweep removes what cannot be removed now.
                run.spec.private_folder().map(|path| folder::remove(&path).ok());
            }
        }
    }

    /// Kills every descendant that does not belong to a living supervisor. Returns the number of processes
    /// that it tried to kill.
    fn kill_strays(&self) -> usize {
        let strays = Tree::probe().map(|tree| tree.descendants_outside(&|pid| self.runs.contains_key(&pid)));
        let strays = strays.unwrap_or_default();
        for process in &strays {
            kill_process(process.pid, Signal::KILL).ok();
        }
        strays.len()
    }
}

fn fork_for(tier: Tier) -> Result<Forked, Failure> {
    match tier {
        Tier::Namespace => namespace::fork(),
        _ => sys::fork().during(Step::Fork),
    }
}
