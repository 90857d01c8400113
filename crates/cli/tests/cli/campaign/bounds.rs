//! Campaigns with constraints. All commands prefer feasible configurations.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::stage::Stage;
use crate::{code, stderr, stdout};

/// A target that needs fewer steps but makes more errors with a larger `x`. It makes even more errors on
/// instances whose names start with `u`.
const TRADER: &str = r#"#!/bin/sh
error=$1
case $2 in u*) error=$((error + 3)) ;; esac
echo "steps $((100 - 10 * $1))"
echo "error 0.0$error"
echo "right 0.9$((9 - $1))"
"#;

const SCENARIO: &str = r#"[target]
command = ["./trader", "{param:x}", "{instance}", "{param:y}"]
[objective]
minimise = "steps"
[outputs]
steps = { pattern = 'steps ([0-9]+)' }
error = { pattern = 'error (\S+)' }
right = { pattern = 'right (\S+)' }
[constraints]
error = "<= 0.05"
[instances]
list = ["a", "b", "c"]
test = ["d", "e", "f", "g", "h", "i"]
[racing]
deterministic = true
repeats = 3
[parallel]
workers = 1
repeatable = true
[surrogate]
kind = "random"
[limits]
wall = "1m"
[budget]
trials = 120
[space]
x = { integer = [1, 9], default = 8 }
y = { integer = [1, 1000], default = 1, note = "changes nothing" }
"#;

fn stage(program: &str, scenario: &str) -> Stage {
    let stage = Stage::new(scenario);
    let path = stage.write("trader", program);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    stage
}

/// Returns the scenario with this default, and with unseen instances that differ from the training instances.
fn with_other_unseen_instances(default: u32) -> String {
    SCENARIO.replace("default = 8", &format!("default = {default}")).replace(
        "[\"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]",
        "[\"ud\", \"ue\", \"uf\", \"ug\", \"uh\", \"ui\"]",
    )
}

fn ran(stage: &Stage) -> String {
    let output = stage.captune("run count.toml");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn a_fast_default_that_breaks_a_bound_is_not_the_best() {
    let stage = stage(TRADER, SCENARIO);
    let said = ran(&stage);
    let verdict = "Verdict: the best satisfies every bound on 6 unseen instances; the default does not. The best is \
                   2.5x worse than the default there: mean steps 20 -> 50 (";
    assert!(said.contains(verdict), "{said}");
    let bounds = "         error 0.0500 (bound <= 0.05: kept); the default: 0.0800 (violated).\n";
    assert!(said.contains(bounds), "{said}");
    assert!(said.contains("\nUse it:  ") && said.contains("/trader 5 "), "{said}");
    assert!(said.contains(", feasible (the previous one was not)"), "{said}");
    let status = stage.status("count.campaign");
    assert_eq!(status["best"]["values"]["x"], 5, "{status}");
    let standing = &status["best_standing"];
    assert_eq!(
        (&standing["feasible"], &status["default_standing"]["feasible"]),
        (&true.into(), &false.into())
    );
    let shown = &standing["constraints"][0];
    let part = |key: &str| shown[key].clone();
    assert_eq!(
        ["name", "over", "sign", "bound", "value", "censored", "pairs", "kept"].map(part),
        [
            "error".into(),
            "mean".into(),
            "<=".into(),
            0.05.into(),
            0.05.into(),
            false.into(),
            3.into(),
            true.into()
        ] as [Value; 8]
    );
    assert_eq!(status["verdict"]["feasible"], serde_json::json!({ "default": false, "best": true }));
    let text = stage.said("status count.campaign");
    assert!(text.contains("bounds   error 0.0500 (bound <= 0.05: kept)\n"), "{text}");
    assert!(text.contains("         the default: error 0.0800 (bound <= 0.05: violated)\n"), "{text}");
    let best = stage.said("best count.campaign");
    assert!(best.contains("\nerror 0.0500 (bound <= 0.05: kept)\n"), "{best}");
    assert_eq!(code(&stage.captune("ablate count.campaign --progress none")), 0);
    let refused = stderr(&stage.captune("best count.campaign --minimal"));
    assert!(refused.contains("the default violates a bound on these pairs"), "{refused}");
    assert!(stage.said("check count.toml").contains("\nconstraints: error <= 0.05\n"));
}

#[test]
fn a_lower_bound_is_shown_with_its_sign() {
    let scenario = SCENARIO.replace("error = \"<= 0.05\"", "right = { bound = \">= 0.95\", over = \"max\" }");
    let stage = stage(TRADER, &scenario);
    let mut running = stage.start("run count.toml");
    let (mut trials, mut best) = (0, Value::Null);
    while let Some(event) = running.event() {
        if event["event"] == "trial_ended" {
            trials += 1;
            let told = &event["constraints"][0];
            assert_eq!(
                (&told["name"], &told["value"]),
                (&"right".into(), &event["outputs"]["right"]),
                "{event}"
            );
        } else if event["event"] == "new_incumbent" {
            best = event;
        }
    }
    assert!(trials > 10);
    assert_eq!((&best["values"]["x"], &best["feasible"]), (&4.into(), &true.into()), "{best}");
    assert_eq!(
        (&best["constraints"][0]["sign"], &best["constraints"][0]["value"]),
        (&">=".into(), &0.95.into())
    );
    let said = stderr(&running.end().0);
    assert!(
        said.contains("worst right 0.950 (bound >= 0.95: kept); the default: 0.910 (violated)."),
        "{said}"
    );
    assert!(!said.contains("-0.9"), "{said}");
}

#[test]
fn if_nothing_is_feasible_the_closest_is_named() {
    let stage = stage(TRADER, &SCENARIO.replace("<= 0.05", "<= 0.001"));
    let said = ran(&stage);
    let nothing = "no feasible configuration found: the closest is #";
    assert!(said.contains(&format!("Verdict: {nothing}")), "{said}");
    assert!(said.contains(" (error 0.0100, bound <= 0.001).\n"), "{said}");
    assert!(!said.contains("Use it:") && !said.contains("new best"), "{said}");
    assert!(said.contains("  closest   #"), "{said}");
    let status = stage.status("count.campaign");
    assert_eq!(
        (&status["best"]["values"]["x"], &status["best_standing"]["feasible"]),
        (&1.into(), &false.into())
    );
    assert!(stage.said("best count.campaign").starts_with(nothing));
    let output = stage.captune("best count.campaign --as json");
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("\"x\":1"), "{}", stdout(&output));
    assert!(stderr(&output).contains(&format!("warning: {nothing}")), "{}", stderr(&output));
    assert!(stage.said("status count.campaign").contains(&format!("bounds   {nothing}")));
}

