//! Runs the trials that an ablation wants.

use std::collections::BTreeMap;

use engine::ablation::{Plan, Readings, Standing, Wanted};
use engine::history::History;
use engine::{InstanceId, Pair, TrialId, TrialKey, TrialRequest, Why};
use execution::Record;
use store::{Batch, FIRST_ABLATION, StoredConfiguration, StoredValidation};

use crate::budget::{Budget, Limit, Spent};
use crate::desk::{Came, Desk};
use crate::event::{Event, What};
use crate::losses::Losses;
use crate::validation::GaveUp;
use crate::{CampaignError, Ledger, Sink};

/// Seconds to wait for a worker, or before submitting a refused trial again.
const TICK: f64 = 0.1;

/// The limits of one session, and what to call its instances.
pub struct Limits<'a> {
    /// What this session may spend.
    pub budget: Budget,
    /// Function that returns the name of an instance.
    pub names: &'a dyn Fn(InstanceId) -> String,
}

/// The result of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Ablated {
    /// The state of the ablation.
    pub standing: Standing,
    /// What this session spent.
    pub spent: Spent,
    /// The limit at which the session stopped, if it did.
    pub limit: Option<Limit>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// The reason why the session gave up, if it did.
    pub gave_up: Option<GaveUp>,
}

/// Runs trials until the ablation has ended or a limit is reached. New configurations are added to the
/// history and to the store.
pub fn ablate(
    plan: &Plan,
    mut readings: Readings,
    history: &mut History,
    limits: &Limits<'_>,
    desk: &mut Desk<'_>,
    ledger: &mut Ledger,
    sink: Sink<'_>,
) -> Result<Ablated, CampaignError> {
    let begun = desk.now();
    let mut session = Session {
        limits,
        running: BTreeMap::new(),
        next: FIRST_ABLATION,
        losses: Losses::default(),
        is_stopped: false,
        result: Ablated {
            standing: plan.decide(&readings),
            spent: Spent::default(),
            limit: None,
            interrupted: false,
            gave_up: None,
        },
    };
    loop {
        let waits = session.fill(history, desk, ledger)?;
        if session.running.is_empty() && !waits {
            break;
        }
        let left = limits.budget.wall.map(|wall| (begun + wall - desk.now()).max(0.0));
        if left == Some(0.0) && !session.is_stopped {
            session.result.limit = Some(Limit::Wall);
            session.stop(desk);
            continue;
        }
        let left = left.filter(|_| !session.is_stopped);
        match desk.next(if waits { Some(left.unwrap_or(TICK).min(TICK)) } else { left }) {
            Came::Ended(record) => {
                if session.take_in(*record, plan, &mut readings, history, ledger, desk.workers())? {
                    session.result.spent.wall = desk.now() - begun;
                    sink(&session.event(desk.now(), plan));
                }
                session.withdraw_unwanted(desk);
                if session.losses.are_too_many() {
                    session.stop(desk);
                }
            }
            Came::Failed(error) => {
                session.result.gave_up = Some(GaveUp::Aborted(error.explained()));
                // The failed trial is not known by number; the desk has forgotten it.
                session.running.retain(|id, _| desk.out().contains_key(id));
                session.stop(desk);
            }
            Came::Committed(outcome) => ledger.committed(outcome)?,
            Came::Interrupted => {
                session.result.interrupted = true;
                session.stop(desk);
            }
            Came::News(_) | Came::Ignored | Came::Nothing => {}
        }
    }
    session.result.spent.wall = desk.now() - begun;
    Ok(session.result)
}

struct Session<'a> {
    limits: &'a Limits<'a>,
    /// The trials that are running.
    running: BTreeMap<TrialId, Wanted>,
    next: u64,
    losses: Losses,
    /// Whether no more trials start. Running ones are stopped, and count as lower bounds.
    is_stopped: bool,
    result: Ablated,
}

