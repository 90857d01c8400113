//! Suggestions without a tuner.

use captune::{Bound, Configuration, Known, Objective, Outcome, Reading, Tuner, read_space, suggest};

use crate::space;

/// Returns the cost of a configuration.
fn cost(configuration: &Configuration) -> f64 {
    let rate = configuration.number("rate").map_or(3.0, |rate| (rate.log10() + 2.0).abs());
    1.0 + rate + (configuration.number("depth").unwrap() - 4.0).abs()
}

#[test]
fn suggestions_depend_only_on_the_arguments_and_lead_to_the_minimum() {
    let space = space();
    let mut readings: Vec<(Configuration, Reading)> = Vec::new();
    for number in 0..40 {
        let next = suggest(&space, &readings, 2).unwrap().unwrap();
        if number % 13 == 0 {
            assert_eq!(suggest(&space, &readings, 2).unwrap().as_ref(), Some(&next));
        }
        assert!(readings.iter().all(|(known, _)| *known != next), "{next} was suggested twice");
        // Every fourth trial is stopped.
        let cost = cost(&next);
        let reading =
            if number % 4 == 3 && cost > 3.0 { Reading::AtLeast(3.0) } else { Reading::Exact(cost) };
        readings.push((next, reading));
    }
    let best = readings.iter().filter_map(|(_, reading)| reading.exact()).fold(f64::INFINITY, f64::min);
    assert!(best < 1.2, "{best}");
    assert_ne!(suggest(&space, &readings, 3), suggest(&space, &readings, 2), "the seed matters");
}

#[test]
fn pending_configurations_are_not_suggested_again() {
    let builder = Tuner::builder(space()).deterministic(true);
    let (mut known, mut pending) = (Vec::new(), Vec::new());
    for number in 0..30 {
        let next = builder.suggest(&known, &pending).unwrap().unwrap();
        assert!(!pending.contains(&next) && known.iter().all(|one: &Known| one.configuration != next));
        if number < 20 {
            let outcome = cost(&next).into();
            known.push(Known { configuration: next, instance: 0, outcome });
        } else {
            pending.push(next);
        }
    }
}

#[test]
fn bounds_and_failures_steer_suggestions() {
    let builder = Tuner::builder(space())
        .objective(Objective::Maximise)
        .deterministic(true)
        .constraint("depth", Bound::at_least(6.0));
    let mut known: Vec<Known> = Vec::new();
    let depth = |configuration: &Configuration| configuration.number("depth").unwrap();
    for _ in 0..45 {
        let configuration = builder.suggest(&known, &[]).unwrap().unwrap();
        let plain = configuration.get("kind").unwrap().to_string() == "plain";
        let finished = Outcome::finished(-cost(&configuration)).with_output("depth", depth(&configuration));
        let outcome = if plain { Outcome::crashed() } else { finished };
        known.push(Known { configuration, instance: 0, outcome });
    }
    let late = &known[20..];
    let good = |one: &&Known| depth(&one.configuration) >= 6.0 && one.configuration.number("rate").is_some();
    let share = late.iter().filter(good).count() as f64 / late.len() as f64;
    assert!(share > 0.6, "{share}");
}

#[test]
fn an_exhausted_space_has_no_suggestion() {
    let space = read_space("x = { integer = [1, 3] }", "small", captune::Format::Toml).unwrap();
    let mut readings = Vec::new();
    while let Some(next) = suggest(&space, &readings, 1).unwrap() {
        readings.push((next, Reading::Exact(1.0)));
    }
    assert_eq!(readings.len(), 3);
}
