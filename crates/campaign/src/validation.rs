//! Honest ends: the default and the incumbent on pairs that had no part in choosing.
//!
//! Both run on the same pairs with the same cutoff, interleaved in random order on the same slots, so that
//! neither profits from a quiet hour. Every instance is met once before any is met again, and the two
//! trials of a pair follow each other: what a budget cuts off is seeds, not instances.

use std::collections::BTreeMap;

use engine::history::{History, Trial};
use engine::racing::constraint::Tally;
use engine::racing::{Constraint, Holding, Objective};
use engine::stats::{Basis, Measured, Validated, Verdict, judge};
use engine::{
    ConfigId, Configuration, InstanceId, Pair, Reading, Rng, Seed, Status, TrialId, TrialKey, TrialRequest,
    Why,
};

use crate::deadline::Deadline;
use crate::event::{Event, What};
use crate::executor::{Ended, Executor, Happening};
use crate::progress;
use crate::scenario::are_kept;
use crate::settings::Settings;
use crate::store::{Batch, Role, StoredValidation};
use crate::{Campaign, CampaignError, Ledger, Sink};

/// Pairs that a validation has at least, if seeds are free.
const LEAST_PAIRS: usize = 20;
/// Numbers of validation trials start here, far from those of the search.
const FIRST: u64 = 1 << 48;

/// How a validation is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    /// Whether it is done when a search has ended.
    pub wanted: bool,
    /// Where trials are stopped, if not at the search's cutoff.
    pub cutoff: Option<f64>,
    /// Measurements of each instance; by default as many as make enough pairs.
    pub seeds: Option<u32>,
    /// Campaign seconds that it may take.
    pub budget: Option<f64>,
    /// Whether it is a part of a verdict over several folds: every instance is then measured as often as
    /// in the other folds, and the default is measured even if nothing better was found.
    pub of_fold: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self { wanted: true, cutoff: None, seeds: None, budget: None, of_fold: false }
    }
}

/// Whether a trial is one of a validation rather than of a search.
pub fn is_of_validation(id: TrialId) -> bool {
    id.0 >= FIRST
}

/// What is minimised in the validation.
pub fn objective(settings: &Settings) -> Objective {
    let own = &settings.problem.objective;
    // Where nothing is capped, there is no cutoff to raise.
    let cutoff = own.cutoff.map(|cutoff| settings.validation.cutoff.unwrap_or(cutoff));
    Objective { cutoff, ..own.clone() }
}

/// What is validated on.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// How these pairs relate to the training.
    pub basis: Basis,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

/// The pairs to validate on: unseen instances if there are any (numbered after the training's), else
/// fresh seeds; none if the target has no use for seeds.
pub fn plan(settings: &Settings, unseen: u32) -> Plan {
    let train = settings.problem.instances;
    let deterministic = settings.racing.deterministic;
    let (basis, instances) = match unseen {
        0 if deterministic => return Plan { basis: Basis::TrainingOnly, pairs: Vec::new() },
        0 => (Basis::FreshSeeds, 0..train),
        unseen => (Basis::UnseenInstances, train..train + unseen),
    };
    let rounds = match settings.validation.seeds {
        _ if deterministic => 1,
        Some(seeds) => seeds as usize,
        // Together the folds have all instances.
        None if settings.validation.of_fold => LEAST_PAIRS.div_ceil((train + unseen) as usize),
        None => LEAST_PAIRS.div_ceil(instances.len()),
    };
    // A trial stopped at another cutoff says something else: it has another seed.
    let raised =
        settings.validation.cutoff.filter(|&raised| settings.problem.objective.cutoff != Some(raised));
    let mut rng = Rng::new(settings.problem.seed, "validation", raised.map_or(0, f64::to_bits));
    let mut pairs = Vec::new();
    for _ in 0..rounds {
        for instance in instances.clone() {
            let seed = Seed((rng.bits() >> 33) as u32);
            pairs.push(Pair { instance: InstanceId(instance), seed });
        }
    }
    Plan { basis, pairs }
}

