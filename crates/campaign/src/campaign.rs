//! The loop: ask the optimizer, hand out trials, keep what they told, tell the optimizer.
//!
//! A trial is on disk before the optimizer sees it. While the disk is busy the workers go on with
//! trials that were asked for ahead, as many as one commit takes.

mod follow;
mod hopeless;
mod picture;

use std::collections::{BTreeMap, VecDeque};

use engine::propose::Learner;
use engine::{Ask, Cap, Interrupt, Optimizer, Status, TrialId, TrialRequest};
use execution::Account;
use execution::executor::{Ended, Executor, Happening};

use crate::budget::{Budget, Spent};
use crate::deadline::Deadline;
use crate::event::{Event, Stop, TrialEnded, Warning, What};
use crate::ledger::{Ledger, LedgerError, Mark};
use crate::losses::Losses;
use crate::pace::Pace;
use crate::progress;
use crate::queue::{Queue, QueueError};
use crate::requests::{Requests, Wish};
use crate::resume::Resumed;
use crate::savings::Savings;
use crate::settings::{Search, Settings};
use crate::store::{Batch, StoredEvent};
use crate::thinking::{First, Thinking};
use crate::warnings::Watch;

/// Seconds between two pictures of the campaign.
const TICK: f64 = 0.1;
/// Trials asked for and not told in repeatable mode, whatever the number of workers.
const WINDOW: usize = 8;
/// The part of the budget after which the best of those that lost race once more.
const FINAL: f64 = 0.9;

/// Reads events. Only the store may stop a campaign by failing; readers cannot fail.
pub type Sink<'a> = &'a mut dyn FnMut(&Event);

/// A trial that is out.
pub(crate) struct Out {
    pub(crate) request: TrialRequest,
    pub(crate) mark: Mark,
    /// Whether it was told to stop before its end.
    pub(crate) is_cancelled: bool,
}

/// Why a campaign broke off.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// Trials can no longer be kept.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The space has no configuration to draw.
    #[error(transparent)]
    Sample(#[from] space::SampleError),
    /// What people want tried cannot be read.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// One optimisation.
pub struct Campaign<'a> {
    settings: &'a Settings,
    optimizer: Optimizer,
    executor: Box<dyn Executor + 'a>,
    ledger: Ledger,
    /// Trials that are out, with the campaign time of handing them out.
    out: BTreeMap<TrialId, Out>,
    /// In repeatable mode: what is out, in the order of asking, and what came in before its turn.
    window: VecDeque<TrialId>,
    early: BTreeMap<TrialId, Ended>,
    cpu: f64,
    thinking: Thinking,
    /// Raised when someone wants the campaign to stop.
    interrupt: Interrupt,
    /// Whether that was in the midst of a thought: the optimizer's state counts for nothing then, and the campaign
    /// goes on from what is on disk, as after a kill.
    is_broken_off: bool,
    pace: Pace,
    savings: Option<Savings>,
    watch: Watch,
    /// Finished trials that told a constrained output as no finite number.
    unmeasured: u64,
    losses: Losses,
    /// Trials lost in earlier sessions.
    lost_before: u64,
    next_tick: f64,
    /// The last failure of the default, or the first one of all, while nothing has succeeded.
    failed: Option<Box<TrialEnded>>,
    requests: Option<Requests>,
    deadline: Option<Deadline>,
    /// Whether the next trial would not end in time: nothing is begun until more is known.
    held: bool,
    /// The learner that was last said to be chosen.
    chosen: Option<Learner>,
    stop: Option<Stop>,
}

