//! Running trials: on this machine's cores, in simulated time, or wherever an [`Executor`] of your own runs them.
//!
//! An executor gets a [`Bell`] when it is created, and rings it when a trial starts or ends. Every submitted trial must
//! end once, with a record or with an error, unless it was [cancelled](Executor::cancel) before it started. The campaign
//! ignores duplicates and trials that it does not wait for. `testkit` has the suite that every executor must pass;
//! `examples/own_executor.rs` is a complete executor.

mod gpus;
mod inbox;
mod local;
mod simulated;
mod slots;

pub use gpus::{available_gpus, share_gpus};
pub use inbox::{Bell, Inbox};
pub use local::Local;
pub use simulated::{Answer, Oracle, Simulated};
pub use slots::{SlotError, physical_cores, slots};

use engine::{Cap, TrialId, TrialRequest};

use crate::{Record, TargetError};

/// Something that happened.
#[derive(Debug)]
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
    Ended(Box<Record>),
    /// A trial could not be run at all, as no other could.
    Failed(TrialId, TargetError),
    /// The store has committed so many more batches, or failed.
    Committed(Result<u64, String>),
    /// Someone wants the campaign to stop.
    Interrupted,
    /// The time to wait is over.
    Nothing,
}

/// How time goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pacing {
    /// By itself: trials go on while others are dealt with.
    Clock,
    /// Only while the campaign waits, one event at a time, so that a campaign is reproducible.
    Stepwise,
}

/// Why a trial was refused; submitting it later may work.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no trial can be run now: {0}")]
pub struct Refused(pub String);

/// Runs trials. Times are campaign time: seconds since the start, interruptions left out.
pub trait Executor {
    /// How many trials run at once; it may change while a campaign runs.
    fn workers(&self) -> usize;

    /// How time goes by.
    fn pacing(&self) -> Pacing {
        Pacing::Clock
    }

    /// Campaign time now.
    fn now(&self) -> f64;

    /// Runs a trial as soon as a slot is free. `started`: when it had been started before an
    /// interruption, for time that goes by stepwise.
    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused>;

    /// Lowers the cap of a trial.
    fn tighten(&mut self, id: TrialId, cap: Cap);

    /// Stops a trial. True if it had not been taken up: then it will not end.
    fn cancel(&mut self, id: TrialId) -> bool;

    /// The next thing to happen, waiting for so many seconds at most.
    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        inbox.next(patience)
    }

    /// The costs that running trials have surely reached.
    fn reached(&self) -> Vec<(TrialId, f64)> {
        Vec::new()
    }

    /// Seconds that the command of a trial takes if it runs to its cap; `None` if nobody knows.
    fn longest(&self, _request: &TrialRequest) -> Option<f64> {
        None
    }
}

/// Implements `Executor` for a reference or a box.
macro_rules! held {
    ($holder:ty) => {
        impl<E: Executor + ?Sized> Executor for $holder {
            fn workers(&self) -> usize {
                (**self).workers()
            }

            fn pacing(&self) -> Pacing {
                (**self).pacing()
            }

            fn now(&self) -> f64 {
                (**self).now()
            }

            fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused> {
                (**self).submit(request, started)
            }

            fn tighten(&mut self, id: TrialId, cap: Cap) {
                (**self).tighten(id, cap);
            }

            fn cancel(&mut self, id: TrialId) -> bool {
                (**self).cancel(id)
            }

            fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
                (**self).next(inbox, patience)
            }

            fn reached(&self) -> Vec<(TrialId, f64)> {
                (**self).reached()
            }

            fn longest(&self, request: &TrialRequest) -> Option<f64> {
                (**self).longest(request)
            }
        }
    };
}

// A borrowed executor can be used again after the campaign.
held!(&mut E);
held!(Box<E>);
