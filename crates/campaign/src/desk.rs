//! Submitted trials: handed to an executor, and taken back once each.
//!
//! Search, validation and measurement all run their trials through a desk. An executor may report a trial twice, too
//! late, or without having been given it: the desk passes on only trials that are still out, each with its latest cap.

use std::collections::BTreeMap;

use engine::{Cap, Interrupt, Status, TrialId, TrialRequest};
use execution::executor::{Bell, Executor, Happening, Inbox, Pacing, Refused};
use execution::{Record, TargetError};

use crate::bookmark::Mark;

/// Trials refused in a row after which the executor is given up on.
const MOST_REFUSALS: u32 = 100;

/// A trial that was submitted and has not ended.
#[derive(Debug)]
pub(crate) struct Out {
    pub(crate) request: TrialRequest,
    pub(crate) mark: Mark,
    /// Whether it was told to stop before its end.
    is_cancelled: bool,
}

/// What the desk reports.
pub(crate) enum Came {
    /// A trial that was out has ended.
    Ended(Box<Record>),
    /// A trial could not be started, and no other could be either.
    Failed(TargetError),
    /// The store has committed so many batches, or failed.
    Committed(Result<u64, String>),
    /// Someone asked for a stop.
    Interrupted,
    /// Nothing to act on, such as a duplicate report.
    Ignored,
    /// The time to wait is over.
    Nothing,
}

/// An executor and the trials it was given.
pub struct Desk<'a> {
    executor: Box<dyn Executor + 'a>,
    inbox: Inbox,
    out: BTreeMap<TrialId, Out>,
    /// Trials refused in a row.
    refusals: u32,
    /// Whether the last one was refused and nothing has happened since.
    is_refusing: bool,
}

impl<'a> Desk<'a> {
    /// Nothing is out. The inbox must be the one whose bell the executor rings.
    pub fn new(executor: impl Executor + 'a, inbox: Inbox) -> Self {
        Self { executor: Box::new(executor), inbox, out: BTreeMap::new(), refusals: 0, is_refusing: false }
    }

    /// Campaign time now.
    pub(crate) fn now(&self) -> f64 {
        self.executor.now()
    }

    /// How many trials can run at once now.
    pub(crate) fn workers(&self) -> usize {
        self.executor.workers()
    }

    /// Whether time stands still unless somebody waits.
    pub(crate) fn is_stepwise(&self) -> bool {
        self.executor.pacing() == Pacing::Stepwise
    }

    /// A way to tell it something from another thread.
    pub(crate) fn bell(&self) -> Bell {
        self.inbox.bell()
    }

    /// Raised when someone asks for a stop.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.inbox.bell().interrupt().clone()
    }

    /// Trials that have not ended, by number.
    pub(crate) fn out(&self) -> &BTreeMap<TrialId, Out> {
        &self.out
    }

    /// Lower bounds on the costs of running trials.
    pub(crate) fn reached(&self) -> Vec<(TrialId, f64)> {
        let mut reached = self.executor.reached();
        reached.retain(|(id, _)| self.out.contains_key(id));
        reached
    }

    /// Seconds that the command of a trial takes if it runs to its cap.
    pub(crate) fn longest(&self, request: &TrialRequest) -> Option<f64> {
        self.executor.longest(request)
    }

    /// Whether the executor refused the last trial. Wait for something to happen before submitting another.
    pub(crate) fn is_refusing(&self) -> bool {
        self.is_refusing
    }

    /// Whether the executor has refused so many trials in a row that it is given up on.
    pub(crate) fn is_closed(&self) -> bool {
        self.refusals >= MOST_REFUSALS
    }

    /// Submits a trial; `mark` says when it started if it was running before an interruption.
    pub(crate) fn submit(&mut self, request: TrialRequest, mark: Option<Mark>) -> Result<(), Refused> {
        if let Err(refused) = self.executor.submit(&request, mark.map(|mark| mark.since)) {
            self.is_refusing = true;
            self.refusals += 1;
            return Err(refused);
        }
        self.refusals = 0;
        if let Some(at) = mark.and_then(|mark| mark.cancelled) {
            self.executor.tighten(request.id, at);
        }
        let mark = mark.unwrap_or_else(|| Mark { since: self.executor.now(), cancelled: None });
        let is_cancelled = mark.cancelled.is_some();
        self.out.insert(request.id, Out { request, mark, is_cancelled });
        Ok(())
    }

    /// Lowers the cap of a trial.
    pub(crate) fn tighten(&mut self, id: TrialId, cap: Cap) {
        if let Some(out) = self.out.get_mut(&id) {
            self.executor.tighten(id, cap);
            out.request.cap = cap;
        }
    }

    /// Stops a trial. Returns true if it had not started; it is then removed and will not end.
    pub(crate) fn cancel(&mut self, id: TrialId) -> bool {
        let reached = self.executor.reached().into_iter().find(|&(other, _)| other == id);
        let Some(out) = self.out.get_mut(&id) else { return false };
        out.is_cancelled = true;
        out.mark.cancelled = reached.map(|(_, cost)| Cap::at(cost.max(f64::MIN_POSITIVE)));
        let unheard = self.executor.cancel(id);
        if unheard {
            self.out.remove(&id);
        }
        unheard
    }

    /// Stops all trials.
    pub(crate) fn cancel_all(&mut self) {
        self.out.retain(|&id, _| !self.executor.cancel(id));
        self.out.values_mut().for_each(|out| out.is_cancelled = true);
    }

    /// The next thing to happen, waiting for so many seconds at most.
    pub(crate) fn next(&mut self, patience: Option<f64>) -> Came {
        let happening = self.executor.next(&self.inbox, patience);
        self.is_refusing = false;
        self.take_back(happening)
    }

    /// The next message from another thread, without advancing simulated time.
    pub(crate) fn next_rung(&mut self) -> Came {
        let happening = self.inbox.next(None);
        self.take_back(happening)
    }

    fn take_back(&mut self, happening: Happening) -> Came {
        match happening {
            Happening::Ended(mut record) => {
                let Some(Out { request, is_cancelled, .. }) = self.out.remove(&record.trial.id) else {
                    return Came::Ignored;
                };
                record.trial.cap = request.cap;
                if is_cancelled && record.status() == Status::Lost {
                    // It was cancelled, not lost.
                    record.detail.reason = None;
                }
                Came::Ended(record)
            }
            Happening::Failed(id, error) => {
                if self.out.remove(&id).is_some() {
                    Came::Failed(error)
                } else {
                    Came::Ignored
                }
            }
            Happening::Committed(outcome) => Came::Committed(outcome),
            Happening::Interrupted => Came::Interrupted,
            Happening::Started { .. } => Came::Ignored,
            Happening::Nothing => Came::Nothing,
        }
    }
}