#[test]
fn a_best_that_violates_a_bound_on_unseen_instances_is_not_used() {
    let scenario = with_other_unseen_instances(2);
    let stage = stage(TRADER, &scenario);
    let said = ran(&stage);
    let verdict = "Verdict: the best configuration in training violates a bound on 6 unseen instances, and the \
                   default does not. Keep the default.\n         error 0.0800 (bound <= 0.05: violated); the default: \
                   0.0500 (kept).\n";
    assert!(said.contains(verdict), "{said}");
    assert!(!said.contains("Use it:"), "{said}");
    let told = stage.said("validate count.campaign");
    assert!(told.contains("error 0.0800 (bound <= 0.05: violated); the default: 0.0500 (kept)."), "{told}");
    assert_says_to_keep_the_default(
        &stage,
        "infeasible",
        "the best configuration in training violates a bound",
    );
}

/// Checks that `status` and every form of `best` agree with the verdict of the run.
fn assert_says_to_keep_the_default(stage: &Stage, claim: &str, why: &str) {
    let status = stage.status("count.campaign");
    assert_eq!(status["verdict"]["claim"], claim, "{status}");
    let best = stage.said("best count.campaign");
    assert!(best.contains(&format!("\nverdict: {why}")) && !best.contains("(training)"), "{best}");
    for form in ["cmd", "json", "toml", "pcs"] {
        let output = stage.captune(&format!("best count.campaign --as {form}"));
        assert!(stderr(&output).contains(&format!("warning: {why}")), "{}", stderr(&output));
        assert!(code(&output) == 0 && !stdout(&output).contains("warning"));
    }
}

#[test]
fn nothing_is_claimed_if_both_violate_a_bound() {
    let scenario = with_other_unseen_instances(4);
    let stage = stage(TRADER, &scenario);
    let said = ran(&stage);
    let why = "both the best and the default violate a bound on 6 unseen instances";
    assert!(said.contains(&format!("Verdict: {why}")) && !said.contains("Use it:"), "{said}");
    assert_says_to_keep_the_default(&stage, "neither_feasible", why);
}

