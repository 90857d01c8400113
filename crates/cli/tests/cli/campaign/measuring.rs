//! `captune check --measure`.

use serde_json::Value;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr, stdout};

#[test]
fn the_reliability_of_measurements_is_reported_with_advice() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 4"));
    let output = stage.captune("check count.toml --measure --workers 1 --time 5m");
    let (said, noted) = (stdout(&output), stderr(&output));
    assert_eq!(code(&output), 0, "{said}{noted}");
    assert!(noted.contains("measuring the default: 10 trials alone, 5m at most"), "{noted}");
    assert!(
        said.contains("same seed, alone") && said.contains("trials   10 alone, 0 in parallel: 10 finished\n"),
        "{said}"
    );
    assert!(
        said.contains("\npass     over 2 instances: ") && said.contains("the budget covers 2.0 passes"),
        "{said}"
    );
    assert!(
        said.contains("\nAdvice:\n")
            && said.contains("  budget.trials: it covers about 2.0 passes over 2 instances"),
        "{said}"
    );
    assert!(!stage.folder.join("count.campaign").exists(), "nothing is stored");
}

#[test]
fn measurements_as_json() {
    let stage = Stage::new(SCENARIO);
    let line = "check count.toml --measure --workers 1 --json --time 5m";
    let found: Value = serde_json::from_str(&stage.said(line)).unwrap();
    assert_eq!(found["alone"], 10);
    assert_eq!(found["statuses"]["finished"], 10);
    assert_eq!(found["instances"][0]["name"], "a");
    assert_eq!(found["instances"][0]["alone"]["cpu"]["count"], 3);
    assert_eq!(found["seeds"]["given"], true);
    assert!(found["pass"]["wall"].as_f64().unwrap() > 0.0 && found["slow_down"].is_null(), "{found}");
}

#[test]
fn a_target_that_always_fails_is_shown() {
    let stage =
        Stage::new(&SCENARIO.replace(
            "\"slow\", \"fast\"], default = \"slow\"",
            "\"broken\", \"fast\"], default = \"broken\"",
        ));
    let output = stage.captune("check count.toml --measure --workers 1");
    let said = stderr(&output);
    assert_eq!(code(&output), 3, "{said}");
    assert!(
        said.contains("error: every trial failed") && said.contains("cannot count in broken mode"),
        "{said}"
    );
    assert!(said.contains("--mode=broken a --seed=1"), "{said}");
}
