//! Checks the laws of racing in random worlds.

use engine::history::History;
use engine::problem::Problem;
use engine::racing::{CappedRacer, Racer, Racing, Snapshot};
use engine::testkit::World;
use engine::testkit::racer::{capping_changes_nothing, conforms};

fn make(problem: Problem, racing: Racing, history: &mut History) -> Box<dyn Racer> {
    Box::new(CappedRacer::new(problem, racing, history))
}

/// Restores a racer from serialised bytes, as a store does.
fn restore(problem: Problem, racing: Racing, snapshot: Snapshot, history: &History) -> Box<dyn Racer> {
    let bytes = postcard::to_allocvec(&snapshot).unwrap();
    let again: Snapshot = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(again, snapshot);
    Box::new(CappedRacer::restore(problem, racing, again, history))
}

#[test]
fn the_racer_conforms() {
    let seen = conforms(&make, &restore, (0..400).map(World::random));
    println!("{seen:?}");
    assert!(
        seen.repeated > 50 && seen.tightened > 1000 && seen.cancelled > 500,
        "{seen:?}: too few events to test the laws"
    );
    assert!(seen.returned > 100, "{seen:?}: too few events to test the laws");
    assert!(
        seen.overtaken > 100 && seen.restored > 500 && seen.exhausted > 50,
        "{seen:?}: too few events to test the laws"
    );
}

#[test]
fn the_incumbent_gains_its_pairs_if_the_default_is_expensive_and_others_are_lucky() {
    let seen = conforms(&make, &restore, (0..60).map(World::adversarial));
    assert!(seen.promoted > 60 && seen.trials > 10_000, "{seen:?}: too few events to test the laws");
}

#[test]
fn the_racer_conforms_if_a_constraint_is_relative_to_the_default() {
    let seen = conforms(&make, &restore, (0..200).map(World::relative));
    assert!(seen.promoted > 100 && seen.restored > 200, "{seen:?}: too few events to prove the laws");
}

#[test]
fn capping_does_not_change_the_winners() {
    let (winners, capped) = capping_changes_nothing(&make, 0..1000, 40);
    assert!(
        winners > 1000 && capped > 10_000,
        "{winners} winners and {capped} capped trials are too few to test the law"
    );
    // The races are long enough for former incumbents to return more than once.
    capping_changes_nothing(&make, 1000..1400, 150);
}

#[test]
#[ignore = "takes minutes; run it in a release build after changes to the racer"]
fn the_laws_hold_in_many_more_worlds() {
    conforms(&make, &restore, (1000..20_000).map(World::random));
    conforms(&make, &restore, (0..2000).map(World::adversarial));
    let (winners, capped) = capping_changes_nothing(&make, 1000..10_000, 150);
    println!("{winners} challengers won, {capped} trials were capped");
}
