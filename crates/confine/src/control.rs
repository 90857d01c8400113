//! The caller's hand on a running command: lower its cap, cancel it, from any thread.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::wire::{self, Order, Request};

/// Steers one run. Orders given before the run starts hold from its start; orders given after its
/// end do nothing.
#[derive(Debug, Default)]
pub struct Control {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cpu: Option<Duration>,
    wall: Option<Duration>,
    /// How often it was ordered; the second time ends grace.
    cancels: u32,
    used: Option<Duration>,
    /// Whether the supervisor owes an answer: with several, both ends could wait for room in the
    /// socket.
    asked: bool,
    supervisor: Option<OwnedFd>,
}

impl Control {
    /// A control that has given no order.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lowers the CPU limit; the tree is killed at once if it is past it. Never raises one.
    pub fn lower_cpu(&self, cap: Duration) {
        let mut state = self.lock();
        state.cpu = Some(state.cpu.map_or(cap, |old| old.min(cap)));
        state.send(Order::LowerCpu(cap));
    }

    /// Lowers the wall limit; the tree is killed at once if it is past it. Never raises one.
    pub fn lower_wall(&self, cap: Duration) {
        let mut state = self.lock();
        state.wall = Some(state.wall.map_or(cap, |old| old.min(cap)));
        state.send(Order::LowerWall(cap));
    }

    /// The lowest CPU limit ordered so far.
    pub fn lowered_cpu(&self) -> Option<Duration> {
        self.lock().cpu
    }

    /// The lowest wall limit ordered so far.
    pub fn lowered_wall(&self) -> Option<Duration> {
        self.lock().wall
    }

    /// The CPU time that the run had used when this was last asked, and asks anew: the answer comes
    /// in a moment. `None` before the first one.
    pub fn used_cpu(&self) -> Option<Duration> {
        let mut state = self.lock();
        if !std::mem::replace(&mut state.asked, true) {
            state.send(Order::TellCpu);
        }
        state.used
    }

    /// Takes in the supervisor's answer.
    pub(crate) fn note_used(&self, cpu: Duration) {
        let mut state = self.lock();
        (state.used, state.asked) = (Some(cpu), false);
    }

    /// Ends the run. Its record will say so, with what it had used.
    pub fn cancel(&self) {
        let mut state = self.lock();
        state.cancels = state.cancels.saturating_add(1);
        state.send(Order::Cancel);
    }

    /// Connects to a supervisor that has been given its job, and sends what was ordered before.
    pub(crate) fn attach(&self, supervisor: OwnedFd) {
        let mut state = self.lock();
        state.supervisor = Some(supervisor);
        let orders = [
            state.cpu.map(Order::LowerCpu),
            state.wall.map(Order::LowerWall),
            (state.cancels > 0).then_some(Order::Cancel),
            (state.cancels > 1).then_some(Order::Cancel),
            state.asked.then_some(Order::TellCpu),
        ];
        orders.into_iter().flatten().for_each(|order| state.send(order));
    }

    /// Lets go of the supervisor. What the run has used is no answer for the next.
    pub(crate) fn detach(&self) {
        let mut state = self.lock();
        (state.supervisor, state.used, state.asked) = (None, None, false);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn send(&mut self, order: Order) {
        let Some(supervisor) = &self.supervisor else { return };
        // The supervisor may have ended a moment ago: then there is nothing left to steer.
        if wire::send(supervisor, &Request::Order(order), &[]).is_err() {
            self.supervisor = None;
        }
    }
}
