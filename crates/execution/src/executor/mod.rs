//! Running trials: on this machine's cores, or in simulated time.

mod gpus;
mod local;
mod simulated;
mod slots;

pub use gpus::{available_gpus, share_gpus};
pub use local::Local;
pub use simulated::{Answer, Oracle, Simulated};
pub use slots::{SlotError, physical_cores, slots};

use std::sync::mpsc;

use engine::{Cap, Interrupt, TrialId, TrialRequest};

use crate::{Account, TargetError};

/// Something that happened while waiting.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "they pass one by one, and most are trials that have ended")]
pub enum Happening {
    /// A trial was taken up by a slot.
    Started {
        /// Which one.
        id: TrialId,
        /// Where, counted from 0.
        slot: usize,
        /// Campaign time.
        at: f64,
    },
    /// A trial has ended.
    Ended(Box<Ended>),
    /// The store has committed so many more batches, or failed.
    Committed(Result<u64, String>),
    /// Someone wants the campaign to stop.
    Interrupted,
    /// The time to wait is over.
    Nothing,
}

/// A trial that has ended.
#[derive(Debug)]
pub struct Ended {
    /// Which one.
    pub id: TrialId,
    /// What it told; an error if it could not be run at all.
    pub account: Result<Account, TargetError>,
    /// Campaign time at its start, in seconds.
    pub started: f64,
    /// Campaign time at its end.
    pub ended: f64,
    /// Where it ran.
    pub slot: usize,
}

/// Tells a campaign something from another thread.
#[derive(Clone, Debug)]
pub struct Bell {
    sender: mpsc::Sender<Happening>,
    interrupt: Interrupt,
}

impl Bell {
    fn new(sender: mpsc::Sender<Happening>) -> Self {
        Self { sender, interrupt: Interrupt::default() }
    }

    /// Makes the campaign's next wait return this. An interruption also breaks off what it is thinking about.
    pub fn ring(&self, happening: Happening) {
        if matches!(happening, Happening::Interrupted) {
            self.interrupt.raise();
        }
        // A campaign that has ended needs no telling.
        let _ = self.sender.send(happening);
    }

    /// Raised by the first interruption.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}

/// Whoever runs trials. Times are campaign time: seconds since the start, interruptions left out.
pub trait Executor {
    /// How many trials run at once.
    fn workers(&self) -> usize;

    /// Whether time is simulated, so that nothing happens unless asked for.
    fn is_simulated(&self) -> bool;

    /// Campaign time now.
    fn now(&self) -> f64;

    /// Runs a trial as soon as a slot is free. `started`: when it had been started before an
    /// interruption, for simulated time.
    fn submit(&mut self, request: &TrialRequest, started: Option<f64>);

    /// Lowers the cap of a trial.
    fn tighten(&mut self, id: TrialId, cap: Cap);

    /// Stops a trial. True if it had not been taken up: then it will not end.
    fn cancel(&mut self, id: TrialId) -> bool;

    /// The next thing to happen, waiting for so many seconds at most.
    fn next(&mut self, patience: Option<f64>) -> Happening;

    /// The next thing rung from another thread; simulated time stands still.
    fn next_ring(&mut self) -> Happening;

    /// A way to wake the campaign.
    fn bell(&self) -> Bell;

    /// The costs that running trials have surely reached.
    fn reached(&self) -> Vec<(TrialId, f64)>;

    /// Seconds that the command of a trial takes if it runs to its cap; `None` if nobody knows.
    fn longest(&self, _request: &TrialRequest) -> Option<f64> {
        None
    }
}

/// So that whoever lends an executor to a campaign has it back afterwards.
impl<E: Executor + ?Sized> Executor for &mut E {
    fn workers(&self) -> usize {
        (**self).workers()
    }

    fn is_simulated(&self) -> bool {
        (**self).is_simulated()
    }

    fn now(&self) -> f64 {
        (**self).now()
    }

    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) {
        (**self).submit(request, started);
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        (**self).tighten(id, cap);
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        (**self).cancel(id)
    }

    fn next(&mut self, patience: Option<f64>) -> Happening {
        (**self).next(patience)
    }

    fn next_ring(&mut self) -> Happening {
        (**self).next_ring()
    }

    fn bell(&self) -> Bell {
        (**self).bell()
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        (**self).reached()
    }

    fn longest(&self, request: &TrialRequest) -> Option<f64> {
        (**self).longest(request)
    }
}
