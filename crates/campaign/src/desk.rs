//! Passes trials to an executor and returns each trial exactly once, when it ends.
//!
//! Search, validation and measurement all run their trials through a desk. An executor may report a trial
//! twice or too late, or report a trial that it was never given. The desk passes on only trials that are
//! still running, each with its latest cap.

use std::collections::BTreeMap;

use engine::{Cap, Interrupt, Status, TrialId, TrialRequest};
use execution::executor::{Bell, Executor, Happening, Inbox, News, Pacing, Refused};
use execution::{Record, TargetError};

use crate::bookmark::Mark;

/// Number of refusals in a row after which captune gives up on the executor.
const MOST_REFUSALS: u32 = 100;

/// A trial that was submitted and has not ended yet.
#[derive(Debug)]
pub(crate) struct Out {
    pub(crate) request: TrialRequest,
    pub(crate) mark: Mark,
    /// Whether the trial was told to stop before its end.
    is_cancelled: bool,
}

/// A report from the desk.
pub(crate) enum Came {
    /// A submitted trial has ended.
    Ended(Box<Record>),
    /// A trial could not be started, for a reason that applies to all trials.
    Failed(TargetError),
    /// Number of batches that the store has committed, or the store's failure.
    Committed(Result<u64, String>),
    /// Workers on other machines have joined or left, or have taken trials.
    News(News),
    /// Someone asked the campaign to stop.
    Interrupted,
    /// Nothing to act on, such as a duplicate report.
    Ignored,
    /// Nothing has happened within the waiting time.
    Nothing,
}

/// An executor and the trials it was given.
pub struct Desk<'a> {
    executor: Box<dyn Executor + 'a>,
    inbox: Inbox,
    out: BTreeMap<TrialId, Out>,
    /// Number of trials refused in a row.
    refusals: u32,
    /// Whether the executor refused the last trial and nothing has happened since.
    is_refusing: bool,
}

impl<'a> Desk<'a> {
    /// Creates a desk without trials. The inbox must be the one whose bell the executor rings.
    pub fn new(executor: impl Executor + 'a, inbox: Inbox) -> Self {
        Self { executor: Box::new(executor), inbox, out: BTreeMap::new(), refusals: 0, is_refusing: false }
    }

    /// Returns the current campaign time.
    pub(crate) fn now(&self) -> f64 {
        self.executor.now()
    }

    /// Returns the time by which deadlines are measured.
    pub(crate) fn job_time(&self) -> f64 {
        self.executor.job_time()
    }

    /// Returns the number of trials that can currently run at the same time.
    pub(crate) fn workers(&self) -> usize {
        self.executor.workers()
    }

    /// Returns whether campaign time passes only while the campaign waits.
    pub(crate) fn is_stepwise(&self) -> bool {
        self.executor.pacing() == Pacing::Stepwise
    }

    /// Returns the bell with which other threads send messages to the desk.
    pub(crate) fn bell(&self) -> Bell {
        self.inbox.bell()
    }

    /// Returns the flag that is raised when someone asks the campaign to stop.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.inbox.bell().interrupt().clone()
    }

    /// Returns the trials that have not ended, by number.
    pub(crate) fn out(&self) -> &BTreeMap<TrialId, Out> {
        &self.out
    }

    /// Returns lower bounds on the costs of the running trials.
    pub(crate) fn reached(&self) -> Vec<(TrialId, f64)> {
        let mut reached = self.executor.reached();
        reached.retain(|(id, _)| self.out.contains_key(id));
        reached
    }

    /// Returns the seconds that a trial's command takes if the trial runs to its cap.
    pub(crate) fn longest(&self, request: &TrialRequest) -> Option<f64> {
        self.executor.longest(request)
    }

    /// Returns whether a trial of an earlier session is still running.
    pub(crate) fn still_runs(&self, id: TrialId) -> bool {
        self.executor.still_runs(id)
    }

    /// Notes that these trials are on disk or of no use, so that the executor can forget them.
    pub(crate) fn settled(&mut self, ids: &[TrialId]) {
        if !ids.is_empty() {
            self.executor.settled(ids);
        }
    }

    /// Returns whether the executor refused the last trial. If so, wait for something to happen before you
    /// submit another trial.
    pub(crate) fn is_refusing(&self) -> bool {
        self.is_refusing
    }

    /// Returns whether the executor has refused so many trials in a row that captune gives up on it.
    pub(crate) fn is_closed(&self) -> bool {
        self.refusals >= MOST_REFUSALS
    }

    /// Submits a trial. `mark` contains its start time if it was already running before an interruption.
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

    /// Stops a trial. Returns true if the trial had not started: it is then removed, and no end will be
    /// reported.
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

    /// Waits at most `patience` seconds for the next event, and returns it.
    pub(crate) fn next(&mut self, patience: Option<f64>) -> Came {
        let happening = self.executor.next(&self.inbox, patience);
        self.is_refusing = false;
        self.take_back(happening)
    }

    /// Returns the next message from another thread, without advancing simulated time.
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
                    // The trial was cancelled, so it does not count as lost.
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
            Happening::News(news) => Came::News(news),
            Happening::Interrupted => Came::Interrupted,
            Happening::Started { .. } => Came::Ignored,
            Happening::Nothing => Came::Nothing,
        }
    }
}
