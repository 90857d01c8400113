//! The results of the default and the best configuration on the pairs of a validation.

use std::collections::{BTreeSet, HashMap};

use engine::history::{History, Trial, rated};
use engine::problem::constraint::Tally;
use engine::problem::{Constraint, Holding, Objective};
use engine::stats::{Measured, Validated};
use engine::{ConfigId, InstanceId, Observation, Pair, Reading, Seed};
use store::StoredValidation;

use super::{Plan, Terms};
use crate::progress;

/// The readings of one trial's constrained outputs.
pub(crate) type Readings = Box<[Option<Reading>]>;

/// Keeps the trials that can be compared with trials on the machine `host`. If costs are times, these are the
/// trials from the same machine and those from an unknown machine; otherwise, all trials are kept. If `host`
/// is `None`, the machine of the last trial is used.
pub fn comparable(
    mut measured: Vec<StoredValidation>,
    terms: &Terms,
    host: Option<&str>,
) -> Vec<StoredValidation> {
    let last = || measured.iter().rev().find_map(|row| row.host.clone());
    if let (true, Some(host)) = (terms.are_times, host.map(str::to_owned).or_else(last)) {
        measured.retain(|row| row.host.as_ref().is_none_or(|own| *own == host));
    }
    measured
}

/// Earlier measurements, by configuration and pair, in order. Lost trials are left out.
pub(super) struct Known<'a>(HashMap<(ConfigId, &'a str, Seed), Vec<&'a StoredValidation>>);

impl<'a> Known<'a> {
    pub(super) fn of(measured: &'a [StoredValidation], objective: &Objective) -> Self {
        let mut known: HashMap<_, Vec<_>> = HashMap::new();
        for row in measured {
            if objective.known(&row.record.trial.observation).is_some() {
                known.entry(row.key()).or_default().push(row);
            }
        }
        Self(known)
    }

    /// Returns the last measurement.
    pub(super) fn find(&self, config: ConfigId, instance: &str, seed: Seed) -> Option<&'a StoredValidation> {
        self.0.get(&(config, instance, seed))?.last().copied()
    }

    /// Returns the measurement of `default` on the same pair that belongs to a measurement of another configuration:
    /// the last one of its session or an earlier session, or else the first one. A later session may have measured
    /// the default again beside a third configuration, under another load of the machine.
    pub(super) fn beside(&self, default: ConfigId, own: &StoredValidation) -> Option<&'a StoredValidation> {
        let (_, instance, seed) = own.key();
        let all = self.0.get(&(default, instance, seed))?;
        all.iter().rev().find(|row| row.session <= own.session).or(all.first()).copied()
    }
}

/// The pairs measured with both the default and the best configuration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OnBoth {
    /// The costs of both configurations on each pair.
    pub validated: Vec<Validated>,
    /// The readings of the constrained outputs on each pair, for the default and for the best configuration.
    pub(crate) readings: Vec<[Readings; 2]>,
    /// Number of configurations compared with the default on these pairs so far, including this one.
    pub(crate) candidates: usize,
    /// The machines that ran the trials, if known.
    pub(crate) hosts: BTreeSet<String>,
}

/// The results of the default and the best configuration for each constraint, on the pairs of a validation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BothHoldings {
    /// The default's result for each constraint.
    pub default: Vec<Holding>,
    /// The best configuration's result for each constraint.
    pub tuned: Vec<Holding>,
}

impl OnBoth {
    /// Adds a pair if the costs of both configurations are known.
    pub(super) fn push(&mut self, pair: Pair, objective: &Objective, [default, tuned]: [&Observation; 2]) {
        let known = objective.known(default).zip(objective.known(tuned));
        let Some((default_cost, tuned_cost)) = known else { return };
        let measured = Measured { instance: pair.instance, default: default_cost, tuned: tuned_cost };
        self.validated.push(Validated::new(measured, default.status(), tuned.status()));
        // A relative constraint refers to the default's outputs on the same pair.
        let unit = default.constraints();
        let rate = |told: &Observation| rated(&objective.constraints, told.constraints(), unit).into();
        self.readings.push([rate(default), rate(tuned)]);
    }

    /// Counts the configurations that were compared with the default on pairs of the plan.
    pub(super) fn looked_at(
        &mut self,
        measured: &[StoredValidation],
        best: ConfigId,
        plan: &Plan,
        name: &dyn Fn(InstanceId) -> String,
    ) {
        let pairs: BTreeSet<(String, Seed)> =
            plan.pairs.iter().map(|pair| (name(pair.instance), pair.seed)).collect();
        let here = |row: &&StoredValidation| pairs.contains(&(row.instance.clone(), row.key().2));
        let all = measured.iter().filter(here).map(|row| row.key().0).chain([best]);
        let all: BTreeSet<ConfigId> = all.filter(|&config| config != ConfigId(0)).collect();
        self.candidates = self.candidates.max(all.len());
    }

