//! The processes of a tree that have died so far.

use rustix::process::Pid;

use super::clock::Moment;
use crate::finished::Exit;
use crate::sys::{self, Reaped, Wait};

/// The dead processes of one tree that the supervisor has reaped.
pub(super) struct Deaths {
    /// The main process, if a job is running.
    main: Option<Pid>,
    /// Whether this process adopts orphans; if not, it reaps only the main process.
    adopts: bool,
    /// Exit of the main process, and the moment at which it ended.
    pub(super) of_main: Option<(Exit, Moment)>,
    /// Number of other processes reaped.
    pub(super) adopted: u32,
    /// Largest resident set of any reaped process, in bytes.
    pub(super) largest: u64,
}

impl Deaths {
    pub(super) fn new(main: Option<Pid>, adopts: bool) -> Self {
        Self { main, adopts, of_main: None, adopted: 0, largest: 0 }
    }

    /// Reaps all dead children; returns false if no child is left.
    pub(super) fn take_dead(&mut self) -> bool {
        loop {
            match sys::wait(self.waited_for(), false) {
                Ok(Wait::Reaped(dead)) => self.note(&dead),
                Ok(Wait::NoneDead | Wait::Stopped(_)) => return true,
                Ok(Wait::NoChildren) | Err(_) => return false,
            }
        }
    }

    /// Waits for a child to die and reaps it; returns false if no child is left.
    pub(super) fn await_one(&mut self) -> bool {
        match sys::wait(self.waited_for(), true) {
            Ok(Wait::Reaped(dead)) => {
                self.note(&dead);
                true
            }
            _ => false,
        }
    }

    fn waited_for(&self) -> Option<Pid> {
        if self.adopts { None } else { self.main }
    }

    fn note(&mut self, dead: &Reaped) {
        self.largest = self.largest.max(dead.peak_memory);
        // Only the first death counts, because a later process may reuse the PID.
        if Some(dead.pid) == self.main && self.of_main.is_none() {
            self.of_main = Some((dead.exit, Moment::now()));
        } else {
            self.adopted += 1;
        }
    }
}
