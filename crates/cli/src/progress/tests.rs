//! Tests of the displays with an invented campaign.

use campaign::budget::{Budget, Spent};
use campaign::event::{Event, NewIncumbent, Stop, Warning, What};
use campaign::progress::{Challenger, Progress, Standing, TrainingComparison};
use engine::history::Trial;
use engine::problem::Holding;
use engine::propose::{Choice, Learner};
use engine::stats::Interval;
use engine::{
    Cap, ConfigId, Configuration, InstanceId, Observation, Pair, Reading, Seed, Space, Status, TrialId,
    TrialKey, Why,
};
use execution::{Detail, Record};
use space::Literal;
use space::format::{Format, read};

use super::block::{block, cut, heartbeat, used, validation};
use super::lines::Line;
use super::log::Log;
use super::screen::laid_out;
use super::{Facts, lines};
use crate::paint::Paint;
use crate::words::Costs;

pub(crate) fn space() -> Space {
    let text = "chrono = { boolean = true }\ntier1 = { integer = [1, 9], default = 2 }\n\
                decay = { float = [0, 1], default = 0.5 }\nrestart = { choices = [\"luby\", \"geometric\"] }\n\
                deep = { integer = [1, 9], default = 2 }\n";
    read(text, "space.toml", Format::Toml).unwrap()
}

pub(crate) fn tuned() -> Configuration {
    let values = [
        ("chrono", Literal::Boolean(false)),
        ("tier1", Literal::Integer(3)),
        ("decay", Literal::Float(0.123_456)),
        ("restart", Literal::from("geometric")),
        ("deep", Literal::Integer(9)),
    ];
    space().configuration(values).unwrap()
}

pub(crate) fn facts() -> Facts {
    Facts {
        folder: "my runs/kissat.campaign".to_owned(),
        budget: Budget { wall: Some(144_000.0), ..Budget::default() },
        costs: Costs::seconds(10.0),
        default: space().default_configuration(),
        instances: 225,
        workers: 64,
    }
}

pub(crate) fn progress() -> Progress {
    Progress {
        spent: Spent { wall: 22_320.0, cpu: 1.4e6, trials: 14_812 },
        fraction: 0.155,
        workers: 64,
        out: 66,
        optimizer_share: 0.006,
        counts: [3895, 10_600, 300, 2, 15, 0, 0, 0],
        lost: 0,
        configurations: 1402,
        best: Standing {
            config: ConfigId(1093),
            pairs: 131,
            mean: 228.2,
            interval: Some(Interval { low: 196.1, high: 263.4 }),
            timeouts: 9,
            holdings: Vec::new(),
        },
        default: Some(TrainingComparison {
            pairs: 48,
            default: 402.0,
            incumbent: 228.4,
            ratio: Some(402.0 / 228.4),
            has_enough_pairs: true,
        }),
        racing: Some(Challenger { config: ConfigId(1402), met: 17, cap: 88.04 }),
        others: 11,
        default_is_feasible: true,
        unmeasured: 0,
        saved: 5.1,
    }
}

fn at_the_start() -> Progress {
    let best = Standing { config: ConfigId(0), pairs: 0, mean: f64::NAN, interval: None, ..progress().best };
    let spent = Spent { wall: 0.4, cpu: 0.0, trials: 0 };
    let (counts, default, racing) = ([0; 8], None, None);
    Progress { spent, counts, best, default, racing, others: 0, saved: 1.0, fraction: 0.0, ..progress() }
}

fn shown(progress: &Progress, width: usize) -> String {
    block(progress, &facts()).iter().map(|line| cut(line, width) + "\n").collect()
}

#[test]
fn the_block_fits_the_terminal() {
    for width in [80, 120] {
        let text = shown(&progress(), width);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        insta::assert_snapshot!(format!("block_{width}"), text);
    }
    let whole = shown(&progress(), 500);
    assert_eq!(whole.lines().count(), 3);
    assert!(!whole.contains('…'));
    insta::assert_snapshot!("block_at_the_start", shown(&at_the_start(), 120));
    insta::assert_snapshot!("block_of_the_validation", validation(30, 150, "default").join("\n"));
}

#[test]
fn few_common_pairs_give_no_ratio() {
    let few = progress().default.map(|both| TrainingComparison { pairs: 1, has_enough_pairs: false, ..both });
    let progress = Progress { default: few, ..progress() };
    let text = shown(&progress, 200);
    assert!(text.contains(" on 131 pairs · default 402 s, best 228 s on 1 common pair\n"), "{text}");
    let line = heartbeat(&progress, &facts());
    assert!(!text.contains("training") && !line.contains("training"), "{line}");
}

