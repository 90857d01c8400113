//! The examples do what they say.

use captune::testkit::surrogate::conforms;
use captune::{ConfigId, Search, Status, Tuner};

#[allow(dead_code, unreachable_pub, reason = "the example has its own main function")]
#[path = "../../examples/closure.rs"]
mod closure;
#[allow(dead_code, unreachable_pub, reason = "the example has its own main function")]
#[path = "../../examples/own_surrogate.rs"]
mod own_surrogate;
#[allow(dead_code, unreachable_pub, reason = "the example has its own main function")]
#[path = "../../examples/worker_threads.rs"]
mod worker_threads;

#[test]
fn a_closure_is_tuned() {
    let tuner = closure::tuned(120, 1).unwrap();
    let (before, best) = (tuner.standing(ConfigId(0)), tuner.best());
    assert!(best.cost.unwrap() < 0.8 * before.cost.unwrap(), "{before:?} {best:?}");
    assert_eq!(best.configuration.get("pivot").unwrap().to_string(), "median");
}

#[test]
fn threads_stop_their_trials_at_caps_that_change() {
    let mut tuner = worker_threads::builder(1).unwrap().build().unwrap();
    worker_threads::run(&mut tuner, 200).unwrap();
    let (before, best) = (tuner.standing(ConfigId(0)), tuner.best());
    assert!(best.cost.unwrap() < 0.5 * before.cost.unwrap(), "{before:?} {best:?}");
    assert!(tuner.history().count(Status::Capped) > 20);
    let ends = tuner.history().trials().iter().map(|trial| trial.observation.spent());
    assert!(ends.fold(0.0, f64::max) <= worker_threads::CUTOFF);
}

#[test]
fn the_surrogate_conforms() {
    for blur in [0.001, 0.01] {
        conforms(&own_surrogate::Near { blur }, false);
    }
}

fn near(seed: u64) -> Tuner {
    let near = own_surrogate::Near { blur: 0.001 };
    own_surrogate::tuned(&own_surrogate::builder(seed).unwrap().surrogate("near", near)).unwrap()
}

#[test]
fn the_surrogate_is_better_than_random_proposals_in_the_same_races() {
    let (mut wins, mut ratio) = (0, 1.0);
    for seed in 1..=8 {
        let near = near(seed);
        let stopped = near.history().count(Status::Capped);
        assert!(stopped > 15, "too few stopped trials to learn from: {stopped}");
        let random = own_surrogate::builder(seed).unwrap().search(Search::Random);
        let random = own_surrogate::tuned(&random).unwrap();
        let [near, random] = [near, random].map(|one| one.best().cost.unwrap());
        wins += usize::from(near < random);
        ratio *= random / near;
    }
    assert!(wins >= 6 && ratio > 4.0, "{wins} wins, {ratio}");
}

#[test]
fn most_configurations_are_proposed_by_the_surrogate() {
    let (one, again, other) = (near(3), near(3), near(4));
    assert_eq!(one.history().trials(), again.history().trials());
    assert_ne!(one.history().configurations(), other.history().configurations());
    let ids = (0..one.history().configurations().len() as u32).map(ConfigId);
    let by_it = ids.filter(|&id| one.origin(id) == "near").count();
    assert!(by_it > 20, "the surrogate proposed only {by_it} configurations");
}
