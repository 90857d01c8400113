//! What the default and the best told on the pairs of a validation.

use std::collections::HashMap;

use engine::history::{History, Trial};
use engine::racing::constraint::Tally;
use engine::racing::{Constraint, Holding, Objective};
use engine::stats::{Measured, Validated};
use engine::{ConfigId, Observation, Pair, Reading, Seed};

use super::Plan;
use crate::progress;
use store::StoredValidation;

/// What a trial told of the outputs that constraints bound.
pub(crate) type Readings = Box<[Option<Reading>]>;

/// What has been measured before, to be looked up by pair. Lost trials are not in it; of several measurements of one
/// pair the last counts.
pub(super) struct Known<'a>(HashMap<(ConfigId, &'a str, Seed), &'a Observation>);

impl<'a> Known<'a> {
    pub(super) fn of(measured: &'a [StoredValidation], objective: &Objective) -> Self {
        let telling = measured.iter().filter_map(|row| {
            let observation = &row.record.trial.observation;
            objective.known(observation).map(|_| (row.key(), observation))
        });
        Self(telling.collect())
    }

    pub(super) fn find(&self, config: ConfigId, instance: &str, seed: Seed) -> Option<&'a Observation> {
        self.0.get(&(config, instance, seed)).copied()
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
    /// A pair, if both have told something there.
    pub(super) fn push(&mut self, pair: Pair, objective: &Objective, [default, tuned]: [&Observation; 2]) {
        let known = objective.known(default).zip(objective.known(tuned));
        let Some((default_cost, tuned_cost)) = known else { return };
        let measured = Measured { instance: pair.instance, default: default_cost, tuned: tuned_cost };
        self.validated.push(Validated::new(measured, default.status(), tuned.status()));
        self.readings.push([default, tuned].map(|told| told.constraints().into()));
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
            let exact = |trial: &Trial| objective.known(&trial.observation).is_some();
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
    objective: &Objective,
) -> OnBoth {
    let known = Known::of(measured, objective);
    let mut both = OnBoth::default();
    for &pair in &plan.pairs {
        let Some(name) = names.get(pair.instance.index()) else { continue };
        let find = |config: ConfigId| known.find(config, name, pair.seed);
        if let Some((default, tuned)) = find(ConfigId(0)).zip(find(best)) {
            both.push(pair, objective, [default, tuned]);
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use engine::stats::Basis;
    use engine::{InstanceId, Status};
    use execution::testkit::record;

    use super::*;

    fn row(config: u32, observation: Observation) -> StoredValidation {
        let record = record(config, 0, 1, observation);
        StoredValidation { instance: "a".to_owned(), record, host: None }
    }

    fn costs(rows: &[StoredValidation]) -> Vec<(f64, f64)> {
        let pairs = vec![Pair { instance: InstanceId(0), seed: Seed(1) }];
        let plan = Plan { basis: Basis::UnseenInstances, pairs };
        let both = recorded(&plan, &[&"a".to_owned()], ConfigId(3), rows, &Objective::capped(5.0));
        both.validated.iter().map(|one| (one.measured.default, one.measured.tuned)).collect()
    }

    #[test]
    fn lost_trials_in_a_store_do_not_count() {
        let tuned = row(3, Observation::finished(0.5));
        let lost = row(0, Observation::failed(Status::Lost, 0.0));
        let crashed = row(0, Observation::failed(Status::Crashed, 0.0));
        let finished = row(0, Observation::finished(0.6));
        assert_eq!(costs(&[lost.clone(), tuned.clone()]), []);
        assert_eq!(costs(&[crashed, tuned.clone()]), [(50.0, 0.5)]);
        assert_eq!(costs(&[lost.clone(), finished.clone(), tuned.clone()]), [(0.6, 0.5)]);
        assert_eq!(costs(&[finished.clone(), lost, tuned.clone()]), [(0.6, 0.5)]);
        assert_eq!(
            costs(&[row(0, Observation::finished(9.0)), finished, tuned]),
            [(0.6, 0.5)],
            "the last counts"
        );
    }
}