/// One of the two configurations.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its number.
    pub config: ConfigId,
    /// Its values.
    pub configuration: Configuration,
}

/// What is to be validated.
pub struct Validation<'a> {
    /// On what.
    pub plan: &'a Plan,
    /// What the user would have run.
    pub default: Candidate,
    /// What the search found.
    pub incumbent: Candidate,
    /// The campaign's settings.
    pub settings: &'a Settings,
    /// The names of instances.
    pub names: &'a dyn Fn(InstanceId) -> String,
    /// What an earlier session has measured: it is not measured again.
    pub measured: &'a [StoredValidation],
}

/// What one of the two told on a pair.
#[derive(Clone, PartialEq, Debug)]
struct Told {
    cost: f64,
    status: Status,
    constraints: Readings,
}

/// What a trial told of the outputs that constraints bound.
pub(crate) type Readings = Box<[Option<Reading>]>;

/// The pairs that were measured with the default and with the best.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OnBoth {
    /// Their costs.
    pub validated: Vec<Validated>,
    /// What the default and the best told there of the constraints.
    pub(crate) readings: Vec<[Readings; 2]>,
}

/// What the default and the best have shown of each constraint on the pairs of a validation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BothHoldings {
    /// The default.
    pub default: Vec<Holding>,
    /// The best.
    pub tuned: Vec<Holding>,
}

/// What may be said of a validation.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Of the costs.
    pub verdict: Verdict,
    /// Of the constraints.
    pub holdings: BothHoldings,
}

impl OnBoth {
    fn push(&mut self, instance: InstanceId, default: Told, tuned: Told) {
        let measured = Measured { instance, default: default.cost, tuned: tuned.cost };
        self.validated.push(Validated::new(measured, default.status, tuned.status));
        self.readings.push([default.constraints, tuned.constraints]);
    }

    /// The pairs that the training knows both on.
    fn of_training(history: &History, objective: &Objective, default: ConfigId, tuned: ConfigId) -> Self {
        let common = history.readings(default).filter_map(|(pair, own)| {
            let other = history.reading(tuned, pair)?;
            let exact = |trial: &Trial| objective.compared(&trial.observation).exact().is_some();
            (exact(own) && exact(other)).then(|| [own, other].map(|it| it.observation.constraints().into()))
        });
        let validated = progress::both_known(history, objective, default, tuned);
        Self { validated, readings: common.collect() }
    }

    /// These pairs and others.
    pub fn join(&mut self, other: &Self) {
        self.validated.extend_from_slice(&other.validated);
        self.readings.extend_from_slice(&other.readings);
    }

    /// What both have shown of each constraint.
    pub fn holdings(&self, constraints: &[Constraint]) -> BothHoldings {
        let of = |place: usize| {
            let mut tally = Tally::default();
            self.readings.iter().for_each(|both| tally.take_in_readings(&both[place]));
            tally.holdings(constraints)
        };
        BothHoldings { default: of(0), tuned: of(1) }
    }
}

/// The pairs of a plan that have been measured with the default and with the best before, in its order.
/// Where the best is the default, each of its costs stands against itself: the ratio there is 1, as it is
/// for whoever keeps the default. `names` are those of the instances by number.
pub fn recorded(
    plan: &Plan,
    names: &[&String],
    best: ConfigId,
    measured: &[StoredValidation],
    penalty: f64,
) -> OnBoth {
    let find = |pair: &Pair, role: Role, config: ConfigId| {
        let fits = |row: &&StoredValidation| {
            row.role == role
                && row.config == config
                && row.seed == pair.seed
                && names.get(pair.instance.index()).is_some_and(|name| **name == row.instance)
        };
        let row = measured.iter().find(fits)?;
        let solved = row.status == Status::Finished;
        let cost = row.cost.filter(|_| solved).map_or(penalty, Reading::lower_bound);
        Some(Told { cost, status: row.status, constraints: row.constraints.clone() })
    };
    let role_of_best = if best == ConfigId(0) { Role::Default } else { Role::Incumbent };
    let mut both = OnBoth::default();
    for pair in &plan.pairs {
        let found = find(pair, Role::Default, ConfigId(0)).zip(find(pair, role_of_best, best));
        if let Some((default, tuned)) = found {
            both.push(pair.instance, default, tuned);
        }
    }
    both
}