impl Session<'_> {
    /// Gives every worker a wanted trial. Returns true if trials remain that could be submitted later.
    fn fill(
        &mut self,
        history: &mut History,
        desk: &mut Desk<'_>,
        ledger: &mut Ledger,
    ) -> Result<bool, CampaignError> {
        if self.is_stopped {
            return Ok(false);
        }
        let wanted = self.result.standing.wanted.clone();
        for wanted in wanted {
            if self.running.values().any(|one| is_same(one, &wanted)) {
                continue;
            }
            if self.running.len() >= desk.workers() || desk.is_refusing() {
                return Ok(self.running.len() < desk.workers().max(1));
            }
            if self.result.limit.is_none() {
                let spent = Spent {
                    trials: self.result.spent.trials + self.running.len() as u64,
                    ..self.result.spent
                };
                self.result.limit = Budget { wall: None, ..self.limits.budget }.reached(&spent);
            }
            if self.result.limit.is_some() {
                return Ok(false);
            }
            let before = history.configurations().len();
            let config = history.intern(&wanted.configuration);
            if history.configurations().len() > before {
                let configuration = wanted.configuration.clone();
                let new = StoredConfiguration { id: config, origin: "ablation".to_owned(), configuration };
                ledger.note(Batch { configurations: vec![new], ..Batch::default() })?;
            }
            let request = TrialRequest {
                id: TrialId(self.next),
                key: TrialKey { config, pair: wanted.pair },
                configuration: wanted.configuration.clone(),
                cap: wanted.cap,
                why: Why::Ablation,
            };
            match desk.submit(request, None) {
                Ok(()) => {
                    self.running.insert(TrialId(self.next), wanted);
                    self.next += 1;
                }
                Err(refused) if desk.is_closed() => {
                    self.result.gave_up = Some(GaveUp::Aborted(refused.to_string()));
                    self.is_stopped = true;
                    return Ok(false);
                }
                Err(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Processes a trial that has ended. Returns whether it was stored.
    fn take_in(
        &mut self,
        record: Record,
        plan: &Plan,
        readings: &mut Readings,
        history: &History,
        ledger: &mut Ledger,
        workers: usize,
    ) -> Result<bool, CampaignError> {
        let Some(wanted) = self.running.remove(&record.trial.id) else { return Ok(false) };
        self.result.spent.cpu += record.detail.cpu.unwrap_or(0.0);
        let observation = &record.trial.observation;
        let is_told = plan.objective.compared(observation).is_some();
        if !self.is_stopped {
            self.losses.count(!is_told, workers);
            if !is_told && self.losses.are_too_many() {
                let reason = record.detail.reason.clone();
                let reason = reason.unwrap_or_else(|| record.status().name().to_owned());
                self.result.gave_up = Some(GaveUp::Lost { times: self.losses.lost(), reason });
            }
        }
        if !is_told {
            return Ok(false);
        }
        let Pair { instance, .. } = wanted.pair;
        readings.add(history.configuration(record.trial.key.config), wanted.pair, observation);
        let row =
            StoredValidation { instance: (self.limits.names)(instance), record, host: None, session: None };
        ledger.note(Batch { ablations: vec![row], ..Batch::default() })?;
        self.result.spent.trials += 1;
        self.result.standing = plan.decide(readings);
        Ok(true)
    }

    /// Stops running trials of candidates that have been dropped in the meantime.
    fn withdraw_unwanted(&mut self, desk: &mut Desk<'_>) {
        let wanted = &self.result.standing.wanted;
        let is_unwanted = |running: &Wanted| !wanted.iter().any(|one| is_same(one, running));
        let unwanted = self.running.iter().filter(|(_, running)| is_unwanted(running)).map(|(&id, _)| id);
        for id in unwanted.collect::<Vec<_>>() {
            if desk.cancel(id) {
                self.running.remove(&id);
            }
        }
    }

    /// Stops submitting trials and cancels the running ones.
    fn stop(&mut self, desk: &mut Desk<'_>) {
        self.is_stopped = true;
        self.running.retain(|&id, _| !desk.cancel(id));
    }

    fn event(&self, at: f64, plan: &Plan) -> Event {
        let standing = &self.result.standing;
        let steps = standing.steps.len();
        let current = standing.steps.last().map_or(&plan.baseline, |step| &step.configuration);
        let open = engine::ablation::changed(&plan.space, current, &plan.best);
        let open = open.into_iter().filter(|&id| plan.best.is_active(id)).count();
        Event { at, what: What::Ablating { trials: self.result.spent.trials, steps, open } }
    }
}

fn is_same(one: &Wanted, other: &Wanted) -> bool {
    one.pair == other.pair && one.configuration == other.configuration
}
