//! Runs the validation trials.

use std::collections::{BTreeMap, BTreeSet};

use engine::problem::Objective;
use engine::{
    ConfigId, Configuration, InstanceId, Observation, Pair, Rng, TrialId, TrialKey, TrialRequest, Why,
};
use execution::Record;

use super::told::{Known, OnBoth};
use super::{Plan, objective};
use crate::deadline::Deadline;
use crate::desk::{Came, Desk};
use crate::event::{Event, What};
use crate::losses::Losses;
use crate::settings::Settings;
use crate::{CampaignError, Ledger, Sink};
use store::{Batch, FIRST_VALIDATION, StoredValidation};

/// Maximum number of attempts to run a trial that is lost each time.
const TRIES: u32 = 3;
/// Seconds to wait for a worker, or before submitting a refused trial again.
const TICK: f64 = 0.1;

/// One of the two configurations to compare.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its number.
    pub config: ConfigId,
    /// Its values.
    pub configuration: Configuration,
}

/// A comparison of two configurations.
pub struct Validation<'a> {
    /// The pairs on which to measure both configurations.
    pub plan: &'a Plan,
    /// The configuration that the user would run without tuning.
    pub default: Candidate,
    /// The configuration that the search found.
    pub incumbent: Candidate,
    /// The campaign's settings.
    pub settings: &'a Settings,
    /// Function that returns the name of an instance.
    pub names: &'a dyn Fn(InstanceId) -> String,
    /// Trials from earlier sessions. These trials are not repeated unless `fresh` is set.
    pub measured: &'a [StoredValidation],
    /// Whether to repeat trials that were measured in earlier sessions.
    pub fresh: bool,
}

/// Reason why a validation gave up on some of its trials.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GaveUp {
    /// Trials were lost each time they were run, or too many trials were lost to continue.
    Lost {
        /// Total number of attempts that were lost.
        times: u64,
        /// The reason why the last lost trial was lost.
        reason: String,
    },
    /// A trial could not be started, for a reason that applies to all trials.
    Aborted(String),
}

impl Validation<'_> {
    fn candidate(&self, role: Role) -> &Candidate {
        if role == Role::Default { &self.default } else { &self.incumbent }
    }

    fn request(&self, (pair, role): (usize, Role), number: usize) -> TrialRequest {
        let Candidate { config, configuration } = self.candidate(role).clone();
        TrialRequest {
            id: TrialId(FIRST_VALIDATION + number as u64),
            key: TrialKey { config, pair: self.plan.pairs[pair] },
            configuration,
            cap: objective(self.settings).full_cap(),
            why: Why::Validation,
        }
    }
}

/// Runs both configurations on all pairs. A pair is left out if it was not run with both configurations,
/// because of an interruption, a deadline or lost trials. If the two configurations are the same, each pair
/// is run once, and its result is compared with itself.
pub fn validate(
    validation: &Validation<'_>,
    desk: &mut Desk<'_>,
    ledger: &mut Ledger,
    mut deadline: Option<&mut Deadline>,
    sink: Sink<'_>,
) -> Result<(OnBoth, Option<GaveUp>), CampaignError> {
    let mut pass = Pass::new(validation);
    let of = pass.order.len();
    let end = validation.settings.validation.budget.map(|budget| desk.now() + budget);
    while pass.ended < pass.order.len() {
        let is_waiting = pass.fill(desk, deadline.as_deref_mut());
        if pass.out == 0 && !is_waiting {
            break;
        }
        let now = desk.now();
        let ends =
            [end.map(|end| (end - now).max(0.0)), deadline.as_ref().map(|end| end.left(desk.job_time()))];
        let left = ends.into_iter().flatten().reduce(f64::min).filter(|_| !pass.is_stopped);
        if left == Some(0.0) {
            if let Some(deadline) = &mut deadline {
                deadline.note_what_runs(desk.job_time());
            }
            pass.stop(desk);
            continue;
        }
        let patience = if is_waiting { Some(left.unwrap_or(TICK).min(TICK)) } else { left };
        match desk.next(patience) {
            // In simulated time, trials of the search may still be running.
            Came::Ended(record) if record.trial.why != Why::Validation => {}
            Came::Ended(record) => {
                // A stopped trial does not show how long other trials take.
                if let Some(deadline) = deadline.as_mut().filter(|_| !pass.is_stopped) {
                    deadline.learn(&record);
                }
                let id = record.trial.id;
                if let Some(row) = pass.take_in(*record, desk.workers()) {
                    ledger.note(Batch { validations: vec![row], ..Batch::default() })?;
                } else {
                    desk.settled(&[id]);
                    ledger.release(vec![id])?;
                }
                let done = pass.ended - pass.repeated;
                sink(&Event { at: desk.now(), what: What::Validating { done, of } });
                if pass.is_hopeless() {
                    pass.stop(desk);
                }
            }
            Came::Failed(error) => {
                pass.gave_up = Some(GaveUp::Aborted(error.explained()));
                (pass.out, pass.ended) = (pass.out - 1, pass.ended + 1);
                pass.stop(desk);
            }
            Came::Committed(outcome) => {
                ledger.committed(outcome)?;
                desk.settled(&ledger.take_measured());
            }
            Came::News(news) => ledger.show_news(news, desk.now(), sink)?,
            Came::Interrupted => pass.stop(desk),
            Came::Ignored | Came::Nothing => {}
        }
    }
    Ok((pass.on_both(), pass.gave_up))
}

