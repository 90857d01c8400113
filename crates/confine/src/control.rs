//! The caller's control over a running command: any thread can lower its cap or cancel it.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::wire::{self, Order, Request};

/// A handle for controlling one run. Orders given before the run starts take effect when it starts; orders
/// given after the run has ended have no effect.
#[derive(Debug, Default)]
pub struct Control {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cpu: Option<Duration>,
    wall: Option<Duration>,
    /// Number of cancel orders; the second one ends the grace period.
    cancels: u32,
    used: Option<Duration>,
    /// Whether the supervisor has yet to answer a question. Only one question is open at a time, because with
    /// several, both ends could block on a full socket.
    asked: bool,
    supervisor: Option<OwnedFd>,
}

impl Control {
    /// Creates a control with no orders.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lowers the CPU limit; a value above the current limit has no effect. A tree that is already past the
    /// new limit is stopped at once.
    pub fn lower_cpu(&self, cap: Duration) {
        let mut state = self.lock();
        state.cpu = Some(state.cpu.map_or(cap, |old| old.min(cap)));
        state.send(Order::LowerCpu(cap));
    }

    /// Lowers the wall limit; a value above the current limit has no effect. A tree that is already past the
    /// new limit is stopped at once.
    pub fn lower_wall(&self, cap: Duration) {
        let mut state = self.lock();
        state.wall = Some(state.wall.map_or(cap, |old| old.min(cap)));
        state.send(Order::LowerWall(cap));
    }

    /// Returns the lowest CPU limit ordered so far.
    pub fn lowered_cpu(&self) -> Option<Duration> {
        self.lock().cpu
    }

    /// Returns the lowest wall limit ordered so far.
    pub fn lowered_wall(&self) -> Option<Duration> {
        self.lock().wall
    }

    /// Returns the CPU time of the run according to the supervisor's latest answer, and asks for a new
    /// answer. `None` before the first answer.
    pub fn used_cpu(&self) -> Option<Duration> {
        let mut state = self.lock();
        if !std::mem::replace(&mut state.asked, true) {
            state.send(Order::ReportCpu);
        }
        state.used
    }

    /// Stores the supervisor's answer.
    pub(crate) fn note_used(&self, cpu: Duration) {
        let mut state = self.lock();
        (state.used, state.asked) = (Some(cpu), false);
    }

    /// Cancels the run. The record shows that the run was cancelled and what it used.
    pub fn cancel(&self) {
        let mut state = self.lock();
        state.cancels = state.cancels.saturating_add(1);
        state.send(Order::Cancel);
    }

    /// Connects to a supervisor that has received its job, and sends all orders given so far.
    pub(crate) fn attach(&self, supervisor: OwnedFd) {
        let mut state = self.lock();
        state.supervisor = Some(supervisor);
        let orders = [
            state.cpu.map(Order::LowerCpu),
            state.wall.map(Order::LowerWall),
            (state.cancels > 0).then_some(Order::Cancel),
            (state.cancels > 1).then_some(Order::Cancel),
            state.asked.then_some(Order::ReportCpu),
        ];
        orders.into_iter().flatten().for_each(|order| state.send(order));
    }

    /// Disconnects from the supervisor and discards its latest answer, which would be wrong for the next
    /// run.
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
        // An error means that the supervisor has just ended, so there is nothing left to control.
        if wire::send(supervisor, &Request::Order(order), &[]).is_err() {
            self.supervisor = None;
        }
    }
}
