//! The pages of a report, computed from an artificial campaign.

use campaign::event::{Event, What};
use engine::propose::Forecast;
use engine::racing::Drop;
use engine::{Cap, ConfigId, Observation, Status, Why};
use store::{Batch, StoredEvent};
use view::pages::{Lifetime, Pages, kaplan_meier};
use view::{Kept, Records};

use crate::stage::{SCENARIO, Stage, best, cost, trials};

fn event(at: f64, what: What) -> StoredEvent {
    let Ok(serde_json::Value::Object(tagged)) = serde_json::to_value(&what) else { unreachable!() };
    let (kind, fields) = tagged.into_iter().next().unwrap();
    let stored = StoredEvent { at, kind, text: fields.to_string() };
    assert_eq!(Event::of_stored(&stored), Some(Event { at, what }));
    stored
}

/// A campaign with a winner, a capped challenger, a failure and a forecast.
pub(crate) fn campaign() -> Stage {
    let stage = Stage::new(SCENARIO);
    let told = [
        (0, cost(4.0, 1.0)),
        (0, cost(2.0, 1.0)),
        (1, cost(1.0, 2.0)),
        (1, cost(2.0, 2.0)),
        (2, Observation::capped(3.0).with_constraints([None])),
        (3, Observation::failed(Status::Crashed, 0.5).with_constraints([None])),
    ];
    let mut records = trials(&told);
    for (record, at) in records.iter_mut().zip(0_u8..) {
        (record.started, record.ended) = (f64::from(at), f64::from(at) + 0.5);
        record.trial.cap = Cap::at(5.0);
        record.trial.why = Why::Challenge;
    }
    let foretold = Some(Forecast { cost: 2.0, low: 1.0, high: 4.0 });
    let config = ConfigId(2);
    let batch = Batch {
        configurations: stage.configurations(&[5, 3, 9, 1]),
        trials: records,
        incumbents: vec![best(1, 4, 1.5)],
        validations: stage.validations(SCENARIO),
        events: vec![
            event(3.0, What::RaceOpened { config, foretold }),
            event(4.5, What::RaceDropped { config, pairs: 0, why: Drop::Sum }),
        ],
        ..Batch::default()
    };
    stage.session(batch, "interrupted");
    stage
}

pub(crate) fn pages(stage: &Stage) -> Pages {
    let kept = Kept::open(&stage.folder).unwrap();
    let mut pages = Pages::of(&Records::of(&kept).unwrap()).unwrap();
    // These depend on the machine and the time.
    pages.overview.picture.sessions.clear();
    pages.overview.picture.hosts = vec!["here".to_owned()];
    pages
}

#[test]
fn pages_are_plain_data() {
    let mut pages = pages(&campaign());
    assert!(pages.overview.command.as_ref().unwrap().contains("true"));
    pages.redact();
    insta::assert_snapshot!(serde_json::to_string_pretty(&pages).unwrap());
}

#[test]
fn readings_keep_their_kind_on_every_page() {
    let pages = pages(&campaign());
    let capped = pages.search.trials.shown.iter().find(|one| one.configuration == 2).unwrap();
    assert_eq!((capped.cost, capped.censored), (Some(3.0), true));
    let failed = pages.trials.rows.shown.iter().find(|one| one.configuration == 3).unwrap();
    assert_eq!((failed.cost, failed.status), (None, "crashed"));
    let tried = pages.search.tried.shown.iter().find(|one| one.configuration == 1).unwrap();
    assert_eq!((tried.relative, tried.censored, tried.pairs), (Some(0.5), false, 2));
    let dropped = &pages.races.races.shown[0];
    assert_eq!((dropped.outcome, dropped.ended, dropped.cap), ("sum", Some(4.5), Some(5.0)));
    let bounded = pages.bounded.as_ref().unwrap();
    // Configurations 2 and 3 have no value of the constrained output.
    assert_eq!((bounded.feasible, bounded.infeasible, bounded.unknown), (2, 0, 2));
    assert!(
        bounded
            .configurations
            .shown
            .iter()
            .all(|one| one.feasible == (one.configuration < 2).then_some(true))
    );
    let foretold = &pages.forecasts.foretold.shown[0];
    // At least 3 where the default takes 4; the default's mean is 3.
    assert_eq!((foretold.measured, foretold.censored), (2.25, true));
    let stage = campaign();
    let validated = stage.validations(SCENARIO).len() / 2;
    assert_eq!(pages.duel.pairs.iter().filter(|pair| pair.unseen).count(), validated);
}

/// The numbers were computed with `KaplanMeierFitter().fit(times, exact)` of lifelines 0.30.3.
#[test]
#[allow(clippy::unreadable_literal, reason = "recorded numbers")]
fn survival_agrees_with_lifelines() {
    let times = [0.5, 1.2, 1.2, 2.0, 2.0, 2.5, 3.1, 3.1, 4.0, 4.4, 5.0, 5.0];
    let exact = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0];
    let lifetimes: Vec<Lifetime> =
        times.iter().zip(exact).map(|(&time, exact)| Lifetime { time, censored: exact == 0 }).collect();
    let expected: &[[f64; 4]] = &[
        [0.5, 0.916666666667, 0.538977180571, 0.9878255654],
        [1.2, 0.833333333333, 0.481714942195, 0.955509365728],
        [2.0, 0.648148148148, 0.309662227017, 0.851797512335],
        [2.5, 0.648148148148, 0.309662227017, 0.851797512335],
        [3.1, 0.432098765432, 0.14101049208, 0.69807565549],
        [4.0, 0.432098765432, 0.14101049208, 0.69807565549],
        [4.4, 0.288065843621, 0.052763943369, 0.59066461028],
        [5.0, 0.288065843621, 0.052763943369, 0.59066461028],
    ];
    let steps = kaplan_meier(&lifetimes);
    assert_eq!(steps.len(), expected.len());
    for (step, &[time, share, low, high]) in steps.iter().zip(expected) {
        assert_eq!(step.time, time);
        for (own, theirs) in [(step.share, share), (step.low, low), (step.high, high)] {
            assert!((own - theirs).abs() < 1e-9, "{step:?} {theirs}");
        }
    }
}
