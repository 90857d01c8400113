//! Connects the main loop with the store. The ledger tracks which trials are on disk, because only these may
//! be reported to the optimizer.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use engine::{ConfigId, Optimizer, TrialId};
use execution::Record;
use execution::executor::{Bell, Happening, News};

use crate::Sink;
use crate::bookmark::{Bookmark, BookmarkError};
use crate::budget::Spent;
use crate::desk::Out;
use crate::event::{Event, Warning, What};
use store::{
    Acknowledgement, Batch, Store, StoreError, StoredConfiguration, StoredEvent, StoredIncumbent,
    WorkerChange, Writer,
};

/// Reason why trials can no longer be stored.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The store returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The thread that writes to the store reported a failure.
    #[error("the store failed: {0}")]
    Failed(String),
    /// The state of the search could not be serialised.
    #[error(transparent)]
    State(#[from] BookmarkError),
}

/// A batch that is not committed yet.
struct Waiting {
    /// Time of submission.
    since: Instant,
    /// Trials of the search.
    rows: Vec<Record>,
    /// Trials that were measured after the search.
    measured: Vec<TrialId>,
}

impl Waiting {
    fn of(rows: Vec<Record>) -> Self {
        Self { since: Instant::now(), rows, measured: Vec::new() }
    }
}

/// A ledger that writes trials to a store. Without a store, it keeps them in memory only.
pub struct Ledger {
    writer: Option<Writer>,
    /// Batches that were submitted but are not committed yet.
    waiting: VecDeque<Waiting>,
    /// Number of batches committed so far.
    committed: u64,
    /// Trials that are on disk but have not been reported to the optimizer yet.
    safe: Vec<Record>,
    /// Trials measured after the search that are on disk, since the last call of [`Self::take_measured`].
    measured: Vec<TrialId>,
    latency: Option<f64>,
    stored_configurations: usize,
    incumbents: Vec<StoredIncumbent>,
    /// Events that will be stored together with the next state of the search.
    events: Vec<StoredEvent>,
    told: u64,
}

impl Ledger {
    /// Creates a ledger that stores nothing on disk.
    pub fn in_memory() -> Self {
        Self {
            writer: None,
            waiting: VecDeque::new(),
            committed: 0,
            safe: Vec::new(),
            measured: Vec::new(),
            latency: None,
            stored_configurations: 0,
            incumbents: Vec::new(),
            events: Vec::new(),
            told: 0,
        }
    }

    /// Creates a ledger that writes to a store, which already holds this many configurations and trials.
    pub fn on_disk(store: Store, bell: Bell, configurations: usize, trials: u64) -> Result<Self, StoreError> {
        let ring = move |acknowledgement| {
            bell.ring(Happening::Committed(match acknowledgement {
                Acknowledgement::Committed { batches } => Ok(batches),
                Acknowledgement::Failed(error) => Err(execution::with_causes(&error)),
            }));
        };
        let writer = store.write(ring)?;
        Ok(Self {
            writer: Some(writer),
            stored_configurations: configurations,
            told: trials,
            ..Self::in_memory()
        })
    }

