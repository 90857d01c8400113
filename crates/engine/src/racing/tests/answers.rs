//! Wrong answers, timeouts with tie-breakers, and lost trials.

use super::*;

#[test]
fn tie_breakers_decide_when_all_pairs_time_out() {
    for (tie, wins) in [(Some(3.0), true), (Some(4.0), true), (Some(5.0), false), (None, false)] {
        let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
        let mut time_out = |tie: Option<f64>| {
            let request = run(&mut optimizer);
            optimizer.tell(request.id, Observation::timeout(CUTOFF).with_tie(tie)).unwrap();
            request.key.config
        };
        assert_eq!([time_out(Some(4.0)), time_out(Some(4.0))], [ConfigId(0); 2]);
        time_out(tie);
        // A challenger that loses in the first batch is dropped, and the next one races.
        assert_eq!(time_out(tie), ConfigId(if wins { 1 } else { 2 }), "{tie:?}");
        assert_eq!(optimizer.incumbent(), ConfigId(u32::from(wins)), "{tie:?}");
    }
}

fn wrong(optimizer: &mut Optimizer, request: &TrialRequest) {
    optimizer.tell(request.id, Observation::failed(Status::Wrong, 0.5)).unwrap();
}

#[test]
fn a_wrong_answer_ends_a_race_whatever_the_incumbent_does() {
    let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
    for _ in 0..2 {
        let request = run(&mut optimizer);
        optimizer.tell(request.id, Observation::failed(Status::Crashed, 0.5)).unwrap();
    }
    let challenge = run(&mut optimizer);
    wrong(&mut optimizer, &challenge);
    assert!(optimizer.news().contains(&News::Dropped(ConfigId(1), 0, Drop::Wrong)));
    assert!(optimizer.history().is_barred(ConfigId(1)));
    assert_eq!(run(&mut optimizer).key.config, ConfigId(2));
}

/// The default costs 10 and then 20. Configuration 1 costs 5 each time and becomes the incumbent. It gives a
/// wrong answer on its third pair.
#[test]
fn a_wrong_incumbent_is_replaced_by_the_best_that_was_never_wrong() {
    let racing = Racing { slack: 1.3, min_pairs: 2, max_pairs: 9, deterministic: true, ..STEADY };
    let mut optimizer = arena_with(9, Objective::capped(CUTOFF), 1, racing);
    tens(&mut optimizer, 2);
    for _ in 0..2 {
        let request = run(&mut optimizer);
        assert_eq!(request.key.config, ConfigId(1));
        finish(&mut optimizer, &request, 5.0);
    }
    assert_eq!(optimizer.incumbent(), ConfigId(1));
    let gain = loop {
        let request = run(&mut optimizer);
        if request.why == Why::Incumbent {
            break request;
        }
        finish(&mut optimizer, &request, 50.0);
    };
    // The challenger that is racing at this moment starts its race again.
    let other = run(&mut optimizer);
    optimizer.news();
    wrong(&mut optimizer, &gain);
    let news = optimizer.news();
    assert_eq!(news.last(), Some(&News::Dethroned(ConfigId(0), 2, ConfigId(1))), "{news:?}");
    assert!(news.contains(&News::Dropped(other.key.config, 0, Drop::Restart)), "{news:?}");
    assert_eq!((optimizer.incumbent(), optimizer.incumbent_pairs()), (ConfigId(0), 2));
    assert_eq!(optimizer.ask(1), Ask::Cancel(other.id));
    optimizer.tell(other.id, Observation::capped(1.0)).unwrap();
    // The configuration with the wrong answer never returns; the one that was racing does.
    let mut met = Vec::new();
    for _ in 0..60 {
        let request = match optimizer.ask(1) {
            Ask::Run(request) => request,
            Ask::Done(_) => break,
            order => panic!("{order:?}"),
        };
        met.push(request.key.config);
        let cost = if request.why == Why::Incumbent { 10.0 } else { 90.0_f64.min(request.cap.cost()) };
        let told =
            if cost < request.cap.cost() { Observation::finished(cost) } else { Observation::capped(cost) };
        optimizer.tell(request.id, told).unwrap();
    }
    assert!(met.contains(&other.key.config) && !met.contains(&ConfigId(1)), "{met:?}");
}

#[test]
fn a_challenger_lost_three_times_in_a_row_is_dropped() {
    let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
    tens(&mut optimizer, 2);
    let lose = |optimizer: &mut Optimizer| {
        let request = run(optimizer);
        optimizer.tell(request.id, Observation::failed(Status::Lost, 1.0)).unwrap();
        request
    };
    let (first, second) = (lose(&mut optimizer), lose(&mut optimizer));
    assert_eq!(first.key, second.key);
    // A trial with a result resets the count of lost trials.
    let told = run(&mut optimizer);
    finish(&mut optimizer, &told, 1.0);
    let config = first.key.config;
    for lost in 1..=3 {
        assert!(!optimizer.news().iter().any(|news| matches!(news, News::Dropped(..))), "after {lost}");
        assert_eq!(lose(&mut optimizer).key.config, config);
    }
    assert!(optimizer.news().contains(&News::Dropped(config, 1, Drop::Lost)));
    assert_ne!(run(&mut optimizer).key.config, config);
}