impl<'a> Campaign<'a> {
    /// A campaign from its start, or from where it was left.
    pub fn new(
        settings: &'a Settings,
        executor: Box<dyn Executor + 'a>,
        ledger: Ledger,
        resumed: Option<Resumed>,
    ) -> Result<Self, CampaignError> {
        let resumed = resumed.unwrap_or_default();
        let mut optimizer = settings.optimizer(resumed.history, resumed.snapshot)?;
        let interrupt = executor.bell().interrupt().clone();
        optimizer.heed(&interrupt);
        let unmeasured = optimizer.history().trials().iter().filter(|trial| {
            progress::is_unmeasured(trial.observation.status(), trial.observation.constraints())
        });
        let unmeasured = unmeasured.count() as u64;
        let mut savings = settings.problem.objective.cutoff.map(Savings::new);
        if let Some(savings) = &mut savings {
            optimizer.history().trials().iter().for_each(|trial| savings.add(&trial.observation));
        }
        let (overhead, first) = match &settings.search {
            Search::Model(search) if !settings.repeatable && !executor.is_simulated() => {
                let trials = optimizer.history().trials().len();
                let columns = settings.problem.space.row_length();
                (Some(search.overhead), First::of(&search.model, trials, columns))
            }
            _ => (None, First::default()),
        };
        let mut campaign = Self {
            settings,
            optimizer,
            thinking: Thinking::new(executor.now(), overhead, first),
            interrupt,
            is_broken_off: false,
            ledger,
            out: BTreeMap::new(),
            window: VecDeque::new(),
            early: BTreeMap::new(),
            cpu: resumed.cpu,
            pace: Pace::default(),
            savings,
            watch: Watch::default(),
            unmeasured,
            losses: Losses::new(executor.workers()),
            lost_before: resumed.lost,
            executor,
            next_tick: 0.0,
            failed: None,
            requests: None,
            deadline: None,
            held: false,
            chosen: None,
            stop: None,
        };
        campaign.take_up(&resumed.marks, resumed.untold);
        Ok(campaign)
    }

    /// Races what is put into a queue, too; `events` are those stored so far.
    #[must_use]
    pub fn with_queue(mut self, queue: Queue, events: &[StoredEvent]) -> Self {
        self.requests = Some(Requests::new(queue, events));
        self
    }

