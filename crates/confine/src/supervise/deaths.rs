//! Who has died so far, and what is known from it.

use rustix::process::Pid;

use super::clock::Moment;
use crate::finished::Exit;
use crate::sys::{self, Reaped, Wait};

/// The deaths in one tree that came to the supervisor.
pub(super) struct Deaths {
    /// The main process, if a job is under way.
    main: Option<Pid>,
    /// Whether orphans come to us; if not, only the main process does.
    adopts: bool,
    /// How and when the main process ended.
    pub(super) of_main: Option<(Exit, Moment)>,
    /// How many others died.
    pub(super) adopted: u32,
    /// Largest resident set in bytes among them all.
    pub(super) largest: u64,
}

impl Deaths {
    pub(super) fn new(main: Option<Pid>, adopts: bool) -> Self {
        Self { main, adopts, of_main: None, adopted: 0, largest: 0 }
    }

    /// Takes everyone who is dead; false if no child is left.
    pub(super) fn take_dead(&mut self) -> bool {
        loop {
            match sys::wait(self.whom(), false) {
                Ok(Wait::Reaped(dead)) => self.note(&dead),
                Ok(Wait::NoneDead | Wait::Stopped(_)) => return true,
                Ok(Wait::NoChildren) | Err(_) => return false,
            }
        }
    }

    /// Waits for a death and takes it; false if no child is left.
    pub(super) fn await_one(&mut self) -> bool {
        match sys::wait(self.whom(), true) {
            Ok(Wait::Reaped(dead)) => {
                self.note(&dead);
                true
            }
            _ => false,
        }
    }

    fn whom(&self) -> Option<Pid> {
        if self.adopts { None } else { self.main }
    }

    fn note(&mut self, dead: &Reaped) {
        self.largest = self.largest.max(dead.peak_memory);
        // Its number may be given to another later.
        if Some(dead.pid) == self.main && self.of_main.is_none() {
            self.of_main = Some((dead.exit, Moment::now()));
        } else {
            self.adopted += 1;
        }
    }
}
