//! What the default and the best told on the pairs of a validation.

use std::collections::HashMap;

use engine::history::{History, Trial};
use engine::racing::constraint::Tally;
use engine::racing::{Constraint, Holding, Objective};
use engine::stats::{Measured, Validated};
use engine::{ConfigId, InstanceId, Pair, Reading, Seed, Status};

use super::Plan;
use crate::progress;
use crate::store::{Role, StoredValidation};

/// What one of the two told on a pair.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Told {
    cost: f64,
    status: Status,
    constraints: Readings,
}

/// What a trial told of the outputs that constraints bound.
pub(crate) type Readings = Box<[Option<Reading>]>;

/// The compared cost of a validation's trial; `None` if it was lost, which says nothing of its configuration.
pub fn compared_cost(row: &StoredValidation, penalty: f64) -> Option<f64> {
    if row.status.says_nothing() {
        return None;
    }
    let is_solved = row.status == Status::Finished;
    Some(row.cost.filter(|_| is_solved).map_or(penalty, Reading::lower_bound))
}

impl Told {
    /// What a trial told; `None` if it was lost.
    pub(super) fn of(row: &StoredValidation, penalty: f64) -> Option<Self> {
        let cost = compared_cost(row, penalty)?;
        Some(Self { cost, status: row.status, constraints: row.constraints.clone() })
    }
}

/// What has been measured before, to be looked up by pair. Lost trials are not in it.
pub(super) struct Known<'a>(HashMap<(Role, ConfigId, &'a str, Seed), Told>);

impl<'a> Known<'a> {
    pub(super) fn of(measured: &'a [StoredValidation], penalty: f64) -> Self {
        let telling = measured.iter().filter_map(|row| {
            let key = (row.role, row.config, row.instance.as_str(), row.seed);
            Some((key, Told::of(row, penalty)?))
        });
        Self(telling.collect())
    }

    pub(super) fn find(&self, role: Role, config: ConfigId, instance: &str, seed: Seed) -> Option<Told> {
        self.0.get(&(role, config, instance, seed)).cloned()
    }
}

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

impl OnBoth {
    pub(super) fn push(&mut self, instance: InstanceId, default: Told, tuned: Told) {
        let measured = Measured { instance, default: default.cost, tuned: tuned.cost };
        self.validated.push(Validated::new(measured, default.status, tuned.status));
        self.readings.push([default.constraints, tuned.constraints]);
    }

    /// The pairs that the training knows both on.
    pub(super) fn of_training(
        history: &History,
        objective: &Objective,
        default: ConfigId,
        tuned: ConfigId,
    ) -> Self {
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
    let known = Known::of(measured, penalty);
    let find = |pair: &Pair, role: Role, config: ConfigId| {
        let name = names.get(pair.instance.index())?;
        known.find(role, config, name, pair.seed)
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

#[cfg(test)]
mod tests {
    use super::*;
    use engine::stats::Basis;

    fn row(role: Role, config: u32, status: Status, cost: Option<Reading>) -> StoredValidation {
        StoredValidation {
            role,
            config: ConfigId(config),
            instance: "a".to_owned(),
            seed: Seed(1),
            status,
            cost,
            cpu: None,
            wall: None,
            constraints: Box::default(),
        }
    }

    fn costs(rows: &[StoredValidation]) -> Vec<(f64, f64)> {
        let pairs = vec![Pair { instance: InstanceId(0), seed: Seed(1) }];
        let plan = Plan { basis: Basis::UnseenInstances, pairs };
        let both = recorded(&plan, &[&"a".to_owned()], ConfigId(3), rows, 50.0);
        both.validated.iter().map(|one| (one.measured.default, one.measured.tuned)).collect()
    }

    #[test]
    fn lost_trials_in_a_store_do_not_count() {
        let tuned = row(Role::Incumbent, 3, Status::Finished, Some(Reading::Exact(0.5)));
        let lost = row(Role::Default, 0, Status::Lost, None);
        let crashed = row(Role::Default, 0, Status::Crashed, None);
        let finished = row(Role::Default, 0, Status::Finished, Some(Reading::Exact(0.6)));
        assert_eq!(costs(&[lost.clone(), tuned.clone()]), []);
        assert_eq!(costs(&[crashed, tuned.clone()]), [(50.0, 0.5)]);
        assert_eq!(costs(&[lost.clone(), finished.clone(), tuned.clone()]), [(0.6, 0.5)]);
        assert_eq!(costs(&[finished, lost, tuned]), [(0.6, 0.5)]);
    }
}
