//! Reading bounds on outputs.

use engine::problem::{Constraint, Over};
use scenario::testkit::{SMALL, Stage};
use scenario::{Bounded, Measure, Side};

fn with(constraints: &str) -> String {
    let outputs = "error = { pattern = 'error (\\S+)' }\nrecall = { pattern = 'recall (\\S+)' }";
    format!("{SMALL}[outputs]\n{outputs}\n[constraints]\n{constraints}\n")
}

#[test]
fn bounds_are_read_in_the_unit_of_the_bounded_output() {
    let stage = Stage::new();
    let scenario = stage.read(&with(
        "wall_time = { bound = \"<= 2 s\", over = \"max\" }\nsolved = \">= 0.9\"\nmemory = \"<= 2 GiB\"\n\
         recall = { bound = \">= 0.95\", confidence = 0.9 }\nerror = [\">= -1\", { bound = \"<=5e-2\" }]\n\
         cpu_time = { bound = \"<= 100ms\", over = \"max\" }",
    ));
    let read: Vec<_> = scenario.constraints.iter().map(|one| (one.subject(), one.bound, one.over)).collect();
    let (most, least) = (Side::AtMost, Side::AtLeast);
    assert_eq!(
        read,
        [
            (("cpu_time", most), 0.1, Over::Max),
            (("error", most), 0.05, Over::Mean),
            (("error", least), -1.0, Over::Mean),
            (("memory", most), 2_147_483_648.0, Over::Mean),
            (("recall", least), 0.95, Over::Mean),
            (("solved", least), 0.9, Over::Mean),
            (("wall_time", most), 2.0, Over::Max),
        ]
    );
    assert_eq!(scenario.constraints[4].of, Bounded::Measure(Measure::Output(1)));
    assert_eq!(scenario.constraints[5].of, Bounded::Solved);
    let engines = scenario.constraints_for_engine();
    assert_eq!(engines[1], Constraint::new(0.05, Over::Mean));
    assert_eq!(engines[4], Constraint { confidence: 0.9, ..Constraint::new(-0.95, Over::Mean) });
    assert_eq!(scenario.constraints[4].shown(-0.957), 0.957);
    assert_eq!(scenario.warnings.to_string(), "");
}

#[test]
fn mistakes_in_bounds_are_reported() {
    insta::assert_snapshot!(Stage::new().mistakes(&with(
        r#"eror = "<= 0.05"
speed = "<= 3"
error = ["< 0.05", "0.05", "== 3", "<= nan", "<= inf", "<= 5 s", "<=", 0.05, "<= 0.1 0.2", []]
recall = { bond = ">= 0.95", over = "min", confidence = 1 }
memory = ["<= 3 s", ">= 1GiB"]
wall_time = "<= 2 GiB"
cpu_time = { bound = "<= 1s", confidence = 0.5 }
solved = ">= 90"
"#
    )));
    insta::assert_snapshot!(Stage::new().mistakes(&with(
        "error = [\"<= 0.05\", { bound = \">= 0.1\", over = \"max\" }]\nrecall = [\">= 0.9\", \">= 0.95\"]\n\
         solved = []\n"
    )));
}

#[test]
fn bounds_without_effect_give_warnings() {
    let text = with(
        "cpu_time = \"<= 2s\"\nwall_time = \"<= 9s\"\nmemory = \"<= 2GiB\"\n\
         error = { bound = \"<= 1\", over = \"max\", confidence = 0.9 }\n[limits]\nwall = \"9s\"\nmemory = \"1GiB\"",
    );
    insta::assert_snapshot!(Stage::new().read(&text).warnings.to_string());
    let every = with("cpu_time = { bound = \"<= 5s\", over = \"max\" }");
    let shown = Stage::new().read(&every).warnings.to_string();
    assert!(shown.contains("`objective.cutoff` stops every trial at 5s"), "{shown}");
}

#[test]
fn a_bound_relative_to_the_default_is_a_factor() {
    let text = with(
        "error = \"<= 1.02x default\"\nrecall = { bound = \">= 0.99 x the default\", over = \"max\" }\n\
         cpu_time = \"<= 2 * default\"\nmemory = \"<= 1.5xdefault\"",
    );
    let scenario = Stage::new().read(&text);
    let read: Vec<String> = scenario.constraints.iter().map(ToString::to_string).collect();
    let expected = [
        "cpu_time <= 2x default",
        "error <= 1.02x default",
        "memory <= 1.5x default",
        "every recall >= 0.99x default",
    ];
    assert_eq!(read, expected);
    assert_eq!(scenario.constraints_for_engine()[1], Constraint::relative(1.02, Over::Mean));
    assert_eq!(scenario.constraints_for_engine()[3], Constraint::relative(-0.99, Over::Max));
    assert_eq!(scenario.warnings.to_string(), "");
    insta::assert_snapshot!(Stage::new().mistakes(&with(
        "error = [\"<= 0x default\", \"<= x default\", \"<= 1.02 default\", \"<= 5s x default\"]\n\
         solved = \">= 1x default\"\ncpu_time = \">= 0.5x default\"\n"
    )));
}