    /// Returns whether all submitted batches are on disk.
    pub(crate) fn is_settled(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the seconds that the last commit took; `None` if nothing has been committed since the last
    /// call.
    pub(crate) fn latency(&mut self) -> Option<f64> {
        self.latency.take()
    }

    /// Takes the trials that are on disk, so that they can be reported to the optimizer.
    pub(crate) fn take_safe(&mut self) -> Vec<Record> {
        let safe = std::mem::take(&mut self.safe);
        self.told += safe.len() as u64;
        safe
    }

    /// Records a new incumbent.
    pub(crate) fn new_incumbent(
        &mut self,
        config: ConfigId,
        pairs: usize,
        cost: f64,
        spent: Spent,
        after: usize,
    ) {
        let pairs = u32::try_from(pairs).unwrap_or(u32::MAX);
        let spent = store::Elapsed { wall: spent.wall, cpu: spent.cpu };
        self.incumbents.push(StoredIncumbent { after: after as u64, config, pairs, cost, spent });
    }

    /// Queues an event for the journal if its kind is stored.
    pub(crate) fn record_event(&mut self, event: &Event) {
        if self.writer.is_some() {
            self.events.extend(event.stored());
        }
    }

    /// Queues an event for the journal even if its kind is not usually stored.
    pub(crate) fn record_always(&mut self, event: &Event) {
        if self.writer.is_some() {
            self.events.extend(event.written());
        }
    }

    /// Drops queued events. The campaign will resume from the last stored state, so they will happen again.
    pub(crate) fn discard_events(&mut self) {
        self.events.clear();
    }

    /// Stores trials that have ended, together with the state of the search before these trials are reported
    /// to it.
    pub(crate) fn keep(
        &mut self,
        rows: Vec<Record>,
        optimizer: &Optimizer,
        out: &BTreeMap<TrialId, Out>,
        spent: &Spent,
    ) -> Result<(), LedgerError> {
        if self.writer.is_none() {
            self.safe.extend(rows);
            return Ok(());
        }
        self.submit(rows.clone(), Vec::new(), optimizer, out, spent)?;
        self.waiting.push_back(Waiting::of(rows));
        Ok(())
    }

    /// Stores the final state.
    pub(crate) fn close(
        &mut self,
        optimizer: &Optimizer,
        out: &BTreeMap<TrialId, Out>,
        spent: &Spent,
    ) -> Result<(), LedgerError> {
        if self.writer.is_some() {
            self.submit(Vec::new(), Vec::new(), optimizer, out, spent)?;
            self.waiting.push_back(Waiting::of(Vec::new()));
        }
        Ok(())
    }

    /// Stores an event together with the state of the search after it. Returns the number of the batch.
    pub(crate) fn keep_event(
        &mut self,
        event: StoredEvent,
        optimizer: &Optimizer,
        out: &BTreeMap<TrialId, Out>,
        spent: &Spent,
    ) -> Result<u64, LedgerError> {
        if self.writer.is_some() {
            self.submit(Vec::new(), vec![event], optimizer, out, spent)?;
            self.waiting.push_back(Waiting::of(Vec::new()));
        }
        Ok(self.committed + self.waiting.len() as u64)
    }

    /// Returns the number of batches on disk.
    pub(crate) fn batches(&self) -> u64 {
        self.committed
    }

    fn submit(
        &mut self,
        trials: Vec<Record>,
        mut events: Vec<StoredEvent>,
        optimizer: &Optimizer,
        out: &BTreeMap<TrialId, Out>,
        spent: &Spent,
    ) -> Result<(), LedgerError> {
        events.append(&mut self.events);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let all = optimizer.history().configurations();
        let new = self.stored_configurations..all.len();
        let configurations = new.map(|number| {
            let id = ConfigId(number as u32);
            StoredConfiguration {
                id,
                origin: optimizer.origin(id).to_owned(),
                configuration: all[number].clone(),
            }
        });
        let configurations = configurations.collect();
        self.stored_configurations = all.len();
        let marks = out.iter().map(|(&id, out)| (id, out.mark)).collect();
        let bookmark = Bookmark { snapshot: optimizer.snapshot(), marks };
        let batch = Batch {
            configurations,
            trials,
            events,
            incumbents: std::mem::take(&mut self.incumbents),
            state: Some(bookmark.write(self.told)?),
            spent: Some(store::Elapsed { wall: spent.wall, cpu: spent.cpu }),
            ..Batch::default()
        };
        writer.submit(batch)?;
        Ok(())
    }

    /// Stores a batch without a state of the search.
    pub fn note(&mut self, batch: Batch) -> Result<(), LedgerError> {
        let measured: Vec<TrialId> =
            batch.validations.iter().chain(&batch.ablations).map(|row| row.record.trial.id).collect();
        match &mut self.writer {
            Some(writer) => {
                writer.submit(batch)?;
                self.waiting.push_back(Waiting { measured, ..Waiting::of(Vec::new()) });
            }
            None => self.measured.extend(measured),
        }
        Ok(())
    }

    /// Takes the trials measured after the search that are on disk.
    pub(crate) fn take_measured(&mut self) -> Vec<TrialId> {
        std::mem::take(&mut self.measured)
    }

    /// Ends the leases of trials whose results are not stored.
    pub(crate) fn release(&mut self, released: Vec<TrialId>) -> Result<(), LedgerError> {
        if released.is_empty() { Ok(()) } else { self.note(Batch { released, ..Batch::default() }) }
    }

    /// Stores news about workers on other machines. Returns the event to display, if there is one.
    pub(crate) fn keep_news(&mut self, news: News, at: f64) -> Result<Option<What>, LedgerError> {
        let mut batch = Batch::default();
        let what = match news {
            News::Joined(worker) => {
                batch.workers.push(WorkerChange::Joined(worker.clone(), at));
                Some(What::WorkerJoined(worker))
            }
            News::Left { name, host, why } => {
                batch.workers.push(WorkerChange::Left(name.clone(), at));
                Some(What::WorkerLeft { name, host, why })
            }
            News::Leased(lease) => {
                batch.leases.push(lease);
                None
            }
            News::Renewed(trials, until) => {
                batch.renewed = Some((trials, until));
                None
            }
            News::NoWorkers => Some(What::Warning(Warning::NoWorkers)),
            News::Unequal([slowest, fastest]) => {
                Some(What::Warning(Warning::UnequalMachines { slowest, fastest }))
            }
        };
        if batch != Batch::default() {
            self.note(batch)?;
        }
        Ok(what)
    }

    /// Stores and displays news about workers on other machines.
    pub(crate) fn show_news(&mut self, news: News, at: f64, sink: Sink<'_>) -> Result<(), LedgerError> {
        if let Some(what) = self.keep_news(news, at)? {
            let event = Event { at, what };
            self.record_event(&event);
            sink(&event);
        }
        Ok(())
    }

    /// Processes a report from the store: the number of batches committed so far, or a failure.
    pub(crate) fn committed(&mut self, outcome: Result<u64, String>) -> Result<(), LedgerError> {
        let batches = outcome.map_err(LedgerError::Failed)?;
        while self.committed < batches {
            self.committed += 1;
            if let Some(Waiting { since, rows, measured }) = self.waiting.pop_front() {
                self.latency = Some(since.elapsed().as_secs_f64());
                self.safe.extend(rows);
                self.measured.extend(measured);
            }
        }
        Ok(())
    }

    /// Ends the session in the store.
    pub fn finish(self, reason: &str) -> Result<(), LedgerError> {
        let Some(mut writer) = self.writer else { return Ok(()) };
        if !self.events.is_empty() {
            writer.submit(Batch { events: self.events, ..Batch::default() })?;
        }
        Ok(writer.finish(reason)?)
    }
}
