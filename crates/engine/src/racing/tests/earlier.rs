//! Races with the trials of an earlier campaign.

use surrogate::Reading;

use super::*;
use crate::history::Trial;
use crate::problem::constraint::{Constraint, Over};
use crate::trial::{Pair, TrialKey};

#[test]
fn an_earlier_incumbent_races_again_without_repeating_known_trials() {
    let mut optimizer = arena(3, Objective::capped(CUTOFF), 1);
    tens(&mut optimizer, 3);
    let loser = run(&mut optimizer);
    finish(&mut optimizer, &loser, 2.0);
    for cost in [25.0, 52.0] {
        let request = run(&mut optimizer);
        assert_eq!(request.key.config, loser.key.config);
        optimizer.tell(request.id, Observation::finished(cost)).unwrap();
    }
    let winner = second_batch(&mut optimizer);
    for _ in 0..2 {
        let request = run(&mut optimizer);
        finish(&mut optimizer, &request, 2.0);
    }
    assert_eq!(optimizer.incumbent(), winner);
    let mut history = optimizer.history().clone();
    let known = history.trials().len() as u64;

    let space = history.configuration(winner).space().clone();
    let default = space.default_configuration();
    let objective = Objective::capped(CUTOFF);
    let problem = Problem { space: space.clone(), default, objective, instances: 3, seed: 1 };
    let racing = Racing { slack: 1.3, min_pairs: 1, max_pairs: 3, deterministic: true, ..STEADY };
    let racer = CappedRacer::new(problem, racing, &mut history);
    let mut again = Optimizer::new(history, Box::new(racer), Box::new(Counting(space)));
    assert_eq!((again.incumbent(), again.incumbent_pairs()), (ConfigId(0), 3));
    let new = run(&mut again);
    assert_eq!(again.incumbent(), winner);
    assert_eq!((new.key.config, new.id), (ConfigId(3), TrialId(known)));
}

/// Returns an optimizer with the earlier trials of configurations 0, 1, 2, …, each with its cost and its output on the
/// first pairs.
fn with_earlier_trials(constraint: Constraint, trials: &[&[(f64, f64)]]) -> Optimizer {
    let space = read("a = { integer = [0, 50], default = 0 }\n", "space", Format::Toml).unwrap();
    let default = space.default_configuration();
    let objective = Objective { constraints: vec![constraint], ..Objective::capped(CUTOFF) };
    let problem = Problem { space: space.clone(), default, objective, instances: 3, seed: 1 };
    let mut in_order = arena(3, Objective::capped(CUTOFF), 1);
    let pairs: Vec<Pair> = (0..3).map(|_| run(&mut in_order).key.pair).collect();
    let mut history = History::new();
    for (a, known) in (0..).zip(trials) {
        let config = history.intern(&space.configuration([("a", i64::from(a).into())]).unwrap());
        for (&pair, &(cost, output)) in pairs.iter().zip(*known) {
            let id = TrialId(history.trials().len() as u64);
            let observation =
                Observation::finished(cost).with_constraints(vec![Some(Reading::Exact(output))]);
            let key = TrialKey { config, pair };
            history.push(Trial { id, key, cap: Cap::at(CUTOFF), why: Why::Challenge, observation });
        }
    }
    let racing = Racing { deterministic: true, ..STEADY };
    let racer = CappedRacer::new(problem, racing, &mut history);
    Optimizer::new(history, Box::new(racer), Box::new(Counting(space)))
}

/// On the only pair of the default, the first configuration is lucky, but on all pairs the second one is the best.
const LUCKY_AND_BETTER: [&[(f64, f64)]; 3] =
    [&[(10.0, 1.0)], &[(2.0, 1.0), (90.0, 1.0), (90.0, 1.0)], &[(5.0, 1.0), (5.0, 1.0), (5.0, 1.0)]];

#[test]
fn an_earlier_incumbent_keeps_all_pairs_on_which_it_is_known() {
    let mut optimizer = with_earlier_trials(Constraint::new(2.0, Over::Mean), &LUCKY_AND_BETTER);
    assert_eq!((optimizer.incumbent(), optimizer.incumbent_pairs()), (ConfigId(0), 1));
    run(&mut optimizer);
    assert_eq!((optimizer.incumbent(), optimizer.incumbent_pairs()), (ConfigId(2), 3));
}

#[test]
fn an_earlier_incumbent_keeps_only_pairs_of_the_baseline_that_a_bound_refers_to() {
    let mut optimizer = with_earlier_trials(Constraint::relative(1.02, Over::Mean), &LUCKY_AND_BETTER);
    run(&mut optimizer);
    assert_eq!((optimizer.incumbent(), optimizer.incumbent_pairs()), (ConfigId(1), 1));
}

/// The first configuration satisfies the bound on the pair of the race, but not on the others that it knows.
#[test]
fn the_default_races_again_if_an_earlier_incumbent_is_infeasible_on_its_other_pairs() {
    let infeasible: &[(f64, f64)] = &[(2.0, 1.0), (2.0, 9.0), (2.0, 9.0)];
    let mut optimizer = with_earlier_trials(Constraint::new(2.0, Over::Mean), &[&[(10.0, 1.0)], infeasible]);
    let again = run(&mut optimizer);
    assert_eq!((optimizer.incumbent(), optimizer.incumbent_pairs()), (ConfigId(1), 3));
    assert_eq!((again.key.config, again.why), (ConfigId(0), Why::Challenge));
}