    /// Returns the training pairs on which the costs of both configurations are known.
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
        Self { validated, readings: common.collect(), ..Self::default() }
    }

    /// Adds the pairs of another set.
    pub fn join(&mut self, other: &Self) {
        self.validated.extend_from_slice(&other.validated);
        self.readings.extend_from_slice(&other.readings);
        self.candidates = self.candidates.max(other.candidates);
        self.hosts.extend(other.hosts.iter().cloned());
    }

    /// Returns the results of both configurations for each constraint.
    pub fn holdings(&self, constraints: &[Constraint]) -> BothHoldings {
        let of = |place: usize| {
            let mut tally = Tally::default();
            self.readings.iter().for_each(|both| tally.add_readings(&both[place]));
            tally.holdings(constraints)
        };
        BothHoldings { default: of(0), tuned: of(1) }
    }
}

/// Returns the pairs of a plan that have been measured with both the default and another configuration, with the
/// measurements of both, in the order of the plan. If a pair was measured several times with the other
/// configuration, the last measurement counts. `names` are the names of the instances by number.
pub fn measured_on_both<'a>(
    plan: &Plan,
    names: &[&String],
    config: ConfigId,
    measured: &'a [StoredValidation],
    objective: &Objective,
) -> Vec<(Pair, [&'a StoredValidation; 2])> {
    let known = Known::of(measured, objective);
    let on_both = |&pair: &Pair| {
        let own = known.find(config, names.get(pair.instance.index())?, pair.seed)?;
        let default = if config == ConfigId(0) { own } else { known.beside(ConfigId(0), own)? };
        Some((pair, [default, own]))
    };
    plan.pairs.iter().filter_map(on_both).collect()
}

/// Returns the pairs of a plan that have already been measured with both the default and the best
/// configuration, in the order of the plan. If the best configuration is the default, its costs are compared
/// with themselves, so the ratio is 1. `names` are the names of the instances by number.
pub fn recorded(
    plan: &Plan,
    names: &[&String],
    best: ConfigId,
    measured: &[StoredValidation],
    objective: &Objective,
) -> OnBoth {
    let mut both = OnBoth::default();
    let name = |id: InstanceId| names.get(id.index()).map_or_else(String::new, |name| (*name).clone());
    both.looked_at(measured, best, plan, &name);
    for (pair, rows) in measured_on_both(plan, names, best, measured, objective) {
        both.push(pair, objective, rows.map(|row| &row.record.trial.observation));
        both.hosts.extend(rows.into_iter().filter_map(|row| row.host.clone()));
    }
    both
}

#[cfg(test)]
mod tests {
    use engine::Status;
    use engine::stats::Basis;
    use execution::testkit::record;

    use super::*;

    fn row(config: u32, observation: Observation) -> StoredValidation {
        let record = record(config, 0, 1, observation);
        StoredValidation { instance: "a".to_owned(), record, host: None, session: None }
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
            "the last measurement counts"
        );
    }

    #[test]
    fn the_default_is_compared_as_it_was_measured_beside_the_configuration() {
        let in_session = |session, config, cost| StoredValidation {
            session: Some(session),
            ..row(config, Observation::finished(cost))
        };
        let (first, best) = (in_session(1, 0, 2.0), in_session(1, 3, 1.0));
        // The default was measured again beside configuration 4.
        let others = [in_session(2, 0, 4.0), in_session(2, 4, 3.0)];
        let all = [&[best.clone(), first.clone()][..], &others].concat();
        assert_eq!(costs(&all), [(2.0, 1.0)]);
        // An interrupted validation measured the default in a later session.
        assert_eq!(costs(&[best, in_session(2, 0, 2.5)]), [(2.5, 1.0)]);
        // A later session measured only the best configuration again.
        assert_eq!(costs(&[first, in_session(1, 3, 1.0), in_session(3, 3, 1.5)]), [(2.0, 1.5)]);
    }

    #[test]
    fn times_of_other_machines_do_not_count_and_other_costs_do() {
        let on = |host: Option<&str>, cost| StoredValidation {
            host: host.map(str::to_owned),
            ..row(0, Observation::finished(cost))
        };
        let all = vec![on(Some("a"), 1.0), on(None, 2.0), on(Some("b"), 3.0), on(Some("a"), 4.0)];
        let costs = |are_times, host| {
            let kept = comparable(all.clone(), &Terms { are_times, ..Terms::default() }, host);
            let cost = |row: &StoredValidation| row.record.trial.observation.cost().unwrap().lower_bound();
            kept.iter().map(cost).collect::<Vec<f64>>()
        };
        assert_eq!(costs(true, Some("b")), [2.0, 3.0]);
        assert_eq!(costs(true, None), [1.0, 2.0, 4.0], "the trials from the last machine");
        assert_eq!(costs(false, Some("b")), [1.0, 2.0, 3.0, 4.0]);
    }
}