#[test]
fn the_default_is_named_if_it_is_the_best() {
    let best = Standing { config: ConfigId(0), pairs: 1, mean: 0.05, interval: None, ..progress().best };
    let text = shown(&Progress { best, ..progress() }, 200);
    assert!(text.contains("   best default  PAR10 50.0 ms on 1 pair\n"), "{text}");
}

#[test]
fn the_budget_that_ends_first_is_shown() {
    let spent = Spent { wall: 372.0, cpu: 600.0, trials: 250 };
    let budget = |wall, cpu, trials| used(&Budget { wall, cpu, trials }, &spent);
    assert_eq!(budget(Some(3600.0), None, None), "06:12 of 1:00:00");
    assert_eq!(budget(Some(3600.0), Some(900.0), Some(1000)), "06:12 · CPU 10:00 of 15:00");
    assert_eq!(budget(None, Some(60_000.0), Some(1000)), "06:12 · 250 of 1000 trials");
    assert_eq!(budget(None, None, None), "06:12");
}

pub(crate) fn trial(config: u32, instance: u32, observation: Observation) -> Record {
    let pair = Pair { instance: InstanceId(instance), seed: Seed(1) };
    let trial = Trial {
        id: TrialId(7),
        key: TrialKey { config: ConfigId(config), pair },
        cap: Cap::NONE,
        why: Why::Incumbent,
        observation,
    };
    let detail = Detail { cpu: Some(2.0), wall: Some(3.0), ..Detail::default() };
    Record { trial, detail, started: 0.0, ended: 3.0, slot: 0 }
}

fn new_best() -> What {
    let (cost, before) = (311.2, 402.4);
    What::NewIncumbent(Box::new(NewIncumbent {
        config: ConfigId(214),
        values: (&tuned()).into(),
        pairs: 48,
        cost,
        before,
        holdings: Vec::new(),
        holdings_before: Vec::new(),
    }))
}

fn chosen(learner: Learner) -> Choice {
    let (neural, forest) = if learner == Learner::Neural { (0.25, 0.125) } else { (-0.5, -0.125) };
    Choice { trials: 80, learner, forest, neural, gaussian: (learner == Learner::Forest).then_some(-0.25) }
}

/// Returns one event of each kind.
fn all_events() -> Vec<What> {
    vec![
        What::TrialEnded(Box::new(trial(3, 1, Observation::capped(1.5)))),
        What::RaceOpened { config: ConfigId(4), foretold: None },
        What::RaceDropped { config: ConfigId(4), pairs: 2, why: engine::racing::Drop::Sum },
        What::Chosen(chosen(Learner::Neural)),
        What::Chosen(chosen(Learner::Forest)),
        new_best(),
        What::Warning(Warning::MostlyTimeouts { timeouts: 12, pairs: 20 }),
        What::Warning(Warning::SmallBudget { passes: 3.24 }),
        What::Warning(Warning::AlmostNoCpu { share: 0.02 }),
        What::Warning(Warning::WallLimit { id: TrialId(123), cpu: 4.3, wall: 15.016 }),
        What::Warning(Warning::Dethroned { config: ConfigId(4), by: ConfigId(0) }),
        What::Warning(Warning::Teardown { id: TrialId(12), reason: "teardown: exit 4".to_owned() }),
        What::Warning(Warning::LeftBehind { id: TrialId(13), path: "/tmp/captune-run-1-2".into() }),
        What::Warning(Warning::Server { id: TrialId(13), reason: "the server ended".to_owned() }),
        What::Warning(Warning::Lost { id: TrialId(13), reason: "the supervisor was lost".to_owned() }),
        What::Warning(Warning::Failure { id: TrialId(377), reason: "signal 11\u{1b}[2J".to_owned() }),
        What::Progress(Box::new(progress())),
        What::Validating { done: 3, of: 40 },
        What::Stopped(Stop::Budget(campaign::budget::Limit::Cpu)),
        What::Stopped(Stop::Lost {
            trial: Box::new(trial(3, 1, Observation::failed(Status::Lost, 1.5))),
            lost: 10,
            of: 12,
        }),
        What::Stopped(Stop::Aborted("no such program".to_owned())),
    ]
}

#[test]
fn events_as_lines() {
    let shown: Vec<String> = all_events()
        .into_iter()
        .filter_map(|what| lines::line(&Event { at: 41.7, what }, &facts()))
        .map(|line| line.text)
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect()
}

