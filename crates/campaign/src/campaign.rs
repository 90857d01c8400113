//! The loop: ask the optimizer, hand out trials, keep what they told, tell the optimizer.
//!
//! A trial is on disk before the optimizer sees it. While the disk is busy the workers go on with
//! trials that were asked for ahead, as many as one commit takes.

mod follow;
mod hopeless;
mod picture;

use std::collections::{BTreeMap, VecDeque};

use engine::propose::Learner;
use engine::{Ask, Cap, Interrupt, Optimizer, TrialId, TrialRequest};
use execution::Record;

use crate::bookmark::Mark;
use crate::budget::{Budget, Spent};
use crate::deadline::Deadline;
use crate::desk::{Came, Desk};
use crate::event::{Event, Stop, Warning, What};
use crate::ledger::{Ledger, LedgerError};
use crate::losses::Losses;
use crate::pace::Pace;
use crate::queue::{Queue, QueueError};
use crate::requests::{Requests, Wish};
use crate::resume::Resumed;
use crate::savings::Savings;
use crate::settings::{Search, Settings};
use crate::thinking::{First, Thinking};
use crate::warnings::Watch;
use store::{Batch, StoredEvent};

/// Seconds between two pictures of the campaign.
const TICK: f64 = 0.1;
/// Trials asked for and not told in repeatable mode, whatever the number of workers.
const WINDOW: usize = 8;
/// Trials refused one after the other after which nothing more is expected.
const MOST_REFUSALS: u32 = 100;
/// The part of the budget after which the best of those that lost race once more.
const FINAL: f64 = 0.9;

/// Reads events. Only the store may stop a campaign by failing; readers cannot fail.
pub type Sink<'a> = &'a mut dyn FnMut(&Event);

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
    desk: Desk<'a>,
    ledger: Ledger,
    /// In repeatable mode: what is out, in the order of asking, and what came in before its turn.
    window: VecDeque<TrialId>,
    early: BTreeMap<TrialId, Record>,
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
    /// The part of the budget from which on the next picture is kept.
    next_kept: f64,
    /// Caps that were lowered and not told of yet.
    lowered: Vec<(TrialId, Cap)>,
    /// The last failure of the default, or the first one of all, while nothing has succeeded.
    failed: Option<Box<Record>>,
    requests: Option<Requests>,
    deadline: Option<Deadline>,
    /// Whether the next trial would not end in time: nothing is begun until more is known.
    held: bool,
    /// Whether the last trial was refused: no other is handed out until something has happened.
    is_refused: bool,
    /// How many were, one after the other.
    refusals: u32,
    /// The learner that was last said to be chosen.
    chosen: Option<Learner>,
    stop: Option<Stop>,
}

