//! A tuner that is saved and loaded continues as if it had never stopped.

use captune::{Ask, Bound, LoadError, Objective, Outcome, TrialRequest, Tuner, TunerBuilder};

use crate::{capped, cost, space};

/// Returns the requests of a tuner: configurations, pairs and caps.
fn requests(tuner: &mut Tuner, count: usize, answer: impl Fn(&TrialRequest) -> Outcome) -> Vec<String> {
    let mut requests = Vec::new();
    tuner
        .run(count, |trial| {
            requests.push(format!("{} {:?} {:?}", trial.configuration, trial.key, trial.cap));
            answer(trial)
        })
        .unwrap();
    requests
}

fn check(builder: &TunerBuilder, answer: impl Fn(&TrialRequest) -> Outcome) {
    let mut whole = builder.build().unwrap();
    let expected = requests(&mut whole, 50, &answer);
    for stop in [0, 17, 40] {
        let mut first = builder.build().unwrap();
        let mut found = requests(&mut first, stop, &answer);
        // A trial that is running when the tuner is saved is running when it is loaded.
        let running = match first.ask(1) {
            Ask::Run(trial) => vec![trial],
            _ => Vec::new(),
        };
        let mut second = builder.load(&first.save().unwrap()).unwrap();
        assert_eq!(second.running().cloned().collect::<Vec<_>>(), running);
        found.extend(requests(&mut second, 50 - stop, &answer));
        assert_eq!(found, expected, "stopped after {stop}");
        assert_eq!(second.best(), whole.best());
        assert_eq!(second.save().unwrap(), whole.save().unwrap());
    }
}

#[test]
fn a_capped_race_continues() {
    check(&Tuner::builder(space()).cutoff(30.0).instances(3).seed(5), capped);
}

#[test]
fn a_search_by_a_gaussian_process_continues() {
    check(&Tuner::builder(space()).deterministic(true).trials(50), |trial| cost(trial).into());
}

#[test]
fn relative_bounds_are_saved_as_they_were_reported() {
    let bound = Bound::at_most(0.8).relative();
    let builder = Tuner::builder(space()).instances(2).constraint("size", bound);
    check(&builder, |trial| {
        let depth = trial.configuration.number("depth").unwrap();
        Outcome::finished(cost(trial)).with_output("size", 3.0 * depth)
    });
}

#[test]
fn a_state_of_other_settings_or_none_at_all_is_refused() {
    let builder = Tuner::builder(space()).instances(2);
    let mut tuner = builder.build().unwrap();
    tuner.run(5, cost).unwrap();
    let saved = tuner.save().unwrap();
    assert!(builder.load(&saved).is_ok());
    let other = |builder: TunerBuilder| builder.load(&saved).err().unwrap().to_string();
    assert!(other(builder.clone().instances(3)).contains("another `instances`"));
    let differs =
        "the state was saved with `seed` = 1, but this tuner has 2; build it with the same settings";
    assert_eq!(other(builder.clone().seed(2)), differs);
    assert!(other(builder.clone().cutoff(9.5)).contains("`cutoff` = none, but this tuner has 9.5"));
    assert!(other(builder.clone().par(2.0)).contains("`par` = 10, but this tuner has 2"));
    assert!(other(builder.clone().grain(0.5)).contains("`grain` = 0, but this tuner has 0.5"));
    assert!(other(builder.clone().objective(Objective::Maximise)).contains("`objective` = minimise"));
    let bounded = |bound| builder.clone().constraint("size", bound);
    assert!(
        other(bounded(Bound::at_most(1.0))).contains("`constraint` = none, but this tuner has size <= 1;")
    );
    let strict = bounded(Bound::at_most(1.0).on_every_pair()).build().unwrap().save().unwrap();
    for bound in [
        Bound::at_most(1.0),
        Bound::at_most(2.0).on_every_pair(),
        Bound::at_least(1.0).on_every_pair(),
        Bound::at_most(1.0).on_every_pair().relative(),
    ] {
        let error = bounded(bound).load(&strict).err().unwrap().to_string();
        let both = format!("`constraint` = size <= 1 on every pair, but this tuner has size {bound};");
        assert!(error.contains(&both), "{error}");
    }
    let baseline = space().configuration([("depth", 7.into()), ("kind", "plain".into())]).unwrap();
    assert!(other(builder.clone().baseline(baseline)).contains("another `baseline`"));
    let line = captune::read_space("x = { float = [0, 1] }", "other", captune::Format::Toml).unwrap();
    assert!(other(Tuner::builder(line)).contains("another `space`"));
    assert!(other(builder.clone().slack(0.0)).contains("`slack` is 0"));
    assert!(matches!(builder.load(b"no state").err(), Some(LoadError::Read(_))));
    assert!(matches!(builder.load(&saved[..saved.len() / 2]).err(), Some(LoadError::Read(_))));
    let later = [&[0x81, 0xa6][..], b"format", &[9]].concat();
    assert!(matches!(builder.load(&later).err(), Some(LoadError::Later(9))));
}
