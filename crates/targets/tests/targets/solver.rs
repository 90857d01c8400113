//! SAPS on formulas.

use math::Rng;
use targets::formula::{Formula, Literal};
use targets::saps::{STEPS_BETWEEN_CHECKS, Saps, solve, solve_while, space};
use targets::{Quasigroup, dimacs};

/// Returns a formula with three random literals per clause. A planted assignment satisfies all clauses.
fn planted(variables: u32, clauses: usize, seed: u64) -> Formula {
    let mut rng = Rng::new(seed, "planted", 0);
    let hidden: Vec<bool> = (0..variables).map(|_| rng.below(2) == 0).collect();
    let mut formula = Formula::new(variables);
    while formula.clause_count() < clauses {
        let clause: Vec<Literal> = (0..3)
            .map(|_| {
                let variable = rng.below(variables as usize) as u32;
                if rng.below(2) == 0 { Literal::positive(variable) } else { Literal::negative(variable) }
            })
            .collect();
        if clause.iter().any(|literal| literal.holds(hidden[literal.variable() as usize])) {
            formula.push(clause);
        }
    }
    formula
}

#[test]
fn easy_formulas_are_solved() {
    let mut formulas: Vec<Formula> = (1..6).map(|seed| planted(100, 380, seed)).collect();
    formulas.extend((1..6).map(|seed| Quasigroup { order: 14, holes: 95, seed }.formula()));
    for (index, formula) in formulas.iter().enumerate() {
        for seed in 0..3 {
            let outcome = solve(formula, &Saps::default(), seed, 1_000_000);
            assert!(formula.is_satisfied_by(&outcome.solved.unwrap()), "formula {index}, seed {seed}");
        }
    }
}

#[test]
fn every_corner_of_the_space_works() {
    let formula = Quasigroup { order: 12, holes: 70, seed: 1 }.formula();
    for corner in 0..16 {
        let pick = |bit: u32, low, high| if corner >> bit & 1 == 0 { low } else { high };
        let saps = Saps {
            alpha: pick(0, 1.0, 1.4),
            rho: pick(1, 0.0, 1.0),
            ps: pick(2, 0.0, 0.2),
            wp: pick(3, 0.0, 0.06),
        };
        let outcome = solve(&formula, &saps, 1, 20_000);
        let may_be_stuck = saps.alpha == 1.0;
        assert!(outcome.solved.is_some() || may_be_stuck, "{saps:?}");
        assert!(outcome.solved.is_some() || outcome.steps == 20_000);
    }
}

#[test]
fn the_seed_determines_the_outcome() {
    let formula = Quasigroup { order: 16, holes: 115, seed: 1 }.formula();
    let outcome = |seed| solve(&formula, &Saps::default(), seed, 20_000);
    assert_eq!(outcome(1), outcome(1));
    let steps: Vec<u64> = (1..5).map(|seed| outcome(seed).steps).collect();
    assert!(steps.iter().any(|&other| other != steps[0]), "{steps:?}");
}

/// A campaign that is repeated a year later must get the same costs.
#[test]
fn steps_match_the_recorded_ones() {
    let steps = |order, holes, seed| {
        let formula = Quasigroup { order, holes, seed }.formula();
        [1, 2, 3].map(|run| solve(&formula, &Saps::default(), run, 1_000_000).steps)
    };
    assert_eq!([steps(14, 95, 1), steps(16, 125, 2)], RECORDED);
}

const RECORDED: [[u64; 3]; 2] = [[1832, 574, 750], [9519, 473, 1088]];

#[test]
fn a_search_ends_at_its_cutoff_or_on_request() {
    let contradiction = dimacs::read("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n").unwrap();
    let outcome = solve(&contradiction, &Saps::default(), 1, 12_345);
    assert_eq!((outcome.steps, outcome.solved), (12_345, None));
    let mut asked = Vec::new();
    let outcome = solve_while(&contradiction, &Saps::default(), 1, u64::MAX, |steps| {
        asked.push(steps);
        steps < 10_000
    });
    assert_eq!(outcome.steps, 3 * STEPS_BETWEEN_CHECKS);
    assert_eq!(asked, [0, 1, 2, 3].map(|n| n * STEPS_BETWEEN_CHECKS));
    assert_eq!(outcome.solved, None);
}

#[test]
fn degenerate_formulas_are_accepted() {
    let outcome = |text: &str| solve(&dimacs::read(text).unwrap(), &Saps::default(), 1, 1000);
    assert_eq!(outcome("p cnf 0 0\n").solved, Some(vec![]), "nothing to satisfy");
    assert_eq!(outcome("p cnf 0 1\n0\n").solved, None, "an empty clause");
    assert_eq!(outcome("p cnf 2 2\n1 0\n0\n").solved, None);
    assert_eq!(outcome("p cnf 2 3\n1 1 0\n-2 -2 -2 0\n1 -1 2 0\n").solved, Some(vec![true, false]));
    assert_eq!(outcome("p cnf 1 1\n1 -1 0\n").steps, 0, "a clause that always holds");
}

#[test]
fn the_space_has_the_defaults_of_the_method() {
    let space = space();
    assert_eq!(Saps::from_configuration(&space.default_configuration()), Saps::default());
    let bounds: Vec<_> =
        space.parameters().iter().map(|p| p.range().unwrap().fixed_bounds().unwrap()).collect();
    assert_eq!(bounds, [(1.0, 1.4), (0.0, 1.0), (0.0, 0.2), (0.0, 0.06)]);
    let mut rng = Rng::new(1, "saps", 0);
    for _ in 0..100 {
        let saps = Saps::from_configuration(&space.sample(&mut rng).unwrap());
        assert!(saps.check().is_ok() && saps != Saps::default());
    }
}
