//! Races with bounds on other outputs.

use super::*;
use crate::racing::constraint::{Constraint, Over};
use crate::reading::Reading;

fn with_constraint(over: Over) -> Objective {
    Objective { constraints: vec![Constraint::new(1.0, over)], ..Objective::capped(CUTOFF) }
}

fn output(cost: f64, value: f64) -> Observation {
    Observation::finished(cost).with_constraints(vec![Some(Reading::Exact(value))])
}

#[test]
fn nothing_is_capped_before_the_incumbent_is_feasible() {
    let mut optimizer = arena(2, with_constraint(Over::Mean), 1);
    for _ in 0..2 {
        let request = run(&mut optimizer);
        optimizer.tell(request.id, output(1.0, 3.0)).unwrap();
    }
    // Slower, feasible: it wins, and now there are caps.
    for _ in 0..2 {
        let request = run(&mut optimizer);
        assert_eq!((request.key.config, request.cap), (ConfigId(1), Cap::at(CUTOFF)));
        optimizer.tell(request.id, output(9.0, 0.5)).unwrap();
    }
    assert_eq!(optimizer.incumbent(), ConfigId(1));
    let request = run(&mut optimizer);
    close(request.cap, 1.3 * 9.0 + GRAIN);
    // Faster, infeasible: perhaps more pairs will tell otherwise, but they do not.
    optimizer.tell(request.id, output(1.0, 1.5)).unwrap();
    let second = run(&mut optimizer);
    assert_eq!(second.key.config, request.key.config);
    optimizer.tell(second.id, output(1.0, 1.5)).unwrap();
    assert_eq!(optimizer.incumbent(), ConfigId(1));
    assert!(optimizer.news().contains(&News::Dropped(ConfigId(2), 2, Drop::Constraint)));
}

#[test]
fn an_incumbent_that_looks_feasible_on_one_pair_does_not_judge_by_cost() {
    let (mut optimizer, request) = first(|seed| {
        let mut optimizer = arena(2, with_constraint(Over::Mean), seed);
        for _ in 0..2 {
            let request = run(&mut optimizer);
            let value = [0.5, 9.0][request.key.pair.instance.0 as usize];
            optimizer.tell(request.id, output(1.0, value)).unwrap();
        }
        let request = run(&mut optimizer);
        (request.key.pair.instance.0 == 0).then_some((optimizer, request))
    });
    optimizer.tell(request.id, output(50.0, 0.5)).unwrap();
    let next = run(&mut optimizer);
    assert_eq!(next.key.config, request.key.config, "feasible beats infeasible, whatever it costs");
    // Of two infeasible ones the one that violates less is better.
    optimizer.tell(next.id, output(50.0, 8.0)).unwrap();
    assert_eq!(optimizer.incumbent(), request.key.config);
}

#[test]
fn one_violation_of_a_maximum_is_enough() {
    let mut optimizer = arena(3, with_constraint(Over::Max), 1);
    for _ in 0..3 {
        let request = run(&mut optimizer);
        optimizer.tell(request.id, output(10.0, 0.5)).unwrap();
    }
    let request = run(&mut optimizer);
    optimizer.tell(request.id, output(1.0, 0.5)).unwrap();
    let (a, b) = (run(&mut optimizer), run(&mut optimizer));
    optimizer.tell(a.id, output(1.0, 1.1)).unwrap();
    assert!(optimizer.news().contains(&News::Dropped(request.key.config, 2, Drop::Constraint)));
    assert_eq!(optimizer.ask(0), Ask::Cancel(b.id));
}

/// An arena of one instance, of which the incumbent gains seed after seed.
fn long_arena() -> Optimizer {
    let racing = Racing { slack: 1.3, min_pairs: 1, max_pairs: 50, deterministic: false };
    arena_with(1, with_constraint(Over::Mean), 1, racing)
}

/// Runs the next trial, with what it costs and what is constrained, as far as its cap lets it.
fn step(optimizer: &mut Optimizer, told: impl Fn(ConfigId) -> (f64, f64)) -> ConfigId {
    let request = run(optimizer);
    let (cost, value) = told(request.key.config);
    let cap = request.cap.cost();
    let observation = if cost > cap { Observation::capped(cap) } else { output(cost, value) };
    optimizer.tell(request.id, observation).unwrap();
    request.key.config
}

#[test]
fn whoever_is_feasible_returns_when_the_incumbent_no_longer_is() {
    let mut optimizer = long_arena();
    let mut met = 0;
    while optimizer.incumbent() != ConfigId(1) {
        step(&mut optimizer, |config| [(10.0, 0.5), (1.0, 0.9)][config.index()]);
    }
    // All that follows of the fast one is too large; others are worse than both.
    while optimizer.incumbent() == ConfigId(1) {
        met += 1;
        assert!(met < 12, "it is infeasible and still the best");
        step(&mut optimizer, |config| match config.0 {
            0 => (10.0, 0.5),
            1 => (1.0, 1.5),
            _ => (20.0, 9.0),
        });
    }
    assert_eq!(optimizer.incumbent(), ConfigId(0));
}

#[test]
fn a_feasible_successor_goes_before_a_fast_one() {
    let mut optimizer = long_arena();
    let told = |config: ConfigId| match config.0 {
        0 => (9.0, 0.5),
        1 => (3.0, 0.5),
        // On every pair, and so on as many as anybody: a mean may still be mended.
        2 => (1.0, 1.0 + f64::EPSILON),
        _ => (50.0, 5.0),
    };
    while step(&mut optimizer, told) != ConfigId(3) {}
    assert_eq!(optimizer.incumbent(), ConfigId(1));
    loop {
        let request = run(&mut optimizer);
        if request.key.config == ConfigId(1) {
            optimizer.tell(request.id, Observation::failed(Status::Wrong, 1.0)).unwrap();
            break;
        }
        let (cost, value) = told(request.key.config);
        let cap = request.cap.cost();
        let observation = if cost > cap { Observation::capped(cap) } else { output(cost, value) };
        optimizer.tell(request.id, observation).unwrap();
    }
    assert_eq!(optimizer.incumbent(), ConfigId(0), "the third is faster, but infeasible");
}
