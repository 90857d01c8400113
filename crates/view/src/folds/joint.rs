//! Computes one verdict over all folds, and chooses which of their configurations to use.
//!
//! The pairs of all validations are pooled. Every instance is measured with the baseline and with the best
//! configuration of a campaign that was not tuned on it. So the comparison with the baseline judges the
//! *procedure* (tuning on the other folds with one fold's budget), not a single configuration. A fold that
//! found nothing better, or nothing feasible, keeps the baseline, and its instances count with a ratio of 1. Leaving
//! them out would be too favourable.
//!
//! The configuration to use is the one with the largest gain over the baseline on its own training pairs.
//! Only training results decide, because a configuration chosen by its validation would have no unbiased
//! validation left.

use std::collections::BTreeSet;

use campaign::Settings;
use campaign::progress::{self, TrainingComparison};
use campaign::validation::{self, Judged, OnBoth, Plan};
use engine::problem::Objective;
use engine::stats::{Basis, Measured, Validated, ratio_of_means};
use engine::{ConfigId, InstanceId};
use scenario::are_kept;

use crate::error::ViewError;
use crate::records::Records;

/// The result of a fold.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fold {
    /// Its best configuration; the baseline if its best violates a constraint on its training pairs.
    pub(super) best: ConfigId,
    /// Comparison of the baseline and the best configuration on its training pairs.
    pub(super) training: Option<TrainingComparison>,
    /// Whether its search found nothing that satisfies every constraint on its training pairs.
    pub(super) is_infeasible: bool,
    /// The pairs measured with both configurations.
    pub(super) on_both: OnBoth,
    /// The instance name of each of these pairs.
    pub(super) names: Vec<String>,
    /// Number of pairs planned for its validation.
    pub(super) planned: usize,
}

impl Fold {
    /// Reads the result of a fold's campaign.
    pub(super) fn of(records: &Records<'_>, settings: &Settings) -> Result<Self, ViewError> {
        let (names, test) = (records.names()?, records.kept.scenario()?.instances.test.len());
        let Plan { basis, pairs } = validation::plan(settings, test as u32);
        let pairs = if basis == Basis::UnseenInstances { pairs } else { Vec::new() };
        let (plan, history) = (Plan { basis, pairs }, records.history());
        let (best, is_known) = (records.best(), records.is_known(records.best()));
        let is_infeasible =
            is_known && !are_kept(&progress::holdings(history, &settings.problem.objective, best));
        let (best, objective) =
            (if is_infeasible { ConfigId(0) } else { best }, validation::objective(settings));
        let validated = validation::recorded(&plan, &names, best, records.validations(), &objective);
        let named = |one: &Validated| names[one.measured.instance.index()].clone();
        Ok(Self {
            best,
            is_infeasible,
            training: is_known.then(|| progress::compare(history, settings, ConfigId(0), best)).flatten(),
            names: validated.validated.iter().map(named).collect(),
            on_both: validated,
            planned: plan.pairs.len(),
        })
    }
}

/// Returns the verdict on the procedure, from all pairs that the folds have measured; `None` if there are no
/// such pairs.
pub(super) fn verdict(folds: &[&Fold], objective: &Objective, seed: u64) -> Option<Judged> {
    let names: BTreeSet<&String> = folds.iter().flat_map(|fold| &fold.names).collect();
    let names: Vec<&String> = names.into_iter().collect();
    let mut pooled = OnBoth::default();
    for fold in folds {
        pooled.join(&fold.on_both);
    }
    // The folds number their unseen instances independently, so these numbers are replaced by joint ones.
    for (name, one) in folds.iter().flat_map(|fold| &fold.names).zip(&mut pooled.validated) {
        one.measured.instance = InstanceId(names.binary_search(&name).unwrap_or_default() as u32);
    }
    let training: Option<Vec<Measured>> = folds.iter().zip(0..).map(mean_of_training).collect();
    let training = training.and_then(|means| ratio_of_means(&means).ok());
    Judged::of(&pooled, Basis::UnseenInstances, training, objective, seed)
}

fn mean_of_training((fold, number): (&&Fold, u32)) -> Option<Measured> {
    let both = fold.training?;
    Some(Measured { instance: InstanceId(number), default: both.default, tuned: both.incumbent })
}

/// Returns the index of the fold whose best configuration should be used: the one with the largest gain in training. If
/// several are equal, the first one is used. Returns `None` if every fold keeps the baseline.
pub(super) fn chosen(folds: &[&Fold]) -> Option<usize> {
    let gain = |fold: &Fold| fold.training.and_then(|both| both.ratio).unwrap_or(0.0);
    let found = folds.iter().enumerate().filter(|(_, fold)| fold.best != ConfigId(0));
    let rank = |(_, a): &(usize, &&Fold), (_, b): &(usize, &&Fold)| gain(a).total_cmp(&gain(b));
    found.rev().max_by(rank).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use engine::Status;
    use engine::stats::Claim;

    use super::*;

    fn fold(best: u32, names: &[&str], default: f64, tuned: f64, ratio: f64) -> Fold {
        let measured = Measured { instance: InstanceId(0), default, tuned };
        let one = Validated::new(measured, Status::Finished, Status::Finished);
        let training = TrainingComparison {
            pairs: 5,
            default: ratio,
            incumbent: 1.0,
            ratio: Some(ratio),
            has_enough_pairs: true,
        };
        let mut on_both = OnBoth::default();
        on_both.validated = vec![one; names.len()];
        Fold {
            best: ConfigId(best),
            is_infeasible: false,
            training: Some(training),
            on_both,
            names: names.iter().map(|&name| name.to_owned()).collect(),
            planned: names.len(),
        }
    }

    fn of(folds: &[Fold]) -> Vec<&Fold> {
        folds.iter().collect()
    }

    #[test]
    fn instances_of_different_folds_are_distinguished() {
        // The two folds number their unseen instances independently.
        let folds = [fold(3, &["a", "b", "c"], 4.0, 2.0, 2.0), fold(7, &["d", "e", "f"], 4.0, 2.0, 3.0)];
        let found = verdict(&of(&folds), &Objective::capped(9.0), 1).unwrap().verdict;
        assert_eq!((found.comparison.instances, found.comparison.pairs), (6, 6));
        assert_eq!((found.claim, found.comparison.ratio), (Claim::Faster, 2.0));
        assert_eq!(found.training_ratio, Some(2.5), "the ratio of the folds' means");
        assert_eq!(verdict(&[], &Objective::capped(9.0), 1), None);
    }

    #[test]
    fn a_fold_that_kept_the_baseline_reduces_the_gain() {
        let folds = [fold(3, &["a", "b", "c"], 4.0, 2.0, 2.0), fold(0, &["d", "e", "f"], 4.0, 4.0, 1.0)];
        let found = verdict(&of(&folds), &Objective::capped(9.0), 1).unwrap().verdict;
        assert_eq!((found.comparison.instances, found.comparison.ratio), (6, 8.0 / 6.0));
    }

    #[test]
    fn the_largest_gain_in_training_is_chosen_whatever_the_validation_says() {
        let folds = [
            fold(0, &["a"], 1.0, 1.0, 1.0),
            fold(3, &["b"], 1.0, 0.1, 2.0),
            fold(5, &["c"], 1.0, 5.0, 3.0),
            fold(5, &["d"], 1.0, 1.0, 3.0),
        ];
        assert_eq!(chosen(&of(&folds)), Some(2));
        assert_eq!(chosen(&of(&folds[..1])), None);
    }
}