#[test]
fn a_best_that_is_slower_on_unseen_instances_is_never_recommended() {
    let reversed = TRADER.replace("error=$1\n", "error=1\ncase $2 in u*) set -- $((10 - $1)) $2 ;; esac\n");
    let scenario = with_other_unseen_instances(2).replace("[constraints]\nerror = \"<= 0.05\"\n", "");
    let stage = stage(&reversed, &scenario);
    let said = ran(&stage);
    assert!(said.contains("Verdict: the best configuration in training is 4.5x worse"), "{said}");
    assert_says_to_keep_the_default(&stage, "slower", "the best configuration in training is 4.5x worse");
}

#[test]
fn an_output_that_is_never_printed_stops_the_campaign() {
    let stage = stage(TRADER, &SCENARIO.replace("'error (\\S+)'", "'mistakes (\\S+)'"));
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 3, "{said}");
    assert!(said.contains("error: the target never succeeded"), "{said}");
    assert!(said.contains("/trader 8 ") && said.contains("failed: no match for output `error`\n"), "{said}");
    assert!(said.contains("  standard output:\n  | steps 20\n  | error 0.08\n"), "{said}");
}

#[test]
fn non_finite_values_are_warned_of_once_and_counted() {
    let program = TRADER.replace(
        "echo \"error 0.0$error\"",
        "case $1 in [1357]) error=nan ;; *) error=0.0$error ;; esac\necho \"error $error\"",
    );
    let stage = stage(&program, SCENARIO);
    let said = ran(&stage);
    assert_eq!(said.matches("reported a non-finite `error`; its constraint is unknown").count(), 1, "{said}");
    assert!(
        said.contains(" finished trials reported a non-finite value for a constrained output.\n"),
        "{said}"
    );
    let status = stage.status("count.campaign");
    assert_eq!(status["best"]["values"]["x"], 4, "unmeasured configurations are not feasible: {status}");
}

/// Returns all incumbents, and the constraints of the last one.
fn found(stage: &Stage) -> (Vec<[Value; 3]>, Value) {
    let status = stage.status("count.campaign");
    let incumbents = status["incumbents"].as_array().unwrap().iter();
    let part = |one: &Value| ["configuration", "pairs", "cost"].map(|key| one[key].clone());
    (incumbents.map(part).collect(), status["best_standing"]["constraints"].clone())
}

#[test]
fn a_resumed_campaign_finds_the_same() {
    let (whole, parts) = (stage(TRADER, SCENARIO), stage(TRADER, SCENARIO));
    ran(&whole);
    for trials in [4, 10, 15] {
        let mut running = parts.start("run count.toml");
        running.await_trials(trials);
        running.signal(rustix::process::Signal::KILL);
        running.end();
    }
    ran(&parts);
    let ((whole, bounds), (parts, bounds_of_parts)) = (found(&whole), found(&parts));
    // Trials that were running when captune was killed are repeated. So the last part of the budget starts
    // a few trials earlier or later, and the last races may differ.
    assert!(whole.len() > 3 && parts.len() > 3, "{whole:?}");
    assert_eq!(whole[..4], parts[..4]);
    assert_eq!(bounds, bounds_of_parts);
}