impl<'a> Campaign<'a> {
    /// A campaign from its start, or from where it was left.
    pub fn new(
        settings: &'a Settings,
        desk: Desk<'a>,
        ledger: Ledger,
        resumed: Option<Resumed>,
    ) -> Result<Self, CampaignError> {
        let resumed = resumed.unwrap_or_default();
        let mut optimizer = settings.optimizer(resumed.history, resumed.snapshot)?;
        let interrupt = desk.interrupt();
        optimizer.heed(&interrupt);
        let unmeasured =
            optimizer.history().trials().iter().filter(|trial| trial.observation.is_unmeasured());
        let unmeasured = unmeasured.count() as u64;
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
            is_broken_off: false,
            ledger,
            window: VecDeque::new(),
            early: BTreeMap::new(),
            cpu: resumed.cpu,
            pace: Pace::default(),
            savings,
            watch: Watch::default(),
            unmeasured,
            losses: Losses::new(desk.workers()),
            lost_before: resumed.lost,
            desk,
            next_tick: 0.0,
            next_kept: 0.0,
            lowered: Vec::new(),
            failed: None,
            requests: None,
            deadline: None,
            held: false,
            is_refused: false,
            refusals: 0,
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
            if self.desk.is_stepwise() {
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
                Stop::Deadline => deadline.note_what_runs(self.desk.now()),
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
                    let (spent, event) = (self.spent(), Requests::event(self.desk.now(), &name));
                    let batch = self.ledger.keep_event(event, &self.optimizer, self.desk.out(), &spent)?;
                    requests.submitted(name, batch);
                    let values = (&configuration).into();
                    self.emit(sink, What::Requested { config, values, requested });
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
                    let longest = self.desk.longest(&request);
                    if self.deadline.as_mut().is_some_and(|end| !end.affords(self.desk.now(), longest)) {
                        self.held = true;
                        // It is running by the optimizer's own word.
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
                        // It is running by the optimizer's own word.
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

    /// Whether the last part of the budget has begun. A repeatable campaign decides nothing by the clock.
    fn is_near_end(&self, spent: &Spent) -> bool {
        let Settings { budget, repeatable, .. } = self.settings;
        let by_clock = !repeatable || self.desk.is_stepwise();
        let counted = if by_clock { *budget } else { Budget { trials: budget.trials, ..Budget::default() } };
        counted.fraction(spent) >= FINAL
    }

    /// Hands out a trial. One that is refused is asked for again when something has happened.
    fn submit(&mut self, request: TrialRequest, mark: Option<Mark>) {
        let id = request.id;
        match self.desk.submit(request, mark) {
            Ok(()) => {
                self.refusals = 0;
                if self.settings.repeatable {
                    self.window.push_back(id);
                }
            }
            Err(refused) => {
                self.is_refused = true;
                self.refusals += 1;
                if self.refusals >= MOST_REFUSALS {
                    self.stop = Some(Stop::Aborted(refused.to_string()));
                }
                // It is running by the optimizer's own word.
                let _ = self.optimizer.withdraw(id);
            }
        }
    }

    /// Whether nothing can be begun any more, and nothing is left to be waited for.
    fn is_out_of_time(&self, now: f64) -> bool {
        let is_over = self.deadline.is_some_and(|deadline| deadline.left(now) <= 0.0);
        is_over || (self.held && self.desk.out().is_empty() && self.ledger.is_settled())
    }

    fn free_slots(&self) -> usize {
        if self.held || self.is_refused {
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

    /// Waits for something to happen and takes in all that has.
    fn gather(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        let mut ended = Vec::new();
        let mut came = self.desk.next(Some(self.patience()));
        self.is_refused = false;
        loop {
            match came {
                Came::Ended(record) => ended.push(*record),
                Came::Failed(error) => self.stop = Some(Stop::Aborted(error.to_string())),
                Came::Committed(outcome) => self.ledger.committed(outcome)?,
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

    /// How long to wait at most, in campaign seconds.
    fn patience(&self) -> f64 {
        let grain = self.settings.problem.objective.grain;
        let race = if self.settings.repeatable { None } else { self.optimizer.patience() };
        let race = race.map_or(f64::INFINITY, |left| left.max(grain));
        let left = self.settings.budget.wall.map_or(f64::INFINITY, |wall| wall - self.desk.now());
        let until = self.deadline.map_or(f64::INFINITY, |deadline| deadline.left(self.desk.now()));
        let tick = if self.desk.is_stepwise() { f64::INFINITY } else { TICK };
        race.min(left.max(0.0)).min(until).min(tick)
    }

    /// Hands trials that have ended to the ledger.
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

    /// Waits until all that was handed to the ledger is on disk.
    fn settle(&mut self) -> Result<(), CampaignError> {
        while !self.ledger.is_settled() {
            if let Came::Committed(outcome) = self.desk.next_rung() {
                self.ledger.committed(outcome)?;
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
        for told in self.ledger.take_safe() {
            let observation = &told.trial.observation;
            if let Some(savings) = &mut self.savings {
                savings.add(observation);
            }
            self.unmeasured += u64::from(observation.is_unmeasured());
            // Every trial handed out is running by the optimizer's word until it is told.
            let _ = self.thinking.about(|| self.optimizer.tell(told.trial.id, observation.clone()));
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
        self.optimizer.elapsed(&self.desk.reached());
    }

    /// Stops what is running and brings what has ended to the optimizer.
    fn wind_down(&mut self, sink: Sink<'_>) -> Result<(), CampaignError> {
        if !self.desk.is_stepwise() {
            self.desk.cancel_all();
            while !self.desk.out().is_empty() || !self.ledger.is_settled() {
                match self.desk.next(None) {
                    Came::Ended(record) => self.cpu += record.detail.cpu.unwrap_or(0.0),
                    Came::Committed(outcome) => self.ledger.committed(outcome)?,
                    _ => {}
                }
            }
        }
        self.tell(sink);
        let spent = self.spent();
        if self.is_broken_off {
            self.ledger.forget_what_happened();
            let spent = Some(store::Elapsed { wall: spent.wall, cpu: spent.cpu });
            self.ledger.note(Batch { spent, ..Batch::default() })?;
        } else {
            self.ledger.close(&self.optimizer, self.desk.out(), &spent)?;
        }
        self.settle()
    }

    /// What has been used so far; what runs still is counted when it has ended.
    fn spent(&self) -> Spent {
        let trials = self.optimizer.history().trials().len() as u64;
        Spent { wall: self.desk.now(), cpu: self.cpu, trials }
    }

    /// Trials lost, in this session and before.
    fn lost(&self) -> u64 {
        self.lost_before + self.losses.lost()
    }

    /// The optimizer, with everything told.
    pub fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// The desk, the ledger and the deadline, to go on with after the search.
    pub fn after(&mut self) -> (&mut Desk<'a>, &mut Ledger, Option<&mut Deadline>) {
        (&mut self.desk, &mut self.ledger, self.deadline.as_mut())
    }

    /// The deadline, with what came of it.
    pub fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// Ends the session in the store.
    pub fn finish(self, reason: &str) -> Result<(), CampaignError> {
        Ok(self.ledger.finish(reason)?)
    }

    fn emit(&mut self, sink: Sink<'_>, what: What) {
        let event = Event { at: self.desk.now(), what };
        self.ledger.happened(&event);
        sink(&event);
    }
}
