//! Ablations with bounds on an output.

use space::Configuration;

use super::{FLAGS, Ran, additive, all_on, flag, path, plan, run_with_output, space};
use crate::ablation::{End, Plan};
use crate::problem::{Constraint, Over};
use crate::trial::{Pair, Seed};

fn bounded(constraint: Constraint) -> Plan {
    let space = space(FLAGS);
    let mut plan = plan(&space, all_on(&space));
    plan.objective.constraints = vec![constraint];
    plan
}

/// The error of a configuration: c adds 3, and d takes it away again. It differs by instance and by seed.
fn error(configuration: &Configuration, pair: Pair) -> f64 {
    let own =
        1.0 + 3.0 * flag(configuration, "c") - 3.0 * flag(configuration, "d").min(flag(configuration, "c"));
    own + 0.1 * f64::from(pair.instance.0 % 3)
}

fn world(configuration: &Configuration, pair: Pair) -> (f64, Option<f64>) {
    (additive(configuration, pair), Some(error(configuration, pair)))
}

#[test]
fn a_change_that_breaks_a_bound_waits_until_another_one_allows_it() {
    let plan = bounded(Constraint::new(2.0, Over::Mean));
    for at_once in [1, 3, 100] {
        let Ran { standing, readings, .. } = run_with_output(&plan, at_once, world);
        // Without the bound, c would come first.
        assert_eq!(path(&plan, &standing), ["a", "e", "b", "d", "c"]);
        assert_eq!(standing.end, Some(End::Enough));
        for step in &standing.steps {
            assert_eq!(plan.violation(&readings, &step.configuration, &plan.pairs), 0.0, "{step:?}");
        }
    }
}

#[test]
fn a_hopeless_candidate_is_dropped_after_its_first_trials() {
    let plan = bounded(Constraint::new(2.0, Over::Max));
    let Ran { trials, .. } = run_with_output(&plan, 1, world);
    let alone = |one: &Configuration| flag(one, "c") == 1.0 && flag(one, "a") + flag(one, "d") == 0.0;
    assert_eq!(trials.iter().filter(|one| alone(&one.configuration)).count(), 1, "one pair proves a maximum");
    let plan = bounded(Constraint::new(2.0, Over::Mean));
    let Ran { trials, .. } = run_with_output(&plan, 1, world);
    assert_eq!(trials.iter().filter(|one| alone(&one.configuration)).count(), 1, "3 is far above all others");
}

#[test]
fn outputs_relative_to_the_baseline_are_divided_by_its_own() {
    let plan = bounded(Constraint::relative(1.5, Over::Mean));
    // The sizes of the instances differ by orders of magnitude, and c doubles all of them unless d is on.
    let size = |configuration: &Configuration, pair: Pair| {
        let doubled = 1.0 + flag(configuration, "c") * (1.0 - flag(configuration, "d"));
        (additive(configuration, pair), Some(doubled * 10f64.powi(pair.instance.0 as i32 % 5)))
    };
    let Ran { standing, trials, .. } = run_with_output(&plan, 1, size);
    assert_eq!(path(&plan, &standing), ["a", "e", "b", "d", "c"]);
    assert_eq!((standing.end, standing.checks.len()), (Some(End::Enough), 1));
    let fresh = |one: &&super::Wanted| one.pair.seed == Seed(2) && one.configuration == plan.baseline;
    assert_eq!(trials.iter().filter(fresh).count(), 16, "the check needs the baseline's outputs");
}

#[test]
fn a_bound_that_breaks_only_on_fresh_pairs_adds_another_change() {
    let plan = bounded(Constraint::new(2.0, Over::Max));
    // On fresh pairs, a alone breaks the bound and needs f.
    let world = |configuration: &Configuration, pair: Pair| {
        let fresh = f64::from(u8::from(pair.seed == Seed(2)));
        let error = 1.0 + 3.0 * fresh * flag(configuration, "a") * (1.0 - flag(configuration, "f"));
        (10.0 - 5.0 * flag(configuration, "a") - 0.01 * flag(configuration, "f"), Some(error))
    };
    let Ran { standing, .. } = run_with_output(&plan, 1, world);
    assert_eq!(path(&plan, &standing), ["a", "f"]);
    assert_eq!(standing.checks.iter().map(|check| check.holds).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn both_ends_of_the_path_must_satisfy_the_bounds() {
    let plan = bounded(Constraint::new(2.0, Over::Mean));
    let with_error = |of_baseline: f64, of_best: f64| {
        let Ran { standing, trials, .. } = run_with_output(&plan, 1, |configuration, pair| {
            let error = if flag(configuration, "a") == 1.0 { of_best } else { of_baseline };
            (additive(configuration, pair), Some(error))
        });
        assert_eq!((standing.steps.len(), trials.len()), (0, 32), "only the two ends are measured");
        standing.end
    };
    assert_eq!(with_error(3.0, 1.0), Some(End::BaselineViolates));
    assert_eq!(with_error(1.0, 3.0), Some(End::BestViolates));
}

#[test]
fn a_candidate_that_keeps_a_bound_by_luck_is_not_preferred() {
    let plan = bounded(Constraint::new(2.0, Over::Mean));
    // Every instance runs with two seeds here; c is exactly on the bound, with noise.
    let mut plan = plan;
    let half: Vec<Pair> = plan.pairs[..8].to_vec();
    plan.pairs = half.iter().flat_map(|&pair| [pair, Pair { seed: Seed(7), ..pair }]).collect();
    plan.fresh = Vec::new();
    let noisy = |configuration: &Configuration, pair: Pair| {
        let luck = if pair.seed == Seed(7) { 0.5 } else { -0.5 };
        let error = 1.0 + (0.99 + luck) * flag(configuration, "c") * (1.0 - flag(configuration, "d"));
        (additive(configuration, pair), Some(error))
    };
    let Ran { standing, .. } = run_with_output(&plan, 1, noisy);
    assert_eq!(path(&plan, &standing), ["a", "e", "b", "d", "c"]);
}