    /// Stops in time for a deadline, and begins nothing that cannot end before it.
    #[must_use]
    pub fn until(mut self, deadline: Option<Deadline>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Trials that were out when the campaign was interrupted: told if they are on disk, run anew in
    /// simulated time as if nothing had happened, else forgotten and asked for again.
    fn take_up(&mut self, marks: &BTreeMap<TrialId, Mark>, untold: Vec<engine::history::Trial>) {
        let pending: Vec<TrialRequest> = self.optimizer.running().cloned().collect();
        let on_disk = |id: TrialId| untold.iter().any(|trial| trial.id == id);
        for request in pending.into_iter().filter(|request| !on_disk(request.id)) {
            if self.executor.is_simulated() {
                let mark = marks.get(&request.id).copied();
                self.submit(request, mark);
            } else {
                // It is running by the optimizer's own word.
                let _ = self.optimizer.withdraw(request.id);
            }
        }
        self.report_reached();
        for trial in untold {
            if let Some(savings) = &mut self.savings {
                savings.add(&trial.observation);
            }
            // Rows of the snapshot's own trials; others would be rows of another campaign.
            let _ = self.optimizer.tell(trial.id, trial.observation);
            if self.settings.repeatable {
                self.fill_slots();
            }
        }
    }

    /// Searches until a budget is spent or there is another reason to stop.
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
                Stop::Deadline => deadline.note_what_runs(self.executor.now()),
                // What was refused was not needed after all.
                _ => deadline.forget(),
            }
        }
        if let Some(requests) = &mut self.requests {
            requests.tidy(self.ledger.batches())?;
        }
        self.emit(sink, What::Stopped(stop.clone()));
        Ok(stop)
    }

    /// Makes what people want tried the next to race.
    fn take_requests(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        let Some(mut requests) = self.requests.take() else { return Ok(()) };
        for wish in requests.look(self.ledger.batches(), &self.settings.problem.space)? {
            match wish {
                Wish::Race(name, configuration) => {
                    let (config, requested) = self.optimizer.request(&configuration);
                    let (spent, event) = (self.spent(), Requests::event(self.executor.now(), &name));
                    let batch = self.ledger.keep_event(event, &self.optimizer, &self.out, &spent)?;
                    requests.submitted(name, batch);
                    let configuration = Box::new(configuration);
                    self.emit(sink, What::Requested { config, configuration, requested });
                }
                Wish::Refused(file, why) => {
                    self.emit(sink, What::Warning(Warning::RequestRefused { file, why }));
                }
            }
        }
        self.requests = Some(requests);
        Ok(())
    }

    /// Asks for trials until all slots have one.
    fn hand_out(&mut self, sink: Sink<'_>) {
        self.fill_slots();
        self.follow(sink);
    }

    fn fill_slots(&mut self) {
        while self.stop.is_none() {
            if self.interrupt.is_raised() {
                // In repeatable mode what is asked for belongs to what was told.
                self.is_broken_off |= self.settings.repeatable;
                self.stop = Some(Stop::Interrupted);
                return;
            }
            let spent = self.spent();
            if let Some(limit) = self.settings.budget.reached(&spent) {
                self.stop = Some(Stop::Budget(limit));
                return;
            }
            if self.is_out_of_time(spent.wall) {
                self.stop = Some(Stop::Deadline);
                return;
            }
            let slots = self.free_slots();
            self.optimizer.keep_tempo(self.thinking.tempo(spent.wall));
            let near_end = self.is_near_end(&spent);
            self.thinking.about(|| self.optimizer.near_end(near_end));
            let ask = self.thinking.about(|| self.optimizer.ask(slots));
            if self.interrupt.is_raised() {
                self.is_broken_off = true;
                self.stop = Some(Stop::Interrupted);
                return;
            }
            match ask {
                Ask::Run(request) => {
                    let longest = self.executor.longest(&request);
                    if self.deadline.as_mut().is_some_and(|end| !end.affords(self.executor.now(), longest)) {
                        self.held = true;
                        // It is running by the optimizer's own word.
                        let _ = self.optimizer.withdraw(request.id);
                    } else {
                        self.submit(request, None);
                    }
                }
                Ask::Tighten(id, cap) => {
                    self.executor.tighten(id, cap);
                    if let Some(out) = self.out.get_mut(&id) {
                        out.request.cap = cap;
                    }
                }
                Ask::Cancel(id) => self.cancel(id),
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

    /// Whether the last part of the budget has begun. A repeatable campaign decides nothing by the clock.
    fn is_near_end(&self, spent: &Spent) -> bool {
        let Settings { budget, repeatable, .. } = self.settings;
        let by_clock = !repeatable || self.executor.is_simulated();
        let counted = if by_clock { *budget } else { Budget { trials: budget.trials, ..Budget::default() } };
        counted.fraction(spent) >= FINAL
    }

    fn submit(&mut self, request: TrialRequest, mark: Option<Mark>) {
        self.executor.submit(&request, mark.map(|mark| mark.since));
        if let Some(at) = mark.and_then(|mark| mark.cancelled) {
            self.executor.tighten(request.id, at);
        }
        if self.settings.repeatable {
            self.window.push_back(request.id);
        }
        let mark = mark.unwrap_or_else(|| Mark { since: self.executor.now(), cancelled: None });
        let is_cancelled = mark.cancelled.is_some();
        self.out.insert(request.id, Out { request, mark, is_cancelled });
    }

    fn cancel(&mut self, id: TrialId) {
        let Some(out) = self.out.get_mut(&id) else { return };
        let reached = self.executor.reached().into_iter().find(|&(other, _)| other == id);
        out.is_cancelled = true;
        out.mark.cancelled = reached.map(|(_, cost)| Cap::at(cost.max(f64::MIN_POSITIVE)));
        if self.executor.cancel(id) {
            self.out.remove(&id);
            let _ = self.optimizer.withdraw(id);
        }
    }

    /// Whether nothing can be begun any more, and nothing is left to be waited for.
    fn is_out_of_time(&self, now: f64) -> bool {
        let is_over = self.deadline.is_some_and(|deadline| deadline.left(now) <= 0.0);
        is_over || (self.held && self.out.is_empty() && self.ledger.is_settled())
    }

    fn free_slots(&self) -> usize {
        if self.held {
            return 0;
        }
        let untold = self.optimizer.running().count();
        let free = if self.settings.repeatable {
            WINDOW.saturating_sub(untold)
        } else {
            let ahead =
                if self.executor.is_simulated() { 0 } else { self.pace.ahead(self.executor.workers()) };
            (self.executor.workers() + ahead).saturating_sub(self.out.len())
        };
        let unspent = self.settings.budget.trials.map(|limit| {
            let asked = self.optimizer.history().trials().len() + untold;
            usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(asked)
        });
        unspent.map_or(free, |unspent| free.min(unspent))
    }

    /// Waits for something to happen and takes in all that has.
    fn gather(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        let mut ended = Vec::new();
        let mut happening = self.executor.next(Some(self.patience()));
        loop {
            match happening {
                Happening::Ended(trial) => ended.push(*trial),
                Happening::Committed(outcome) => self.ledger.committed(outcome)?,
                Happening::Interrupted => self.stop = Some(Stop::Interrupted),
                Happening::Started { .. } => {}
                Happening::Nothing => break,
            }
            if self.executor.is_simulated() {
                break;
            }
            happening = self.executor.next(Some(0.0));
        }
        self.keep(ended)?;
        self.tell(sink);
        Ok(())
    }

    /// How long to wait at most, in campaign seconds.
    fn patience(&self) -> f64 {
        let grain = self.settings.problem.objective.grain;
        let race = if self.settings.repeatable { None } else { self.optimizer.patience() };
        let race = race.map_or(f64::INFINITY, |left| left.max(grain));
        let left = self.settings.budget.wall.map_or(f64::INFINITY, |wall| wall - self.executor.now());
        let until = self.deadline.map_or(f64::INFINITY, |deadline| deadline.left(self.executor.now()));
        let tick = if self.executor.is_simulated() { f64::INFINITY } else { TICK };
        race.min(left.max(0.0)).min(until).min(tick)
    }

    /// Hands trials that have ended to the ledger.
    fn keep(&mut self, ended: Vec<Ended>) -> Result<(), CampaignError> {
        let mut rows = Vec::new();
        for trial in ended {
            self.pace.trial(trial.ended - trial.started);
            if let Some(deadline) = &mut self.deadline {
                deadline.learn(&trial);
            }
            if self.settings.repeatable {
                self.early.insert(trial.id, trial);
            } else {
                rows.push(trial);
            }
        }
        while let Some(trial) = self.window.front().and_then(|id| self.early.remove(id)) {
            self.window.pop_front();
            rows.push(trial);
        }
        let mut kept = Vec::new();
        for mut trial in rows {
            let Some(Out { request, is_cancelled, .. }) = self.out.remove(&trial.id) else { continue };
            match &mut trial.account {
                Ok(account) => {
                    self.cpu += account.detail.cpu.unwrap_or(0.0);
                    if is_cancelled && account.observation.status() == Status::Lost {
                        // Nothing happened to it but what was wanted.
                        account.detail.reason = None;
                    }
                }
                Err(error) => {
                    self.stop = Some(Stop::Aborted(error.to_string()));
                    continue;
                }
            }
            kept.push((request, trial));
        }
        if !kept.is_empty() {
            let spent = self.spent();
            self.ledger.keep(kept, &self.optimizer, &self.out, &spent)?;
            if self.executor.is_simulated() {
                while !self.ledger.is_settled() {
                    if let Happening::Committed(outcome) = self.executor.next_ring() {
                        self.ledger.committed(outcome)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Tells the optimizer what is on disk.
    fn tell(&mut self, sink: Sink<'_>) {
        self.report_reached();
        if let Some(seconds) = self.ledger.latency() {
            self.pace.commit(seconds);
        }
        for (request, trial) in self.ledger.take_safe() {
            let Ok(Account { observation, detail }) = trial.account else { continue };
            if let Some(savings) = &mut self.savings {
                savings.add(&observation);
            }
            let told = TrialEnded {
                id: request.id,
                config: request.key.config,
                pair: request.key.pair,
                cap: request.cap,
                why: request.why,
                status: observation.status(),
                cost: observation.cost(),
                constraints: observation.constraints().into(),
                detail,
            };
            self.unmeasured += u64::from(progress::is_unmeasured(told.status, &told.constraints));
            // Every trial handed out is running by the optimizer's word until it is told.
            let _ = self.thinking.about(|| self.optimizer.tell(request.id, observation));
            // Another trial may be next now, with a lower cap; but what is asked for in repeatable mode must
            // not depend on what was asked for in vain.
            self.held &= self.settings.repeatable;
            self.judge(&told);
            let warnings = self.watch.trial(&told, self.settings);
            self.emit(sink, What::TrialEnded(Box::new(told)));
            warnings.into_iter().for_each(|warning| self.emit(sink, What::Warning(warning)));
            self.follow(sink);
            if self.settings.repeatable {
                // However many trials came in together, what is asked for knows of one more each time.
                self.hand_out(sink);
            }
        }
    }

    fn report_reached(&mut self) {
        if self.settings.repeatable {
            return;
        }
        self.optimizer.elapsed(&self.executor.reached());
    }

    /// Stops what is running and brings what has ended to the optimizer.
    fn wind_down(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        let out: Vec<TrialId> = self.out.keys().copied().collect();
        if !self.executor.is_simulated() {
            let mut left: Vec<TrialId> = out.into_iter().filter(|&id| !self.executor.cancel(id)).collect();
            while !left.is_empty() || !self.ledger.is_settled() {
                match self.executor.next(None) {
                    Happening::Ended(trial) => {
                        left.retain(|&id| id != trial.id);
                        let cpu = trial.account.ok().and_then(|account| account.detail.cpu);
                        self.cpu += cpu.unwrap_or(0.0);
                    }
                    Happening::Committed(outcome) => self.ledger.committed(outcome)?,
                    _ => {}
                }
            }
        }
        self.tell(sink);
        let spent = self.spent();
        if self.is_broken_off {
            let spent = Some(crate::store::Spent { wall: spent.wall, cpu: spent.cpu });
            self.ledger.note(Batch { spent, ..Batch::default() })?;
        } else {
            self.ledger.close(&self.optimizer, &self.out, &spent)?;
        }
        while !self.ledger.is_settled() {
            if let Happening::Committed(outcome) = self.executor.next_ring() {
                self.ledger.committed(outcome)?;
            }
        }
        Ok(())
    }

    /// What has been used so far; what runs still is counted when it has ended.
    fn spent(&self) -> Spent {
        let trials = self.optimizer.history().trials().len() as u64;
        Spent { wall: self.executor.now(), cpu: self.cpu, trials }
    }

    /// Trials lost, in this session and before.
    fn lost(&self) -> u64 {
        self.lost_before + self.losses.lost()
    }

    /// The optimizer, with everything told.
    pub fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// The executor, the ledger and the deadline, to go on with after the search.
    pub fn after(&mut self) -> (&mut (dyn Executor + 'a), &mut Ledger, Option<&mut Deadline>) {
        (&mut *self.executor, &mut self.ledger, self.deadline.as_mut())
    }

    /// The deadline, with what came of it.
    pub fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Ends the session in the store.
    pub fn finish(self, reason: &str) -> Result<(), CampaignError> {
        Ok(self.ledger.finish(reason)?)
    }

    fn emit(&self, sink: Sink<'_>, what: What) {
        sink(&Event { at: self.executor.now(), what });
    }
}
