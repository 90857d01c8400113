//! The guardian: forks a supervisor for each run, and destroys what a killed one has left.
//!
//! Everything that ever comes to it is ours: its children are supervisors and, as it is a subreaper,
//! the orphans of supervisors that were killed. So every child that is no supervisor is to die.

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
use crate::wire::{self, Birth, Report, Word};

/// Forks supervisors until the caller is gone and nothing of its runs is left.
pub(super) fn guard(births: OwnedFd) -> Option<()> {
    // Without it the orphans of a killed supervisor would go to whoever is above us; the tiers that
    // rest on it check for themselves.
    set_child_subreaper(Some(Pid::INIT)).ok();
    let ourselves = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    let deaths = sys::signal_descriptor(Signal::CHILD).ok()?;
    let mut guardian = Guardian { births: Some(births), ourselves, runs: HashMap::new(), lost: Vec::new() };
    while guardian.is_needed() {
        let mut waits = vec![PollFd::new(&deaths, PollFlags::IN)];
        waits.extend(guardian.births.as_ref().map(|births| PollFd::new(births, PollFlags::IN)));
        poll(&mut waits, None).ok();
        let happened = |at: usize| waits.get(at).is_some_and(|wait| !wait.revents().is_empty());
        let (died, asked) = (happened(0), happened(1));
        if died {
            sys::take_signal(&deaths);
            guardian.take_deaths();
        }
        if asked {
            guardian.take_birth();
        }
    }
    Some(())
}

/// A run under way: what it would leave if its supervisor were killed.
struct Run {
    birth: Birth,
    /// Our copy of its control socket: a caller who gets no report is held by it until all is gone.
    _socket: OwnedFd,
}

struct Guardian {
    /// Where the caller asks for supervisors, as long as it lives.
    births: Option<OwnedFd>,
    ourselves: OwnedFd,
    runs: HashMap<Pid, Run>,
    /// Runs whose supervisor was killed and whose tree may still live.
    lost: Vec<Run>,
}

impl Guardian {
    fn is_needed(&self) -> bool {
        self.births.is_some() || !self.runs.is_empty() || !self.lost.is_empty()
    }

    fn take_birth(&mut self) {
        let Some(births) = &self.births else { return };
        let Ok(Some((birth, sockets))) = wire::receive::<Birth>(births) else {
            self.births = None;
            return;
        };
        for socket in sockets {
            match fork_for(birth.tier) {
                Ok(Forked::Child) => {
                    // The sockets of others must close when those end, not when we do.
                    self.births = None;
                    self.runs.clear();
                    self.lost.clear();
                    supervise(socket.as_fd(), self.ourselves.as_fd(), &birth);
                }
                Ok(Forked::Parent(supervisor)) => {
                    self.runs.insert(supervisor, Run { birth: birth.clone(), _socket: socket });
                }
                // A caller that is gone by now needs no answer.
                Err(failure) => drop(wire::send(&socket, &Word::Report(Report::NotStarted(failure)), &[])),
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
                // A supervisor that stands still keeps no limit.
                Ok(Wait::Stopped(pid)) => drop(kill_process(pid, Signal::CONT)),
                Ok(Wait::NoneDead | Wait::NoChildren) | Err(_) => break,
            }
        }
        if self.lost.is_empty() {
            return;
        }
        for run in &self.lost {
            run.birth.cgroup.iter().for_each(cgroup::Plan::clear);
        }
        // Each death of a stray brings us its children, and us here again.
        if self.kill_strays() == 0 {
            for run in self.lost.drain(..) {
                // What cannot be removed is for the next sweep.
                run.birth.private_folder().map(|path| folder::remove(&path).ok());
            }
        }
    }

    /// Kills every process below us that is below no supervisor; returns how many there were.
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
