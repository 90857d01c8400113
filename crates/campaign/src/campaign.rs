//! The main loop: ask the optimizer, run trials, store their results, tell the optimizer.
//!
//! A trial is on disk before the optimizer sees it. The workers do not wait for the disk: captune requests a
//! few trials ahead, enough to keep the workers busy during one commit.

mod follow;
mod hopeless;
mod picture;

use std::collections::{BTreeMap, VecDeque};

use captune::FINAL;
use engine::propose::Learner;
use engine::{Ask, Cap, Interrupt, Optimizer, TrialId, TrialRequest};
use execution::Record;
use execution::executor::{Lease, News};

use crate::bookmark::Mark;
use crate::budget::{Budget, Spent};
use crate::deadline::Deadline;
use crate::desk::{Came, Desk};
use crate::event::{Event, Stop, Warning, What};
use crate::ledger::{Ledger, LedgerError};
use crate::losses::Losses;
use crate::pace::Pace;
use crate::queue::{Queue, QueueError};
use crate::requests::{QueueEntry, Requests};
use crate::resume::Resumed;
use crate::savings::Savings;
use crate::settings::{Search, Settings};
use crate::thinking::{First, Thinking};
use crate::warnings::Watch;
use store::{Batch, StoredEvent};

/// Seconds between two pictures of the campaign.
const TICK: f64 = 0.1;
/// Number of trials in repeatable mode that are requested but not yet reported to the optimizer. This number
/// does not depend on the number of workers.
const WINDOW: usize = 8;

/// A callback that receives every event. A sink cannot return an error, because only a failing store may stop
/// a campaign.
pub type Sink<'a> = &'a mut dyn FnMut(&Event);

/// Reason why a campaign failed.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// Trials can no longer be stored.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No configuration could be drawn from the space.
    #[error(transparent)]
    Setting(#[from] engine::SettingError),
    /// The queue of requests cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// One optimisation, from start to stop.
pub struct Campaign<'a> {
    settings: &'a Settings,
    optimizer: Optimizer,
    desk: Desk<'a>,
    ledger: Ledger,
    /// Running trials in the order in which they were requested; used only in repeatable mode.
    window: VecDeque<TrialId>,
    /// Trials that ended before a trial that was requested earlier; used only in repeatable mode.
    early: BTreeMap<TrialId, Record>,
    cpu: f64,
    thinking: Thinking,
    /// Flag that is raised when the user asks the campaign to stop.
    interrupt: Interrupt,
    /// Whether the user interrupted the optimizer during a computation. The campaign then discards the
    /// optimizer's state, so the next session resumes from the state on disk, as after a kill.
    discard_state: bool,
    pace: Pace,
    savings: Option<Savings>,
    watch: Watch,
    /// Number of finished trials that reported a non-finite value for a constrained output.
    unmeasured: u64,
    losses: Losses,
    /// Number of trials lost in earlier sessions.
    lost_before: u64,
    next_tick: f64,
    /// Share of the budget at which the next picture will be stored.
    next_kept: f64,
    /// Lowered caps for which no event has been emitted yet.
    lowered: Vec<(TrialId, Cap)>,
    /// The failure to report if no trial succeeds: the last failure of the default if there is one, otherwise
    /// the first failure of any configuration.
    failed: Option<Box<Record>>,
    requests: Option<Requests>,
    deadline: Option<Deadline>,
    /// Whether the next trial was held back because it might not end before the deadline. No trial starts
    /// until another result arrives.
    held: bool,
    /// The learner whose choice was last announced.
    chosen: Option<Learner>,
    stop: Option<Stop>,
}