/// The verdict on a search that has ended, with `unseen` instances after those of the training; `None`
/// if its incumbent is the default or infeasible, or if nothing could be compared.
pub fn conclude(
    campaign: &mut Campaign<'_>,
    settings: &Settings,
    unseen: u32,
    names: &dyn Fn(InstanceId) -> String,
    measured: &[StoredValidation],
    sink: Sink<'_>,
) -> Result<Option<Judged>, CampaignError> {
    let (default, incumbent) = (ConfigId(0), campaign.optimizer().incumbent());
    if incumbent == default && !settings.validation.of_fold {
        return Ok(None);
    }
    let objective = &settings.problem.objective;
    let history = campaign.optimizer().history();
    // Nobody would use it, however fast it is.
    if !are_kept(&progress::holdings(history, objective, incumbent)) && !settings.validation.of_fold {
        return Ok(None);
    }
    let training = progress::compare(history, objective, default, incumbent);
    let plan = plan(settings, unseen);
    let validated = if plan.basis == Basis::TrainingOnly {
        OnBoth::of_training(history, objective, default, incumbent)
    } else {
        let candidate = |config| Candidate { config, configuration: history.configuration(config).clone() };
        let (default, incumbent) = (candidate(default), candidate(incumbent));
        let validation = Validation { plan: &plan, default, incumbent, settings, names, measured };
        let (executor, ledger, deadline) = campaign.after();
        validate(&validation, executor, ledger, deadline, sink)?
    };
    if incumbent == ConfigId(0) {
        return Ok(None);
    }
    let training = training.and_then(|both| both.ratio);
    let mut rng = Rng::new(settings.problem.seed, "verdict", 0);
    let holdings = validated.holdings(&objective.constraints);
    let verdict = judge(&validated.validated, plan.basis, training, &mut rng).ok();
    Ok(verdict.map(|verdict| Judged { verdict, holdings }))
}

