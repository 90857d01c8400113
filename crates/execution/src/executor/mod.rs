//! Runs trials: on this machine's cores, in simulated time, or with your own [`Executor`].
//!
//! An executor gets a [`Bell`] when it is created, and rings it when a trial starts or ends. Every submitted
//! trial must end once, with a record or with an error, unless it was [cancelled](Executor::cancel) before it
//! started. The campaign ignores duplicate reports and reports on trials that it is not waiting for.
//! `testkit` contains the test suite that every executor must pass; `examples/own_executor.rs` is a complete
//! executor.

mod gpus;
mod inbox;
mod local;
mod news;
mod simulated;
mod slots;

pub use gpus::{available_gpus, share_gpus};
pub use inbox::{Bell, Inbox};
pub use local::Local;
pub use news::{Lease, News, RemoteWorker};
pub use simulated::{Answer, Oracle, Simulated};
pub use slots::{SlotError, physical_cores, slots};

use engine::{Cap, TrialId, TrialRequest};

use crate::{Record, TargetError};

/// A message to a campaign.
#[derive(Debug)]
pub enum Happening {
    /// A trial has started.
    Started {
        /// Number of the trial.
        id: TrialId,
        /// Number of its slot, from 0.
        slot: usize,
        /// Campaign time.
        at: f64,
    },
    /// A trial has ended.
    Ended(Box<Record>),
    /// A trial could not be run, for a reason that applies to all trials.
    Failed(TrialId, TargetError),
    /// Workers on other machines have joined or left, or have taken trials.
    News(News),
    /// The store has committed this many batches so far, or has failed.
    Committed(Result<u64, String>),
    /// The user or the system wants the campaign to stop.
    Interrupted,
    /// Nothing happened before the wait was over.
    Nothing,
}

/// The way in which campaign time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pacing {
    /// In real time: trials continue while the campaign computes.
    Clock,
    /// Only while the campaign waits, one event at a time. This makes campaigns reproducible.
    Stepwise,
}

/// The reason why an executor refused a trial. Submitting the trial again later may work.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no trial can be run now: {0}")]
pub struct Refused(pub String);

/// An executor, which runs trials. All times are campaign time: seconds since the start, not counting
/// interruptions.
pub trait Executor {
    /// Returns the number of trials that run at once. This number may change while a campaign runs.
    fn workers(&self) -> usize;

    /// Returns how campaign time passes.
    fn pacing(&self) -> Pacing {
        Pacing::Clock
    }

    /// Returns the current campaign time.
    fn now(&self) -> f64;

    /// Returns the seconds on a clock that never stands still. Deadlines are measured with it, because the end
    /// of a job does not wait while no trial can run.
    fn job_time(&self) -> f64 {
        self.now()
    }

    /// Returns whether all trials run on this machine.
    fn is_local(&self) -> bool {
        true
    }

    /// Runs a trial as soon as a slot is free. If the trial was already running before an interruption,
    /// `started` is the time at which it started; only executors with [`Pacing::Stepwise`] use it.
    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused>;

    /// Lowers the cap of a trial.
    fn tighten(&mut self, id: TrialId, cap: Cap);

    /// Cancels a trial. Returns true if the trial had not started, in which case its end is never reported.
    fn cancel(&mut self, id: TrialId) -> bool;

    /// Returns the next message, waiting at most `patience` seconds.
    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        inbox.next(patience)
    }

    /// Returns lower bounds on the costs that running trials have reached.
    fn reached(&self) -> Vec<(TrialId, f64)> {
        Vec::new()
    }

    /// Returns the time in seconds that a trial's command would take if it ran to its cap; `None` if unknown.
    fn longest(&self, _request: &TrialRequest) -> Option<f64> {
        None
    }

    /// Returns whether a trial of an earlier session is still running. If so, the campaign submits it again
    /// under the same number, and the executor waits for its end instead of running it again.
    fn still_runs(&self, _id: TrialId) -> bool {
        false
    }

    /// Notes that these trials need not be reported again, because their results are on disk or of no use.
    fn settled(&mut self, _ids: &[TrialId]) {}
}

/// Implements `Executor` for a reference or a box.
macro_rules! delegate {
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

            fn job_time(&self) -> f64 {
                (**self).job_time()
            }

            fn is_local(&self) -> bool {
                (**self).is_local()
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

            fn still_runs(&self, id: TrialId) -> bool {
                (**self).still_runs(id)
            }

            fn settled(&mut self, ids: &[TrialId]) {
                (**self).settled(ids);
            }
        }
    };
}

// A borrowed executor can be used again after the campaign.
delegate!(&mut E);
delegate!(Box<E>);