impl<'a> Campaign<'a> {
    /// Creates a new campaign, or resumes a stored one.
    pub fn new(
        settings: &'a Settings,
        desk: Desk<'a>,
        ledger: Ledger,
        resumed: Option<Resumed>,
    ) -> Result<Self, CampaignError> {
        let resumed = resumed.unwrap_or_default();
        // These trials are counted before the outputs of relative constraints are divided by the baseline's
        // outputs.
        let is_unmeasured = |trial: &&engine::history::Trial| trial.observation.is_unmeasured();
        let unmeasured = resumed.history.trials().iter().filter(is_unmeasured).count() as u64;
        let mut optimizer = settings.optimizer(resumed.history, resumed.snapshot)?;
        let interrupt = desk.interrupt();
        optimizer.watch_interrupt(&interrupt);
        let mut savings = settings.problem.objective.cutoff.map(Savings::new);
        if let Some(savings) = &mut savings {
            optimizer.history().trials().iter().for_each(|trial| savings.add(&trial.observation));
        }
        let (overhead, first) = match &settings.search {
            Search::Model(search) if !settings.repeatable && !desk.is_stepwise() => {
                let trials = optimizer.history().trials().len();
                let columns = settings.problem.space.row_length();
                (Some(search.overhead), First::of(&search.model, trials, columns))
            }
            _ => (None, First::default()),
        };
        let mut campaign = Self {
            settings,
            optimizer,
            thinking: Thinking::new(desk.now(), overhead, first),
            interrupt,
            discard_state: false,
            ledger,
            window: VecDeque::new(),
            early: BTreeMap::new(),
            cpu: resumed.cpu,
            pace: Pace::default(),
            savings,
            watch: Watch::default(),
            unmeasured,
            losses: Losses::default(),
            lost_before: resumed.lost,
            desk,
            next_tick: 0.0,
            next_kept: 0.0,
            lowered: Vec::new(),
            failed: None,
            requests: None,
            deadline: None,
            held: false,
            chosen: None,
            stop: None,
        };
        campaign.restore_pending(&resumed.marks, resumed.untold);
        Ok(campaign)
    }

    /// Makes the campaign also race the configurations in a queue. `events` are the events stored so far.
    #[must_use]
    pub fn with_queue(mut self, queue: Queue, events: &[StoredEvent]) -> Self {
        self.requests = Some(Requests::new(queue, events));
        self
    }

