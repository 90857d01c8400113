//! What mattered: importance, ablation, and the changes that matter.

use serde_json::Value;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr};

fn json(stage: &Stage, line: &str) -> Value {
    serde_json::from_str(&stage.said(line)).unwrap()
}

/// The mode makes a factor of four, and the number of loops at most one of 20.
#[test]
fn importance_and_ablation_of_a_real_campaign() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 40")), 0);
    let found = json(&stage, "importance count.toml --json");
    let shares: Vec<f64> =
        found["parameters"].as_array().unwrap().iter().map(|one| one["share"].as_f64().unwrap()).collect();
    assert_eq!(shares.len(), 2);
    assert!(shares[0] >= shares[1] && shares.iter().sum::<f64>() <= 1.0 + 1e-9, "{found}");
    let said = stage.said("importance count.toml --quantile 1");
    assert!(said.starts_with("learned from ") && said.contains("loops"), "{said}");
    assert_eq!(code(&stage.captune("importance count.toml --quantile 0")), 2);

    let refused = stage.captune("best count.toml --minimal");
    assert!(stderr(&refused).contains("captune ablate"), "{}", stderr(&refused));
    let part = json(&stage, "ablate count.toml --trials 5 --json --progress none");
    assert_eq!((&part["trials"], &part["end"]), (&5.into(), &Value::Null));
    let whole = json(&stage, "ablate count.toml --budget 60s --json --progress none");
    assert!(whole["trials"].as_u64().unwrap() >= 40, "{whole}");
    assert!(whole["end"].is_string() && whole["minimal"].is_object(), "{whole}");
    let first = &whole["steps"][0]["changes"][0]["name"];
    assert!(first == "loops" || first == "mode", "{whole}");
    let total: f64 =
        whole["steps"].as_array().unwrap().iter().map(|step| step["share"].as_f64().unwrap()).sum();
    assert!((total - whole["minimal"]["share"].as_f64().unwrap()).abs() < 1e-9, "{whole}");
    assert_eq!(json(&stage, "ablate count.toml --show --json"), whole, "the view computes the same");
    let minimal = json(&stage, "best count.toml --minimal --as json");
    assert_eq!(minimal, whole["minimal"]["values"]);
    let said = stage.said("best count.toml --minimal");
    assert!(said.contains("counter --loops="), "{said}");
    // The end of the search and its verdict stay as they were.
    assert_eq!(stage.status("count.toml")["state"], "stopped");
    assert!(stage.said("status count.toml").contains("budget spent"), "the search has ended");
}

#[test]
fn a_killed_ablation_continues() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 30")), 0);
    let mut child = stage.command("ablate count.toml --budget 60s --progress none").spawn().unwrap();
    // Wait until some trials are stored.
    let trials = || json(&stage, "ablate count.toml --show --json")["trials"].as_u64().unwrap_or(0);
    let mut before = 0;
    while child.try_wait().unwrap().is_none() && before < 3 {
        before = trials();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = trials();
    assert!(kept >= before);
    let whole = json(&stage, "ablate count.toml --budget 60s --json --progress none");
    assert!(whole["end"].is_string() && whole["trials"].as_u64().unwrap() >= kept, "{whole}");
}

#[test]
fn without_a_change_there_is_nothing_to_ablate() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 1"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let output = stage.captune("ablate count.toml --trials 3");
    assert_ne!(code(&output), 0);
    assert!(stderr(&output).contains("nothing to ablate"), "{}", stderr(&output));
}
