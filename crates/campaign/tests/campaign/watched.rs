//! Simulated workers that record the requests they receive.

use std::collections::BTreeSet;

use engine::{Cap, Observation, Status, TrialId, TrialRequest};
use execution::executor::{Executor, Happening, Inbox, Pacing, Refused, Simulated};

pub(crate) struct Watched {
    workers: Simulated,
    /// All submitted trials, in order.
    pub(crate) submitted: Vec<TrialId>,
    /// The largest cap ever requested, including lowered caps.
    pub(crate) largest_cap: f64,
    /// The largest number of trials that ran at the same time.
    pub(crate) most_out: usize,
    out: usize,
    /// The latest time at which a submitted trial would end if it ran to its cap.
    pub(crate) latest_end: f64,
    /// Trials that were cancelled.
    pub(crate) cancelled: BTreeSet<TrialId>,
    /// Whether cancelled trials have no result, like trials whose cost does not grow with time.
    pub(crate) loses_cancelled: bool,
    /// Time for which campaign time has stood still.
    pub(crate) stood_still: f64,
}

impl Watched {
    pub(crate) fn new(workers: Simulated) -> Self {
        Self {
            workers,
            submitted: Vec::new(),
            largest_cap: 0.0,
            most_out: 0,
            out: 0,
            latest_end: 0.0,
            cancelled: BTreeSet::new(),
            loses_cancelled: false,
            stood_still: 0.0,
        }
    }

    /// Returns the seconds that the slots have spent on trials, including running trials.
    pub(crate) fn busy(&self) -> f64 {
        let time = self.workers.now() * self.workers.workers() as f64;
        if time > 0.0 { self.workers.busy_share() * time } else { 0.0 }
    }
}

impl Executor for Watched {
    fn workers(&self) -> usize {
        self.workers.workers()
    }

    fn pacing(&self) -> Pacing {
        self.workers.pacing()
    }

    fn now(&self) -> f64 {
        self.workers.now()
    }

    fn job_time(&self) -> f64 {
        self.now() + self.stood_still
    }

    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused> {
        self.submitted.push(request.id);
        self.largest_cap = self.largest_cap.max(request.cap.cost());
        self.latest_end = self.latest_end.max(self.workers.now() + request.cap.cost());
        self.out += 1;
        self.most_out = self.most_out.max(self.out);
        self.workers.submit(request, started)
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        self.largest_cap = self.largest_cap.max(cap.cost());
        self.workers.tighten(id, cap);
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        self.cancelled.insert(id);
        self.workers.cancel(id)
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        let mut happening = self.workers.next(inbox, patience);
        if let Happening::Ended(record) = &mut happening
            && self.loses_cancelled
            && self.cancelled.contains(&record.trial.id)
        {
            record.trial.observation = Observation::failed(Status::Lost, 0.0);
            record.detail.reason = Some("verification was stopped".to_owned());
        }
        self.out -= usize::from(matches!(happening, Happening::Ended(_)));
        happening
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        self.workers.reached()
    }

    /// Returns the cap, because costs are times here.
    fn longest(&self, request: &TrialRequest) -> Option<f64> {
        Some(request.cap.cost())
    }
}