/// Runs both on all pairs; pairs that were not run with both, because of an interruption or a deadline, are
/// left out. If both are the same, it runs once and is compared with itself.
pub fn validate(
    validation: &Validation<'_>,
    executor: &mut dyn Executor,
    ledger: &mut Ledger,
    mut deadline: Option<&mut Deadline>,
    sink: Sink<'_>,
) -> Result<OnBoth, CampaignError> {
    let Validation { plan, default, incumbent, settings, names, measured } = validation;
    let mut order = order(plan, settings.problem.seed);
    let are_two = default.config != incumbent.config;
    order.retain(|&(_, role)| are_two || role == Role::Default);
    let objective = &objective(settings);
    let request = |(pair, role): (usize, Role), number: usize| {
        let candidate = if role == Role::Default { default } else { incumbent };
        TrialRequest {
            id: TrialId(FIRST + number as u64),
            key: TrialKey { config: candidate.config, pair: plan.pairs[pair] },
            configuration: candidate.configuration.clone(),
            cap: objective.full_cap(),
            why: Why::Incumbent,
        }
    };
    let mut costs: BTreeMap<(usize, bool), Told> = BTreeMap::new();
    for (place, pair) in plan.pairs.iter().enumerate() {
        for row in measured.iter().filter(|row| row.seed == pair.seed && row.instance == names(pair.instance))
        {
            let candidate = if row.role == Role::Default { default } else { incumbent };
            if row.config == candidate.config {
                let cost = match row.status {
                    Status::Finished => row.cost.map_or(objective.penalty(), Reading::lower_bound),
                    _ => objective.penalty(),
                };
                let told = Told { cost, status: row.status, constraints: row.constraints.clone() };
                costs.insert((place, row.role == Role::Incumbent), told);
            }
        }
    }
    order.retain(|&(pair, role)| !costs.contains_key(&(pair, role == Role::Incumbent)));
    let request = |number: usize| request(order[number], number);
    let (mut next, mut out, mut done) = (0, 0, 0);
    let mut interrupted = false;
    let end = settings.validation.budget.map(|budget| executor.now() + budget);
    while done < order.len() {
        while !interrupted && next < order.len() && out < executor.workers() {
            let request = request(next);
            let (now, longest) = (executor.now(), executor.longest(&request));
            if deadline.as_mut().is_some_and(|deadline| !deadline.affords(now, longest)) {
                break;
            }
            executor.submit(&request, None);
            (next, out) = (next + 1, out + 1);
        }
        if out == 0 {
            break;
        }
        let now = executor.now();
        let ends = [end.map(|end| (end - now).max(0.0)), deadline.as_ref().map(|end| end.left(now))];
        let left = ends.into_iter().flatten().reduce(f64::min).filter(|_| !interrupted);
        if left == Some(0.0) {
            if let Some(deadline) = &mut deadline {
                deadline.note_what_runs(now);
            }
            interrupted = true;
            out -= cancel(executor, next);
            continue;
        }
        match executor.next(left) {
            Happening::Ended(ended) => {
                // In simulated time trials of the search are still running.
                let Some(number) = ended.id.0.checked_sub(FIRST) else { continue };
                let number = number as usize;
                (out, done) = (out - 1, done + 1);
                let (pair, role) = order[number];
                // One that was stopped shows nothing about those that may end.
                if let Some(deadline) = deadline.as_mut().filter(|_| !interrupted) {
                    deadline.learn(&ended);
                }
                if !interrupted && let Some(row) = row(&request(number), role, &ended, names) {
                    let cost = objective.compared(&row.observation).lower_bound();
                    let constraints = row.observation.constraints().into();
                    let told = Told { cost, status: row.observation.status(), constraints };
                    costs.insert((pair, role == Role::Incumbent), told);
                    ledger.note(Batch { validations: vec![row.stored], ..Batch::default() })?;
                }
                sink(&Event { at: executor.now(), what: What::Validating { done, of: order.len() } });
            }
            Happening::Committed(outcome) => ledger.committed(outcome)?,
            Happening::Interrupted => {
                interrupted = true;
                out -= cancel(executor, next);
            }
            Happening::Started { .. } | Happening::Nothing => {}
        }
    }
    let mut both = OnBoth::default();
    for (place, pair) in plan.pairs.iter().enumerate() {
        if let Some((default, tuned)) = costs.get(&(place, false)).zip(costs.get(&(place, are_two))) {
            both.push(pair.instance, default.clone(), tuned.clone());
        }
    }
    Ok(both)
}

/// Pairs and roles in the order of running.
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

/// Cancels what runs of the first `count` trials; gives how many will not be heard of again.
fn cancel(executor: &mut dyn Executor, count: usize) -> usize {
    (0..count).filter(|&number| executor.cancel(TrialId(FIRST + number as u64))).count()
}

struct Row {
    observation: engine::Observation,
    stored: StoredValidation,
}

fn row(
    request: &TrialRequest,
    role: Role,
    ended: &Ended,
    names: &dyn Fn(InstanceId) -> String,
) -> Option<Row> {
    let account = ended.account.as_ref().ok()?;
    let observation = account.observation.clone();
    let stored = StoredValidation {
        role,
        config: request.key.config,
        instance: names(request.key.pair.instance),
        seed: request.key.pair.seed,
        status: observation.status(),
        cost: observation.cost(),
        cpu: account.detail.cpu,
        wall: Some(account.detail.wall),
        constraints: observation.constraints().into(),
    };
    Some(Row { observation, stored })
}

#[cfg(test)]
mod tests {
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