/// No word is broken, and continuation lines are indented under the text.
#[test]
fn permanent_lines_fit_the_terminal() {
    let mut log = Log::new(Facts { instances: 1, ..facts() });
    let what = What::TrialEnded(Box::new(trial(0, 0, Observation::finished(3.1))));
    let mut lines = log.show(&Event { at: 41.7, what });
    assert_eq!(lines.len(), 1, "the plan");
    lines
        .extend(all_events().into_iter().filter_map(|what| lines::line(&Event { at: 41.7, what }, &facts())));
    for width in [80, 120] {
        let plain: Vec<String> = lines.iter().map(|line| laid_out(line, width, Paint::none())).collect();
        let plain = plain.join("\n");
        assert!(plain.lines().all(|line| line.chars().count() <= width), "{plain}");
        insta::assert_snapshot!(format!("lines_{width}"), plain);
        let colours: Vec<String> = lines.iter().map(|line| laid_out(line, width, Paint::all())).collect();
        let colours = colours.join("\n");
        assert_eq!(
            colours.replace("\u{1b}[1;32m", "").replace("\u{1b}[1;33m", "").replace("\u{1b}[0m", ""),
            plain
        );
        insta::assert_snapshot!(format!("lines_{width}_colour"), colours.replace('\u{1b}', "ESC"));
    }
}

#[test]
fn events_as_json() {
    let shown: String = all_events()
        .into_iter()
        .map(|what| format!("{}\n", view::event(&Event { at: 41.7, what }, &facts().costs)))
        .collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn a_tie_has_no_line() {
    let What::NewIncumbent(mut new) = new_best() else { unreachable!() };
    new.before = new.cost;
    let line = |new: &NewIncumbent| {
        lines::line(&Event { at: 1.0, what: What::NewIncumbent(new.clone().into()) }, &facts())
    };
    assert_eq!(line(&new), None);
    // Two configurations within the bounds whose outputs differ, and two outside of them.
    let measured = |value: f64, violation: f64| {
        vec![Holding { value: Some(Reading::Exact(value)), pairs: 3, standard_error: 0.0, violation }]
    };
    (new.holdings, new.holdings_before) = (measured(0.1, 0.0), measured(0.2, 0.0));
    assert_eq!(line(&new), None);
    (new.holdings, new.holdings_before) = (measured(1.1, 0.1), measured(1.2, 0.2));
    assert!(line(&new).is_some_and(|line| line.text.contains("closest")), "closer to the bounds");
}

#[test]
fn a_heartbeat_comes_after_ten_seconds_and_then_every_minute() {
    let mut log = Log::new(facts());
    let mut beats = Vec::new();
    // The campaign is resumed after an earlier session of 1000 s.
    for tenth in 0..2000 {
        let at = 1000.0 + f64::from(tenth) / 10.0;
        let lines = log.show(&Event { at, what: What::Progress(Box::new(progress())) });
        beats.extend(lines.into_iter().map(|line| (at, line.text)));
    }
    let times: Vec<f64> = beats.iter().map(|(at, _)| at.round()).collect();
    assert_eq!(times, [1010.0, 1070.0, 1130.0, 1190.0]);
    assert_eq!(beats[0].1, format!(" {}", heartbeat(&progress(), &facts())));
    insta::assert_snapshot!(beats[0].1);
}

#[test]
fn the_plan_is_printed_once_after_the_first_pair_of_the_default() {
    let mut log = Log::new(Facts { instances: 3, ..facts() });
    let mut shown = Vec::new();
    for (config, observation) in [
        (1, Observation::finished(1.0)),
        (0, Observation::failed(Status::Crashed, 1.0)),
        (0, Observation::finished(3.1)),
        (0, Observation::finished(4.0)),
    ] {
        let what = What::TrialEnded(Box::new(trial(config, 0, observation)));
        shown.push(text(&log.show(&Event { at: 1.0, what })));
    }
    assert_eq!(shown.iter().map(String::is_empty).collect::<Vec<_>>(), [true, true, false, true]);
    insta::assert_snapshot!(shown[2]);
}

/// The target takes 3 s. Its set-up and teardown take another 5 s.
#[test]
fn the_plan_includes_set_up_and_teardown() {
    let budget = Budget { wall: Some(800.0), ..Budget::default() };
    let mut log = Log::new(Facts { instances: 10, workers: 1, budget, ..facts() });
    let record = Record { ended: 8.0, ..trial(0, 0, Observation::finished(3.0)) };
    let plan = text(&log.show(&Event { at: 8.0, what: What::TrialEnded(Box::new(record)) }));
    let expected = "plan: the default takes 3.00 s on its first pair · one pass over 10 instances takes 80.0 s · the \
                    budget covers about 10 passes without capping";
    assert_eq!(plan, expected);
}

#[test]
fn a_small_budget_is_given_in_trials_without_instances() {
    let warning = Warning::SmallBudget { passes: 18.2 };
    let facts = Facts { instances: 1, ..facts() };
    assert_eq!(
        lines::warn(&warning, &facts),
        "The budget covers about 18 trials; fewer than 20 is rarely enough"
    );
    let warn = |passes| lines::warn(&Warning::SmallBudget { passes }, &facts);
    assert!(warn(0.42).contains("about 0.4 trials;") && warn(19.8).contains("about 19 trials;"));
}