    /// Makes the campaign stop before a deadline and start no trial that could run past it.
    #[must_use]
    pub fn until(mut self, deadline: Option<Deadline>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Handles the trials that were running when the campaign was interrupted. Results that are on disk are
    /// reported to the optimizer. In simulated time, the other trials run again with the same result. In real
    /// time, trials that still run on other machines continue. The rest are withdrawn, and the optimizer
    /// requests them again.
    fn restore_pending(&mut self, marks: &BTreeMap<TrialId, Mark>, untold: Vec<engine::history::Trial>) {
        let pending: Vec<TrialRequest> = self.optimizer.running().cloned().collect();
        let on_disk = |id: TrialId| untold.iter().any(|trial| trial.id == id);
        for request in pending.into_iter().filter(|request| !on_disk(request.id)) {
            if self.desk.is_stepwise() || self.desk.still_runs(request.id) {
                let mark = marks.get(&request.id).copied();
                self.submit(request, mark);
            } else {
                // The optimizer listed this trial as running, so withdrawing it cannot fail.
                let _ = self.optimizer.withdraw(request.id);
            }
        }
        self.report_reached();
        for trial in untold {
            if let Some(savings) = &mut self.savings {
                savings.add(&trial.observation);
            }
            // `tell` fails only for trials that the snapshot does not contain. This store contains no such
            // trials.
            let _ = self.optimizer.tell(trial.id, trial.observation);
            if self.settings.repeatable {
                self.fill_slots();
            }
        }
    }

    /// Searches until a budget limit is reached or the campaign stops for another reason.
    pub fn search(&mut self, sink: Sink<'_>) -> Result<Stop, CampaignError> {
        self.follow(sink);
        self.refuse_wrong_default();
        let stop = loop {
            self.take_requests(sink)?;
            self.hand_out(sink);
            self.tick(sink);
            if let Some(stop) = self.stop.take() {
                break stop;
            }
            self.gather(sink)?;
        };
        self.wind_down(sink)?;
        let stop = self.reconsider(stop);
        if let Some(deadline) = &mut self.deadline {
            match stop {
                Stop::Deadline => deadline.note_what_runs(self.desk.job_time()),
                // The campaign stopped for another reason, so the refused trials do not matter.
                _ => deadline.forget(),
            }
        }
        if let Some(requests) = &mut self.requests {
            requests.tidy(self.ledger.batches())?;
        }
        self.emit(sink, What::Stopped(stop.clone()));
        Ok(stop)
    }

    /// Puts the configurations that the user requested at the front of the queue for races.
    fn take_requests(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        let Some(mut requests) = self.requests.take() else { return Ok(()) };
        for entry in requests.poll(self.ledger.batches(), &self.settings.problem.space)? {
            match entry {
                QueueEntry::Race(name, configuration) => {
                    let (config, requested) = self.optimizer.request(&configuration);
                    let (spent, event) = (self.spent(), Requests::event(self.desk.now(), &name));
                    let batch = self.ledger.keep_event(event, &self.optimizer, self.desk.out(), &spent)?;
                    requests.submitted(name, batch);
                    let values = (&configuration).into();
                    self.emit(sink, What::Requested { config, values, requested });
                }
                QueueEntry::Refused(file, why) => {
                    self.emit(sink, What::Warning(Warning::RequestRefused { file, why }));
                }
            }
        }
        self.requests = Some(requests);
        Ok(())
    }

    /// Requests trials until every slot has one, and emits the resulting events.
    fn hand_out(&mut self, sink: Sink<'_>) {
        self.fill_slots();
        self.follow(sink);
    }

    fn fill_slots(&mut self) {
        while self.stop.is_none() {
            if self.interrupt.is_raised() {
                // In repeatable mode, new requests must follow each result, but the interrupt prevented them.
                self.discard_state |= self.settings.repeatable;
                self.stop = Some(Stop::Interrupted);
                return;
            }
            let spent = self.spent();
            if let Some(limit) = self.settings.budget.reached(&spent) {
                self.stop = Some(Stop::Budget(limit));
                return;
            }
            if self.is_out_of_time() {
                self.stop = Some(Stop::Deadline);
                return;
            }
            let slots = self.free_slots();
            self.optimizer.set_tempo(self.thinking.tempo(spent.wall));
            let near_end = self.is_near_end(&spent);
            self.thinking.time(|| self.optimizer.near_end(near_end));
            let ask = self.thinking.time(|| self.optimizer.ask(slots));
            if self.interrupt.is_raised() {
                self.discard_state = true;
                self.stop = Some(Stop::Interrupted);
                return;
            }
            match ask {
                Ask::Run(request) => {
                    let longest = self.desk.longest(&request);
                    if self
                        .deadline
                        .as_mut()
                        .is_some_and(|end| !end.has_time_for(self.desk.job_time(), longest))
                    {
                        self.held = true;
                        // The optimizer has just requested this trial, so withdrawing it cannot fail.
                        let _ = self.optimizer.withdraw(request.id);
                    } else {
                        self.submit(request, None);
                    }
                }
                Ask::Tighten(id, cap) => {
                    self.desk.tighten(id, cap);
                    self.lowered.push((id, cap));
                }
                Ask::Cancel(id) => {
                    if self.desk.cancel(id) {
                        // The optimizer listed this trial as running, so withdrawing it cannot fail.
                        let _ = self.optimizer.withdraw(id);
                    }
                }
                Ask::Wait => break,
                Ask::Done(_) => {
                    if self.ledger.is_settled() {
                        self.stop = Some(Stop::Exhausted);
                    }
                    break;
                }
            }
        }
    }

    /// Returns whether the last part of the budget has begun. For a repeatable campaign in real time, only
    /// the limit on trials counts, because its decisions must not depend on the clock.
    fn is_near_end(&self, spent: &Spent) -> bool {
        let Settings { budget, repeatable, .. } = self.settings;
        let by_clock = !repeatable || self.desk.is_stepwise();
        let counted = if by_clock { *budget } else { Budget { trials: budget.trials, ..Budget::default() } };
        counted.fraction(spent) >= FINAL
    }

    /// Submits a trial. If the executor refuses it, the trial is withdrawn, and the optimizer may request it
    /// again later.
    fn submit(&mut self, request: TrialRequest, mark: Option<Mark>) {
        let id = request.id;
        match self.desk.submit(request, mark) {
            Ok(()) => {
                if self.settings.repeatable {
                    self.window.push_back(id);
                }
            }
            Err(refused) => {
                if self.desk.is_closed() {
                    self.stop = Some(Stop::Aborted(refused.to_string()));
                }
                // The optimizer listed this trial as running, so withdrawing it cannot fail.
                let _ = self.optimizer.withdraw(id);
            }
        }
    }

    /// Returns whether no time is left: the deadline has passed, or no trial is running and the next one
    /// could not end before the deadline.
    fn is_out_of_time(&self) -> bool {
        let is_over = self.deadline.is_some_and(|deadline| deadline.left(self.desk.job_time()) <= 0.0);
        is_over || (self.held && self.desk.out().is_empty() && self.ledger.is_settled())
    }

    fn free_slots(&self) -> usize {
        if self.held || self.desk.is_refusing() {
            return 0;
        }
        let untold = self.optimizer.running().count();
        let free = if self.settings.repeatable {
            WINDOW.saturating_sub(untold)
        } else {
            let ahead = if self.desk.is_stepwise() { 0 } else { self.pace.ahead(self.desk.workers()) };
            (self.desk.workers() + ahead).saturating_sub(self.desk.out().len())
        };
        let unspent = self.settings.budget.trials.map(|limit| {
            let asked = self.optimizer.history().trials().len() + untold;
            usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(asked)
        });
        unspent.map_or(free, |unspent| free.min(unspent))
    }

    /// Waits for something to happen, then handles everything that has happened.
    fn gather(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        let mut ended = Vec::new();
        let mut came = self.desk.next(Some(self.patience()));
        loop {
            match came {
                Came::Ended(record) => ended.push(*record),
                Came::Failed(error) => self.stop = Some(Stop::Aborted(error.explained())),
                Came::Committed(outcome) => self.ledger.committed(outcome)?,
                Came::News(news) => self.take_news(news, sink)?,
                Came::Interrupted => self.stop = Some(Stop::Interrupted),
                Came::Ignored => {}
                Came::Nothing => break,
            }
            if self.desk.is_stepwise() {
                break;
            }
            came = self.desk.next(Some(0.0));
        }
        self.keep(ended)?;
        self.tell(sink);
        Ok(())
    }

    /// Returns the longest time to wait, in seconds of campaign time.
    fn patience(&self) -> f64 {
        let grain = self.settings.problem.objective.grain;
        let race = if self.settings.repeatable { None } else { self.optimizer.patience() };
        let race = race.map_or(f64::INFINITY, |left| left.max(grain));
        let left = self.settings.budget.wall.map_or(f64::INFINITY, |wall| wall - self.desk.now());
        let until = self.deadline.map_or(f64::INFINITY, |deadline| deadline.left(self.desk.job_time()));
        let tick = if self.desk.is_stepwise() { f64::INFINITY } else { TICK };
        race.min(left.max(0.0)).min(until).min(tick)
    }

    /// Passes trials that have ended to the ledger.
    fn keep(&mut self, ended: Vec<Record>) -> Result<(), CampaignError> {
        let mut records = Vec::new();
        for record in ended {
            self.pace.trial(record.ended - record.started);
            if let Some(deadline) = &mut self.deadline {
                deadline.learn(&record);
            }
            if self.settings.repeatable {
                self.early.insert(record.trial.id, record);
            } else {
                records.push(record);
            }
        }
        while let Some(record) = self.window.front().and_then(|id| self.early.remove(id)) {
            self.window.pop_front();
            records.push(record);
        }
        self.cpu += records.iter().filter_map(|record| record.detail.cpu).sum::<f64>();
        if !records.is_empty() {
            let spent = self.spent();
            self.ledger.keep(records, &self.optimizer, self.desk.out(), &spent)?;
            if self.desk.is_stepwise() {
                self.settle()?;
            }
        }
        Ok(())
    }

    /// Waits until the ledger has stored everything on disk.
    fn settle(&mut self) -> Result<(), CampaignError> {
        while !self.ledger.is_settled() {
            if let Came::Committed(outcome) = self.desk.next_rung() {
                self.ledger.committed(outcome)?;
            }
        }
        Ok(())
    }

    /// Tells the optimizer about the trials on disk.
    fn tell(&mut self, sink: Sink<'_>) {
        self.report_reached();
        if let Some(seconds) = self.ledger.latency() {
            self.pace.commit(seconds);
        }
        let safe = self.ledger.take_safe();
        self.desk.settled(&safe.iter().map(|record| record.trial.id).collect::<Vec<_>>());
        for told in safe {
            let observation = &told.trial.observation;
            if let Some(savings) = &mut self.savings {
                savings.add(observation);
            }
            self.unmeasured += u64::from(observation.is_unmeasured());
            // The optimizer lists every submitted trial as running until it is told the result, so this
            // cannot fail.
            let _ = self.thinking.time(|| self.optimizer.tell(told.trial.id, observation.clone()));
            // The next trial may now be a different one with a lower cap, so it may fit before the deadline.
            // In repeatable mode, requests must not depend on trials that were withdrawn for lack of time.
            self.held &= self.settings.repeatable;
            self.judge(&told);
            let warnings = self.watch.trial(&told, self.settings, self.desk.workers());
            self.emit(sink, What::TrialEnded(Box::new(told)));
            warnings.into_iter().for_each(|warning| self.emit(sink, What::Warning(warning)));
            self.follow(sink);
            if self.settings.repeatable {
                // Ask the optimizer after every single result, even if several results arrived together.
                self.hand_out(sink);
            }
        }
    }

    fn report_reached(&mut self) {
        if self.settings.repeatable {
            return;
        }
        self.optimizer.elapsed(&self.desk.reached());
    }

    /// Stops the running trials and tells the optimizer about the trials that have ended.
    fn wind_down(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        if !self.desk.is_stepwise() {
            self.desk.cancel_all();
            for (id, record) in std::mem::take(&mut self.early) {
                self.cpu += record.detail.cpu.unwrap_or(0.0);
                self.discard(id)?;
            }
            while !self.desk.out().is_empty() || !self.ledger.is_settled() {
                match self.desk.next(None) {
                    Came::Ended(record) => {
                        self.cpu += record.detail.cpu.unwrap_or(0.0);
                        self.discard(record.trial.id)?;
                    }
                    Came::Committed(outcome) => self.ledger.committed(outcome)?,
                    Came::News(news) => self.take_news(news, sink)?,
                    _ => {}
                }
            }
        }
        self.tell(sink);
        let spent = self.spent();
        if self.discard_state {
            self.ledger.discard_events();
            let spent = Some(store::Elapsed { wall: spent.wall, cpu: spent.cpu });
            self.ledger.note(Batch { spent, ..Batch::default() })?;
        } else {
            self.ledger.close(&self.optimizer, self.desk.out(), &spent)?;
        }
        self.settle()
    }

    /// Returns the time and trials spent so far. A running trial counts only after it has ended.
    fn spent(&self) -> Spent {
        let trials = self.optimizer.history().trials().len() as u64;
        Spent { wall: self.desk.now(), cpu: self.cpu, trials }
    }

    /// Returns the number of trials lost, in this session and earlier ones.
    fn lost(&self) -> u64 {
        self.lost_before + self.losses.lost()
    }

    /// Returns the optimizer, which has been told all results.
    pub fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// Returns the desk, the ledger and the deadline, for use after the search.
    pub fn parts(&mut self) -> (&mut Desk<'a>, &mut Ledger, Option<&mut Deadline>) {
        (&mut self.desk, &mut self.ledger, self.deadline.as_mut())
    }

    /// Returns the deadline, including its last refusal of a trial.
    pub fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Ends the session in the store.
    pub fn finish(self, reason: &str) -> Result<(), CampaignError> {
        Ok(self.ledger.finish(reason)?)
    }

    /// Notes that the result of a trial is not used: the next session will request the trial again.
    fn discard(&mut self, id: TrialId) -> Result<(), CampaignError> {
        self.desk.settled(&[id]);
        Ok(self.ledger.release(vec![id])?)
    }

    /// Ends the leases of an earlier session, except those of trials that still run.
    pub fn release_others(&mut self, leases: &[Lease]) -> Result<(), CampaignError> {
        let others = leases.iter().map(|lease| lease.trial).filter(|id| !self.desk.out().contains_key(id));
        let others: Vec<TrialId> = others.collect();
        self.desk.settled(&others);
        Ok(self.ledger.release(others)?)
    }

    /// Stores and displays news about workers on other machines.
    fn take_news(&mut self, news: News, sink: Sink<'_>) -> Result<(), CampaignError> {
        let what = self.ledger.keep_news(news, self.desk.now())?;
        what.into_iter().for_each(|what| self.emit(sink, what));
        Ok(())
    }

    fn emit(&mut self, sink: Sink<'_>, what: What) {
        let event = Event { at: self.desk.now(), what };
        self.ledger.record_event(&event);
        sink(&event);
    }
}
