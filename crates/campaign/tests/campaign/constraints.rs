//! Bounds on outputs: how they are written, what a trial tells of them, what changing them means.

use std::sync::Arc;

use campaign::Search;
use campaign::conduct::{Order, settings};
use engine::Reading::{AtLeast, Exact};
use engine::propose::Learner;
use engine::racing::{Constraint, Over};
use engine::{Cap, Reading, Status};
use execution::{Account, Leash, ProcessTarget, Target, TargetError};
use scenario::{Bounded, Measure, Side};

use scenario::testkit::{SMALL, Stage, trial};

const GUARDIAN: &str = env!("CARGO_BIN_EXE_guardian");

fn with(constraints: &str) -> String {
    let outputs = "error = { pattern = 'error (\\S+)' }\nrecall = { pattern = 'recall (\\S+)' }";
    format!("{SMALL}[outputs]\n{outputs}\n[constraints]\n{constraints}\n")
}

#[test]
fn bounds_are_read_in_the_unit_of_what_they_bound() {
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
fn mistakes_of_bounds() {
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
fn each_output_may_have_a_model_of_its_own() {
    let stage = Stage::new();
    let text = |kind: &str| {
        let bounds = "recall = \">= 0.9\"\nerror = { bound = \"<= 0.05\", surrogate = \"gaussian\" }\n\
             memory = { bound = \"<= 1MiB\", surrogate = \"forest\" }\n";
        with(&format!("{bounds}[surrogate]\n{kind}"))
    };
    let Search::Model(search) = settings(&stage.read(&text("")), &Order::default()).search else {
        panic!("no model")
    };
    assert_eq!(search.model.learner, Learner::Forest);
    assert_eq!(search.model.constraints, [Some(Learner::Gaussian), Some(Learner::Forest), None]);
    let said = stage.read(&text("kind = \"random\"")).warnings.to_string();
    assert!(said.contains("`constraints.error.surrogate` says nothing: there is no model"), "{said}");
    let wrong = stage.mistakes(&text("kind = \"gaussian\"\ndependence = \"residuals\""));
    assert!(
        wrong.contains("`constraints.memory.surrogate` is no Gaussian") && !wrong.contains("error.surrogate"),
        "{wrong}"
    );
    let wrong = stage.mistakes(&with("error = { bound = \"<= 1\", surrogate = \"neural\" }"));
    assert!(wrong.contains("constraints.error.surrogate") && wrong.contains("gaussian"), "{wrong}");
}

#[test]
fn bounds_that_say_nothing_are_warned_of() {
    let text = with(
        "cpu_time = \"<= 2s\"\nwall_time = \"<= 9s\"\nmemory = \"<= 2GiB\"\n\
         error = { bound = \"<= 1\", over = \"max\", confidence = 0.9 }\n[limits]\nwall = \"9s\"\nmemory = \"1GiB\"",
    );
    insta::assert_snapshot!(Stage::new().read(&text).warnings.to_string());
    let every = with("cpu_time = { bound = \"<= 5s\", over = \"max\" }");
    let said = Stage::new().read(&every).warnings.to_string();
    assert!(said.contains("`objective.cutoff` stops it at 5s"), "{said}");
}

fn text(objective: &str, rest: &str) -> String {
    format!(
        "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{param:x}}\", \"{{seed}}\"]\n[objective]\n\
         {objective}\n[outputs]\nerror = {{ pattern = 'error (\\S+)' }}\n[budget]\ntrials = 1\n[space]\n\
         x = {{ integer = [1, 9], default = 3 }}\n{rest}\n"
    )
}

fn run(script: &str, objective: &str, rest: &str) -> Result<Account, TargetError> {
    let stage = Stage::new();
    stage.file("script.sh", script);
    let scenario = Arc::new(stage.read(&text(objective, rest)));
    let target = ProcessTarget::new(Arc::clone(&scenario)).guardian(GUARDIAN);
    target.run(&trial(&scenario, 0, Cap::NONE), &Leash::new())
}

const TIME: &str = "minimise = \"wall_time\"\ncutoff = \"20s\"";
const ERROR: &str = "[constraints]\nerror = \">= 0.1\"";

fn told(script: &str, objective: &str, rest: &str) -> (Status, Vec<Option<Reading>>) {
    let account = run(script, objective, rest).unwrap();
    (account.observation.status(), account.observation.constraints().to_vec())
}

#[test]
fn a_finished_trial_tells_its_outputs_exactly() {
    assert_eq!(told("echo error 0.25", TIME, ERROR), (Status::Finished, vec![Some(Exact(-0.25))]));
    for unmeasured in ["nan", "inf", "-inf", "NaN"] {
        assert_eq!(told(&format!("echo error {unmeasured}"), TIME, ERROR), (Status::Finished, vec![None]));
    }
}

#[test]
fn an_output_that_is_not_printed_fails_the_trial_as_a_missing_cost_does() {
    for (script, why) in [
        ("echo nothing of it", "no match for output `error`"),
        ("echo error none", "output `error` is not a finite number"),
    ] {
        let account = run(script, TIME, ERROR).unwrap();
        assert_eq!(account.observation.status(), Status::Crashed, "{script}");
        assert_eq!(account.detail.reason.as_deref(), Some(why));
        assert!(!account.detail.stdout_tail.is_empty(), "what it printed instead is kept");
        assert_eq!(account.observation.constraints(), [None]);
    }
}

#[test]
fn a_killed_trial_tells_what_it_used_at_least() {
    let bounds = "[constraints]\nwall_time = { bound = \"<= 200ms\", over = \"max\" }\nerror = \"<= 1\"\n\
                  solved = \">= 0.5\"";
    let objective = "minimise = \"wall_time\"\ncutoff = \"300ms\"";
    let (status, readings) = told("echo error 0.5; exec sleep 60", objective, bounds);
    assert_eq!(status, Status::Timeout);
    // What it had printed need not be what it would have printed last.
    let [error, solved, wall] = readings[..] else { panic!("{readings:?}") };
    assert_eq!((error, solved), (None, Some(Exact(0.0))));
    assert!(matches!(wall, Some(AtLeast(seconds)) if seconds >= 0.3), "{wall:?}");
}

#[test]
fn whoever_meets_the_memory_limit_uses_at_least_that() {
    let bounds = "[limits]\nmemory = \"64MiB\"\n[constraints]\nmemory = \"<= 32MiB\"";
    // Many processes, each well below the limit: one alone would be refused the memory and end itself.
    let hold = "(x=$(head -c 4000000 /dev/zero | tr '\\0' a); sleep 60; : $x) &";
    let script = format!("{}\nwait", [hold; 30].join("\n"));
    let account = match run(&script, TIME, bounds) {
        Ok(account) if account.observation.status() == Status::Memory => account,
        other => {
            println!("no limit on memory stops a trial here: {other:?}");
            return;
        }
    };
    let readings = account.observation.constraints();
    let limit = f64::from(64 << 20);
    assert!(matches!(readings, [Some(AtLeast(bytes))] if *bytes >= limit), "{readings:?}");
}