/// The role of a trial's configuration in the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Role {
    Default,
    Incumbent,
}

/// Index of a pair in the plan, and the configuration that runs on it.
type Part = (usize, Role);

/// A validation in progress.
struct Pass<'a> {
    validation: &'a Validation<'a>,
    objective: Objective,
    /// The trials in the order in which they run. A lost trial is appended again.
    order: Vec<Part>,
    told: BTreeMap<Part, Observation>,
    /// The machines that measured these trials, if known.
    hosts: BTreeSet<String>,
    /// Number of trials that were submitted.
    next: usize,
    /// Number of trials that are running.
    out: usize,
    /// Number of trials that have ended.
    ended: usize,
    /// Number of lost trials that were appended again.
    repeated: usize,
    /// Number of times that each trial was lost.
    lost: BTreeMap<Part, u32>,
    losses: Losses,
    gave_up: Option<GaveUp>,
    /// Whether the validation has stopped. If so, no more trials start, and running trials do not count.
    is_stopped: bool,
}

impl<'a> Pass<'a> {
    fn new(validation: &'a Validation<'a>) -> Self {
        let Validation { plan, default, incumbent, settings, names, measured, fresh } = validation;
        let are_two = default.config != incumbent.config;
        let objective = objective(settings);
        let known = Known::of(if *fresh { &[] } else { measured }, &objective);
        let (mut told, mut hosts) = (BTreeMap::new(), BTreeSet::new());
        let mut order = order(plan, settings.problem.seed);
        let find = |place: usize, role: Role| {
            let pair: Pair = plan.pairs[place];
            let last =
                |role: Role| known.find(validation.candidate(role).config, &names(pair.instance), pair.seed);
            match last(Role::Incumbent).filter(|_| are_two && role == Role::Default) {
                Some(own) => known.beside(default.config, own),
                None => last(role),
            }
        };
        let was_measured_for_another = |place: usize| {
            let Pair { instance, seed } = plan.pairs[place];
            let name = names(instance);
            let is_of_these = |config| config == default.config || config == incumbent.config;
            measured
                .iter()
                .any(|row| row.key().2 == seed && row.instance == name && !is_of_these(row.key().0))
        };
        order.retain(|&(place, role)| {
            // The load of a machine changes. So a time that was measured beside another configuration's does
            // not count beside this one's.
            let other = if role == Role::Default { Role::Incumbent } else { Role::Default };
            let is_stale = settings.validation.are_times && are_two && find(place, other).is_none();
            let before = find(place, role).filter(|_| !(is_stale && was_measured_for_another(place)));
            let is_known = before.is_some();
            hosts.extend(before.and_then(|before| before.host.clone()));
            told.extend(before.map(|before| ((place, role), before.record.trial.observation.clone())));
            !is_known && (are_two || role == Role::Default)
        });
        Self {
            validation,
            objective,
            order,
            told,
            hosts,
            next: 0,
            out: 0,
            ended: 0,
            repeated: 0,
            lost: BTreeMap::new(),
            losses: Losses::default(),
            gave_up: None,
            is_stopped: false,
        }
    }

    /// Gives every worker a trial that can end before the deadline. Returns true if trials remain that could
    /// be submitted later, because a worker may become available or because the executor refused a trial only
    /// for now.
    fn fill(&mut self, desk: &mut Desk<'_>, mut deadline: Option<&mut Deadline>) -> bool {
        while !self.is_stopped && self.next < self.order.len() {
            if self.out >= desk.workers() || desk.is_refusing() {
                return self.out < desk.workers().max(1);
            }
            let request = self.validation.request(self.order[self.next], self.next);
            let (now, longest) = (desk.job_time(), desk.longest(&request));
            if deadline.as_mut().is_some_and(|deadline| !deadline.has_time_for(now, longest)) {
                return false;
            }
            match desk.submit(request, None) {
                Ok(()) => (self.next, self.out) = (self.next + 1, self.out + 1),
                Err(refused) if desk.is_closed() => {
                    self.gave_up = Some(GaveUp::Aborted(refused.to_string()));
                    self.is_stopped = true;
                }
                Err(_) => {}
            }
        }
        false
    }

