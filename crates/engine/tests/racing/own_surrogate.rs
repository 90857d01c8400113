//! Checks that the surrogate in the example passes the suite for surrogates and is better than random search.

use engine::Status;
use engine::propose::RandomSearch;
use surrogate::testkit::conforms;

#[allow(dead_code, unreachable_pub, reason = "the example has its own main function")]
#[path = "../../examples/own_surrogate.rs"]
mod example;

use example::{best, optimise, problem, proposer};

#[test]
fn the_example_conforms() {
    for blur in [0.001, 0.01] {
        conforms(&example::Near { blur }, false);
    }
}

#[test]
fn it_is_better_than_random_proposals_in_the_same_races() {
    let (mut wins, mut ratio) = (0, 1.0);
    for seed in 1..=8 {
        let problem = problem(seed).unwrap();
        let near = optimise(&problem, proposer(&problem)).unwrap();
        let chance = Box::new(RandomSearch::new(problem.space.clone(), seed));
        let random = optimise(&problem, chance).unwrap();
        let stopped = near.history().count(Status::Capped);
        assert!(stopped > 15, "too few stopped trials to learn from: {stopped}");
        let [near, random] = [near, random].map(|one| best(&problem, &one));
        println!("seed {seed}: {near:.4} {random:.4}, {stopped} stopped");
        wins += usize::from(near < random);
        ratio *= random / near;
    }
    assert!(wins >= 6 && ratio > 4.0, "{wins} wins, {ratio}");
}

#[test]
fn the_same_seed_gives_the_same_trials_and_another_seed_different_ones() {
    let run = |seed| {
        let problem = problem(seed).unwrap();
        optimise(&problem, proposer(&problem)).unwrap()
    };
    let (one, again, other) = (run(3), run(3), run(4));
    assert_eq!(one.history().configurations(), again.history().configurations());
    assert_eq!(one.history().trials(), again.history().trials());
    assert_ne!(one.history().configurations(), other.history().configurations());
    let ids = (0..one.history().configurations().len() as u32).map(engine::ConfigId);
    let by_it = ids.filter(|&id| one.origin(id) == "near").count();
    assert!(by_it > 20, "the surrogate proposed only {by_it} configurations");
}
