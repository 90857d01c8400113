//! What a tuner requests and finds.

use captune::{Ask, Bound, Learner, Objective, Outcome, Reading, Requested, Search, Status, Tuner};

use crate::{capped, cost, space};

fn is_send<T: Send>(_: &T) {}

#[test]
fn a_race_with_caps_finds_a_good_configuration_and_stops_bad_ones() {
    let mut tuner = Tuner::builder(space()).cutoff(30.0).instances(5).seed(3).build().unwrap();
    is_send(&tuner);
    tuner.run(150, capped).unwrap();
    assert_eq!(tuner.trials(), 150);
    let best = tuner.best();
    assert!(best.cost.unwrap() < 2.2 && best.pairs >= 5, "{best:?}");
    assert!(tuner.history().count(Status::Capped) > 10);
    assert_eq!(tuner.origin(captune::ConfigId(0)), "default");
}

#[test]
fn costs_are_maximised_with_the_callers_sign() {
    let mut tuner =
        Tuner::builder(space()).objective(Objective::Maximise).deterministic(true).build().unwrap();
    tuner.run(60, |trial| 100.0 - cost(trial)).unwrap();
    let best = tuner.best();
    assert!(best.cost.unwrap() > 98.0, "{best:?}");
    let forecasts = (0..60).filter_map(|number| tuner.forecast(captune::ConfigId(number)));
    let forecasts: Vec<_> = forecasts.collect();
    assert!(!forecasts.is_empty());
    assert!(forecasts.iter().all(|one| one.cost > 0.0 && one.low <= one.cost && one.cost <= one.high));
}

#[test]
fn bounds_from_below_hold_and_outputs_have_the_callers_sign() {
    let bound = Bound::at_least(5.0);
    let mut tuner = Tuner::builder(space()).deterministic(true).constraint("size", bound).build().unwrap();
    tuner
        .run(60, |trial| {
            let depth = trial.configuration.number("depth").unwrap();
            Outcome::finished(cost(trial)).with_output("size", depth)
        })
        .unwrap();
    let best = tuner.best();
    assert!(best.is_feasible() && best.configuration.number("depth") == Some(5.0), "{best:?}");
    assert_eq!(best.outputs[0].value, Some(Reading::Exact(5.0)));
}

#[test]
fn a_requested_configuration_races_next_and_its_origin_is_given() {
    let mut tuner = Tuner::builder(space()).deterministic(true).build().unwrap();
    tuner.run(1, cost).unwrap();
    let wanted = tuner.space().configuration([("depth", 7.into()), ("kind", "plain".into())]).unwrap();
    let (id, requested) = tuner.enqueue(&wanted).unwrap();
    assert_eq!(requested, Requested::Next);
    let Ask::Run(next) = tuner.ask(1) else { panic!("no trial") };
    assert_eq!((next.configuration.clone(), tuner.origin(id)), (wanted, "given"));
    assert_eq!(tuner.running().count(), 1);
    tuner.withdraw(next.id).unwrap();
    assert_eq!(tuner.running().count(), 0);
}

#[test]
fn costs_reached_by_running_trials_lower_caps_or_cancel_trials() {
    let mut tuner = Tuner::builder(space()).cutoff(1000.0).instances(8).pairs(4..=8).build().unwrap();
    // The incumbent costs 1 on every pair.
    let mut running = Vec::new();
    let mut orders = 0;
    for _ in 0..60 {
        while running.len() < 4 {
            match tuner.ask(4 - running.len()) {
                Ask::Run(trial) if trial.key.config.0 == 0 => tuner.tell(trial.id, 1.0).unwrap(),
                Ask::Run(trial) => running.push(trial.id),
                Ask::Tighten(..) => orders += 1,
                Ask::Cancel(id) => {
                    orders += 1;
                    running.retain(|other| *other != id);
                    tuner.tell(id, Outcome::stopped(0.5)).unwrap();
                }
                Ask::Wait | Ask::Done(_) => break,
            }
        }
        let reached: Vec<_> = running.iter().map(|id| (*id, 3.0)).collect();
        tuner.elapsed(&reached);
        assert!(tuner.patience().is_none_or(|more| more >= 0.0));
        while let ask @ (Ask::Tighten(..) | Ask::Cancel(_)) = tuner.ask(0) {
            orders += 1;
            if let Ask::Cancel(id) = ask {
                running.retain(|other| *other != id);
                tuner.tell(id, Outcome::stopped(3.0)).unwrap();
            }
        }
        std::mem::take(&mut running)
            .into_iter()
            .for_each(|id| tuner.tell(id, Outcome::stopped(3.0)).unwrap());
    }
    assert!(orders > 5, "{orders} orders");
}

#[test]
fn every_search_finds_something_and_is_named() {
    let learners = [Learner::Forest, Learner::Gaussian].map(|learner| (learner.word(), None, Some(learner)));
    let plain = [("random", Some(Search::Random), None), ("local", Some(Search::Local), None)];
    for (word, search, learner) in learners.into_iter().chain(plain) {
        let mut builder = Tuner::builder(space()).deterministic(true);
        builder = search.into_iter().fold(builder, |builder, search| builder.search(search));
        builder = learner.into_iter().fold(builder, |builder, learner| builder.learner(learner));
        let mut tuner = builder.build().unwrap();
        tuner.run(40, cost).unwrap();
        let origins: Vec<_> = (0..40).map(|number| tuner.origin(captune::ConfigId(number))).collect();
        assert!(origins.contains(&word), "{word}: {origins:?}");
    }
}

#[test]
fn a_small_space_is_tried_completely() {
    let space = captune::read_space("x = { integer = [1, 5] }", "small", captune::Format::Toml).unwrap();
    let mut tuner = Tuner::builder(space).deterministic(true).build().unwrap();
    tuner.run(100, |trial| trial.configuration.number("x").unwrap()).unwrap();
    assert_eq!((tuner.trials(), tuner.best().cost), (5, Some(1.0)));
    assert!(matches!(tuner.ask(1), Ask::Done(_)));
}