#[test]
fn a_changed_bound_reuses_the_trials_and_their_readings() {
    let stage =
        stage(TRADER, &SCENARIO.replace("error = \"<= 0.05\"", "right = \">= 0.9\"\nerror = \"<= 0.05\""));
    ran(&stage);
    stage.write("count.toml", &SCENARIO.replace("<= 0.05", "<= 0.07"));
    let output = stage.captune("run count.toml --trials 200");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains(", reusing 120 trials, "), "{said}");
    let status = stage.status("count.campaign");
    assert_eq!(status["best"]["values"]["x"], 7, "{status}");
    assert_eq!(status["best_standing"]["constraints"][0]["value"], 0.07);
    stage.write("count.toml", &SCENARIO.replace("<= 0.05\"", "<= 0.07\"\nright = \">= 0.9\""));
    let output = stage.captune("run count.toml");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("constraints.right: none -> \">= 0.9\" (refuse)"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn runs_without_a_constrained_output_are_not_imported() {
    let stage = stage(TRADER, SCENARIO);
    stage.write("runs.csv", "x,instance,seed,cost,status\n2,a,1,80,finished\n");
    let output = stage.captune("import count.toml runs.csv");
    assert_ne!(code(&output), 0);
    let refused = "line 2: no value for `error`, which the scenario constrains";
    assert!(stderr(&output).contains(refused), "{}", stderr(&output));
}

#[test]
fn the_joint_verdict_of_folds_includes_the_bounds() {
    let folds = SCENARIO
        .replace(
            "list = [\"a\", \"b\", \"c\"]",
            "list = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]",
        )
        .replace("test = [\"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]", "test = \"folds: 4\"");
    let stage = stage(TRADER, &folds);
    let said = ran(&stage);
    let verdict = "Verdict: the best satisfies every bound on 8 unseen instances; the default does not. The best is \
                   2.5x worse than the default there: mean steps 20 -> 50 (95 %: 2.5x to 2.5x, ";
    assert!(said.contains(verdict), "{said}");
    let bounds = "         error 0.0500 (bound <= 0.05: kept); the default: 0.0800 (violated).\n";
    assert!(said.contains(bounds), "{said}");
    let best = stdout(&stage.captune("best count.campaign"));
    assert!(best.contains("error 0.0500 (bound <= 0.05: kept)"), "{best}");
}

/// Folds whose training includes `u` find nothing feasible and keep the default; only one does not train on it.
#[test]
fn a_fold_without_a_feasible_configuration_keeps_the_default() {
    let folds = SCENARIO
        .replace(
            "list = [\"a\", \"b\", \"c\"]",
            "list = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"u\"]",
        )
        .replace("test = [\"d\", \"e\", \"f\", \"g\", \"h\", \"i\"]", "test = \"folds: 4\"")
        .replace("error = \"<= 0.05\"", "error = { bound = \"<= 0.02\", over = \"max\" }");
    let stage = stage(TRADER, &folds);
    let said = ran(&stage);
    assert_eq!(said.matches("no feasible configuration found").count(), 3, "{said}");
    assert!(said.contains("3 of 4 folds kept the default; their ratio counts as 1."), "{said}");
    // The other fold costs four times as much as the default.
    assert!(said.contains("mean steps 20 -> 35 "), "{said}");
    let status = stage.said("status count.campaign");
    assert_eq!(
        status.matches("no feasible configuration found, 2 of 2 pairs validated").count(),
        3,
        "{status}"
    );
    let found = status.lines().position(|line| line.contains("best #")).unwrap();
    assert!(status.contains(&format!("best     fold {found}: ")), "{status}");

    stage.write("none.toml", &folds.replace("<= 0.02", "<= 0.001"));
    let output = stage.captune("run none.toml");
    let said = stderr(&output);
    assert!(
        said.contains("Verdict: nothing feasible and better than the default was found in any fold."),
        "{said}"
    );
}

#[test]
fn only_campaigns_with_the_same_bounds_are_ranked() {
    let stage = stage(TRADER, SCENARIO);
    ran(&stage);
    // Three trials find no feasible configuration, because the default is the fastest one and violates the
    // bound.
    stage.write("short.toml", &SCENARIO.replace("trials = 120", "trials = 3"));
    stage.write("other.toml", &SCENARIO.replace("<= 0.05", "<= 0.03"));
    for scenario in ["short.toml", "other.toml"] {
        let output = stage.captune(&format!("run {scenario}"));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let said = stdout(&stage.captune("compare count.campaign short.campaign"));
    assert!(said.contains("nothing feasible"), "{said}");
    let said = stdout(&stage.captune("compare count.campaign other.campaign"));
    let why = "not ranked: other.campaign has `constraints` error <= 0.03, but the first campaign has error <= 0.05";
    assert!(said.contains(why), "{said}");
}

/// A target whose size depends on the instance. With a larger `x`, it needs fewer steps, and its files are
/// larger by 1 % for each step of `x`.
const PACKER: &str = r#"#!/bin/sh
case $2 in *small*) unit=1 ;; *) unit=1000 ;; esac
echo "steps $((100 - 10 * $1))"
echo "size $(((100 + $1) * unit))"
"#;