    /// Stops submitting trials and cancels the running ones.
    fn stop(&mut self, desk: &mut Desk<'_>) {
        self.is_stopped = true;
        let unheard = (0..self.next).filter(|&number| desk.cancel(TrialId(FIRST_VALIDATION + number as u64)));
        self.out -= unheard.count();
    }

    /// Processes a trial that has ended and returns the row to store. A lost trial will run again.
    fn take_in(&mut self, record: Record, workers: usize) -> Option<StoredValidation> {
        (self.out, self.ended) = (self.out - 1, self.ended + 1);
        if self.is_stopped {
            return None;
        }
        let part = self.order[(record.trial.id.0 - FIRST_VALIDATION) as usize];
        let observation = &record.trial.observation;
        let is_told = self.objective.known(observation).is_some();
        self.losses.count(!is_told, workers);
        if is_told {
            self.told.insert(part, observation.clone());
            self.hosts.insert(store::host_name());
            let instance = (self.validation.names)(record.trial.key.pair.instance);
            return Some(StoredValidation { instance, record, host: None, session: None });
        }
        let lost = self.lost.entry(part).or_default();
        *lost += 1;
        if *lost < TRIES {
            self.order.push(part);
            self.repeated += 1;
        }
        if *lost >= TRIES || self.losses.are_too_many() {
            let reason = record.detail.reason.clone();
            let reason = reason.unwrap_or_else(|| record.status().name().to_owned());
            self.gave_up = Some(GaveUp::Lost { times: self.losses.lost(), reason });
        }
        None
    }

    /// Returns whether the remaining trials would probably fail like the last ones.
    fn is_hopeless(&self) -> bool {
        matches!(self.gave_up, Some(GaveUp::Aborted(_))) || self.losses.are_too_many()
    }

    /// Returns the pairs for which the results of both configurations are known.
    fn on_both(&self) -> OnBoth {
        let Validation { plan, default, incumbent, .. } = self.validation;
        let tuned = if default.config == incumbent.config { Role::Default } else { Role::Incumbent };
        let mut both = OnBoth { hosts: self.hosts.clone(), ..OnBoth::default() };
        both.looked_at(self.validation.measured, incumbent.config, plan, self.validation.names);
        for (place, pair) in plan.pairs.iter().enumerate() {
            let found = self.told.get(&(place, Role::Default)).zip(self.told.get(&(place, tuned)));
            if let Some((default, tuned)) = found {
                both.push(*pair, &self.objective, [default, tuned]);
            }
        }
        both
    }
}

/// Returns the pairs and configurations in the order in which they run.
fn order(plan: &Plan, seed: u64) -> Vec<(usize, Role)> {
    let mut rng = Rng::new(seed, "validation order", 0);
    let mut instances: Vec<InstanceId> = plan.pairs.iter().map(|pair| pair.instance).collect();
    instances.sort_unstable();
    instances.dedup();
    let mut places: Vec<usize> = (0..plan.pairs.len()).collect();
    places.chunks_mut(instances.len().max(1)).for_each(|round| rng.shuffle(round));
    let both = |pair: usize| {
        let mut roles = [(pair, Role::Default), (pair, Role::Incumbent)];
        rng.shuffle(&mut roles);
        roles
    };
    places.into_iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use engine::stats::Basis;
    use engine::{Pair, Seed};

    use super::*;

    fn plan_of(instances: u32, seeds: u32) -> Plan {
        let pair = |round: u32| move |instance| Pair { instance: InstanceId(instance), seed: Seed(round) };
        let pairs = (0..seeds).flat_map(|round| (0..instances).map(pair(round)));
        Plan { basis: Basis::UnseenInstances, pairs: pairs.collect() }
    }

    #[test]
    fn every_instance_is_met_by_both_before_any_is_met_again() {
        let plan = plan_of(7, 3);
        let order = order(&plan, 5);
        assert_eq!(order.len(), 42);
        for (place, both) in order.chunks(2).enumerate() {
            assert_eq!(both[0].0, both[1].0, "the trials of a pair follow each other");
            assert_ne!(both[0].1, both[1].1);
            assert_eq!(plan.pairs[both[0].0].seed.0 as usize, place / 7, "seed by seed");
        }
        let first: Vec<bool> = order.chunks(2).map(|both| both[0].1 == Role::Default).collect();
        assert!(first.contains(&true) && first.contains(&false), "neither is always first");
        let instances: Vec<usize> = order.chunks(2).take(7).map(|both| both[0].0).collect();
        assert!(!instances.is_sorted(), "{instances:?}");
    }
}