#[test]
fn a_bound_relative_to_the_default_is_judged_on_every_instance_by_itself() {
    let outputs = "size = { pattern = 'size ([0-9]+)' }\n";
    let scenario = SCENARIO
        .replace("[constraints]", &format!("{outputs}[constraints]"))
        .replace("error = { pattern = 'error (\\S+)' }\nright = { pattern = 'right (\\S+)' }\n", "")
        .replace("error = \"<= 0.05\"", "size = { bound = \"<= 1.03x default\", over = \"max\" }")
        .replace("default = 8", "default = 1")
        .replace(r#"["a", "b", "c"]"#, r#"["a-small", "b-large", "c-small"]"#)
        .replace(r#"["d", "e", "f", "g", "h", "i"]"#, r#"["d-small", "e-large", "f", "g-small", "h", "i"]"#);
    let stage = stage(PACKER, &scenario);
    let said = ran(&stage);
    // The default, x = 1, gives 101 %. At x = 4, the 104 % are 1.0297 times as much; 105 % would be too much.
    let status = stage.status("count.campaign");
    assert_eq!(status["best"]["values"]["x"], 4, "{said}");
    let shown = &status["best_standing"]["constraints"][0];
    assert_eq!((&shown["relative"], &shown["bound"]), (&true.into(), &1.03.into()), "{shown}");
    let value = shown["value"].as_f64().unwrap();
    assert!((value - 104.0 / 101.0).abs() < 1e-12, "{value}");
    let verdict = "worst size 1.0297x (bound <= 1.03x the default: kept); the default: 1x (kept).";
    assert!(said.contains(verdict), "{said}");
}

#[test]
fn a_search_that_finds_nothing_better_counts_the_configurations_that_violated_a_bound() {
    // Every step of `y` costs something, so no other configuration is as good as the default.
    let trader = TRADER.replace("100 - 10 * $1", "100 - 10 * $1 + $3");
    let said = ran(&stage(&trader, &SCENARIO.replace("default = 8", "default = 5")));
    let line =
        said.lines().find(|line| line.contains(" violated a bound.")).unwrap_or_else(|| panic!("{said}"));
    let (violating, all) = line.trim().split_once(" of ").unwrap();
    let all = all.split(' ').next().unwrap();
    let (violating, all): (u32, u32) = (violating.parse().unwrap(), all.parse().unwrap());
    assert!(violating * 3 > all && violating < all, "{line}: x is above 5 in 4 of 9 configurations");
}

/// A target that is fast but careless with one flag, and careful but a little slower with the other.
const HURRIED: &str = r#"#!/bin/sh
steps=100; error=2
[ "$1" = yes ] && { steps=$((steps - 80)); error=$((error + 6)); }
[ "$2" = yes ] && { steps=$((steps + 5)); error=$((error - 2)); [ "$1" = yes ] && error=3; }
echo "steps $steps"
echo "error 0.0$error"
"#;

fn hurried(default: &str) -> Stage {
    let (head, _) = SCENARIO.split_once("[space]").unwrap();
    let space = format!(
        "[space]\nfast = {{ choices = [\"no\", \"yes\"], default = \"{default}\" }}\n\
         careful = {{ choices = [\"no\", \"yes\"], default = \"no\" }}\n"
    );
    let head = head.replace("right = { pattern = 'right (\\S+)' }\n", "");
    let head = head.replace(
        "\"{param:x}\", \"{instance}\", \"{param:y}\"",
        "\"{param:fast}\", \"{param:careful}\", \"{instance}\"",
    );
    stage(HURRIED, &(head + &space))
}

#[test]
fn an_ablation_makes_no_change_that_breaks_a_bound() {
    let stage = hurried("no");
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let found: Value =
        serde_json::from_str(&stage.said("ablate count.toml --budget 60s --json --progress none")).unwrap();
    let steps: Vec<&str> = found["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["changes"][0]["name"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["careful", "fast"], "fast alone would break the bound: {found}");
    assert_eq!(found["end"], "whole");
    // The report shows the same steps, and the ablation's trials are not part of the search.
    assert_eq!(code(&stage.captune("report count.toml --json report.json")), 0);
    let pages: Value =
        serde_json::from_str(&std::fs::read_to_string(stage.folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(pages["mattered"]["ablation"], found);
    let origins = pages["search"]["origins"].as_array().unwrap();
    assert!(!origins.is_empty() && !origins.contains(&"ablation".into()), "{origins:?}");
}

#[test]
fn without_a_feasible_baseline_there_is_no_path_to_ablate() {
    let stage = hurried("yes");
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let said = stage.said("ablate count.toml --budget 60s --progress none").replace('\n', " ");
    assert!(said.contains("the default violates a bound on these pairs"), "{said}");
}
