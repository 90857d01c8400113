//! Validation of the best configuration against the default.

use engine::Status;
use store::{Store, StoredValidation};

use super::stage::{SCENARIO, SLEEPER, Stage};
use crate::{code, stderr};

pub(super) fn validations(stage: &Stage) -> Vec<StoredValidation> {
    Store::read(&stage.folder.join("count.campaign")).unwrap().validations().unwrap()
}

/// Returns a scenario whose target takes 0.3 s by default. The search stops trials after 0.1 s.
fn sleeper_scenario() -> String {
    let scenario = SCENARIO
        .replace("cpu_time", "wall_time")
        .replace("cutoff = \"2s\"", "cutoff = \"100ms\"")
        .replace("trials = 40", "trials = 10")
        .replace("loops = { integer = [100, 20000], default = 2000, log = true }\n", "");
    scenario + "[validation]\ncutoff = \"20s\"\nseeds = 2\n"
}

fn sleeper() -> Stage {
    let stage = Stage::new(&sleeper_scenario());
    stage.write("counter", SLEEPER);
    stage
}

#[test]
fn the_validation_has_a_cutoff_and_seeds_of_its_own() {
    let stage = sleeper();
    let output = stage.captune("run count.toml --workers 1");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("x faster than the default on 12 pairs of 6 unseen instances"), "{said}");
    let unseen = "6 instances without a timeout cannot rule out rare timeouts: the gain would be lost if the best timed out on 0.";
    assert!(said.contains(unseen), "{said}");
    assert_eq!(stage.status("count.campaign")["verdict"]["unseen_timeouts"]["share"], 0.5);
    let rows = validations(&stage);
    assert_eq!(rows.len(), 24);
    assert!(rows.iter().all(|row| row.record.status() == Status::Finished), "{rows:?}");
    let told = stage.said("status count.campaign");
    assert!(told.contains("verdict") && told.contains("12 pairs of 6 unseen"), "{told}");
}

#[test]
fn status_judges_all_pairs_of_a_session_with_another_budget() {
    let names: Vec<String> = (0..30).map(|number| format!("\"i{number}\"")).collect();
    let scenario = sleeper_scenario().replace("[\"a\", \"b\"]", &format!("[{}]", names.join(", ")));
    let scenario = scenario
        .replace("test = [\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]\n", "")
        .replace("seeds = 2\n", "");
    let stage = Stage::new(&scenario);
    stage.write("counter", "#!/bin/sh\ncase \"$*\" in *slow*) sleep 0.05 ;; esac\n");
    let said = stderr(&stage.captune("run count.toml --trials 60"));
    assert!(said.contains("on 30 pairs of 30 instances with fresh seeds"), "{said}");
    assert_eq!(stage.status("count.campaign")["verdict"]["pairs"], 30);
}

#[test]
fn a_validation_can_be_skipped_and_done_later() {
    let stage = Stage::new(&format!("{SCENARIO}[validation]\nwhen = \"never\"\n"));
    let said = stderr(&stage.captune("run count.toml"));
    assert!(
        said.contains("Training only: there was no validation, because `validation.when` is `never`.\n"),
        "{said}"
    );
    assert!(!said.contains("Verdict:") && validations(&stage).is_empty(), "{said}");
    stage.write("count.toml", SCENARIO);
    let said = stderr(&stage.captune("run count.toml"));
    // The size of the gain is not checked, because it depends on the load of the machine.
    assert!(said.contains(" on 24 pairs of 6 unseen instances"), "{said}");
}

#[test]
fn the_budget_of_the_validation_is_kept_and_the_next_session_completes_it() {
    let stage = Stage::new(&format!("{SCENARIO}[validation]\nbudget = \"1us\"\n"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    assert!(validations(&stage).len() < 48);
    stage.write("count.toml", SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let rows = validations(&stage);
    assert_eq!(rows.len(), 48);
    assert_eq!(rows.iter().filter(|row| row.record.trial.key.config.0 == 0).count(), 24);
}

#[test]
fn a_validation_takes_no_longer_than_the_campaign_by_default() {
    // Half a second is enough for the search and part of the validation.
    let scenario =
        sleeper_scenario().replace("trials = 10", "wall = \"500ms\"").replace("seeds = 2", "seeds = 20");
    let stage = Stage::new(&scenario);
    stage.write("counter", SLEEPER);
    let said = stderr(&stage.captune("run count.toml --workers 1"));
    let part = "new campaign in count.campaign, budget 500ms, then at most 500ms for the validation\n";
    assert!(said.contains(part), "{said}");
    let after_first = validations(&stage).len();
    assert!(after_first < 240, "{after_first}");
    // `validation.budget` has priority over the wall-time budget. Without either, there is no limit.
    stage.write("count.toml", &format!("{scenario}budget = \"1us\"\n"));
    let said = stderr(&stage.captune("run count.toml --workers 1"));
    assert!(said.contains("budget 500ms in total, then at most 1us for the validation\n"), "{said}");
    stage.write("count.toml", &sleeper_scenario());
    let said = stderr(&stage.captune("run count.toml --workers 1"));
    assert!(said.contains("budget 10 trials in total\n"), "{said}");
}

#[test]
fn the_best_can_be_validated_later() {
    let stage = Stage::new(&format!("{SCENARIO}[validation]\nwhen = \"never\"\n"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let said = stage.said("validate count.campaign --seeds 2");
    assert!(said.contains(" on 12 pairs of 6 unseen instances"), "{said}");
    assert_eq!(validations(&stage).len(), 24);
    // Pairs that have been measured are not measured again. With a longer cutoff, every pair is.
    stage.said("validate count.campaign --seeds 2");
    assert_eq!(validations(&stage).len(), 24);
    stage.said("validate count.campaign --seeds 1 --cutoff 3s");
    assert_eq!(validations(&stage).len(), 36);
    let said = stage.said("validate count.campaign --seeds 4 --instances x y z --workers 1");
    assert!(said.contains("on 12 pairs of 3 unseen instances"), "{said}");
    let output = stage.captune("validate count.campaign --instances a");
    assert_eq!((code(&output), stderr(&output).contains("`a` was used for tuning")), (2, true));
    // The campaign can still be resumed.
    let output = stage.captune("run count.toml --trials 50");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stage.status("count.campaign")["spent"]["trials"], 50);
}

/// A validation on other instances measures, but does not search. What the search has found stands.
#[test]
fn a_later_validation_keeps_the_end_of_the_search() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    let reason = || {
        let sessions = Store::read(&stage.folder.join("count.campaign")).unwrap().sessions().unwrap();
        sessions.last().unwrap().reason.clone().unwrap()
    };
    let before = reason();
    assert!(before.starts_with("budget spent"), "{before}");
    stage.said("validate count.campaign --seeds 1 --instances x y z");
    assert_eq!(reason(), before);
    // The campaign is found by its scenario's name even if that file is gone.
    std::fs::rename(stage.folder.join("count.toml"), stage.folder.join("elsewhere")).unwrap();
    assert!(stage.said("status count.toml").contains("verdict"));
}

#[test]
fn any_configuration_can_be_validated() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    let (before, tried) =
        (validations(&stage).len(), stage.status("count.campaign")["configurations"].clone());
    stage.write("mine.conf", "loops 20000\nmode slow\n");
    let said = stage.said("validate count.toml --config mine.conf");
    assert!(said.contains("x slower than the default on 24 pairs of 6 unseen instances"), "{said}");
    // The default is timed again beside the new configuration.
    assert_eq!(validations(&stage).len(), before + 48);
    // The validated configuration does not count as tried by the search.
    assert_eq!(stage.status("count.campaign")["configurations"], tried);
    stage.write("mine.conf", "loops 2000\n");
    let output = stage.captune("validate count.toml --config mine.conf");
    assert_eq!((code(&output), stderr(&output).contains("nothing to validate")), (2, true));
    assert_eq!(code(&stage.captune("run count.toml --trials 20")), 0);
}

#[test]
fn a_fresh_validation_measures_again() {
    let stage = Stage::new(&format!("{SCENARIO}[validation]\nseeds = 1\n"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let before = validations(&stage);
    assert_eq!(before.len(), 12);
    let here = format!("Measured on {}.", store::host_name());
    let said = stage.said("validate count.campaign");
    assert!(said.contains(" on 6 unseen instances") && said.contains(&here), "{said}");
    assert_eq!(validations(&stage).len(), 12, "known pairs are not measured again");
    let said = stage.said("validate count.campaign --fresh --progress json");
    let after = validations(&stage);
    assert_eq!(after.len(), 24, "the new measurements are stored, too");
    assert_eq!(after[..12], before[..]);
    let verdict: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let cost = |row: &StoredValidation| row.record.trial.observation.cost().unwrap().lower_bound();
    let costs = after[12..].iter().filter(|row| row.key().0.0 == 0).map(cost);
    let ratio = verdict["verdict"]["default"].as_f64().unwrap() / (costs.sum::<f64>() / 6.0);
    assert!((ratio - 1.0).abs() < 1e-9, "the verdict is based on the new measurements: {verdict}");
}

/// Times measured on another machine are not comparable. So a campaign that was copied from another machine
/// is measured again.
#[test]
fn a_verdict_names_its_machine_and_a_copied_campaign_is_measured_again() {
    let stage = Stage::new(&format!("{SCENARIO}[validation]\nseeds = 1\n"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let here = stage.status("count.campaign")["verdict"]["hosts"].clone();
    assert_eq!(here, serde_json::json!([store::host_name()]));
    assert_eq!(validations(&stage).len(), 12);
    let store = rusqlite::Connection::open(stage.folder.join("count.campaign/campaign.sqlite")).unwrap();
    store.execute("UPDATE session SET host = 'farm-7'", []).unwrap();
    drop(store);
    assert_eq!(stage.status("count.campaign")["verdict"]["hosts"], serde_json::json!(["farm-7"]));
    assert!(stage.said("status count.campaign").contains("Measured on farm-7."));
    let said = stage.said("validate count.campaign");
    assert!(!said.contains("farm-7"), "{said}");
    assert_eq!(validations(&stage).len(), 24);
    assert_eq!(stage.status("count.campaign")["verdict"]["hosts"], here);
    // The pairs have now been measured on this machine, so nothing is measured again.
    stage.said("validate count.campaign");
    assert_eq!(validations(&stage).len(), 24);
}

#[test]
fn configurations_judged_on_the_same_pairs_are_counted() {
    let stage = Stage::new(&format!("{SCENARIO}[validation]\nseeds = 1\n"));
    let said = stderr(&stage.captune("run count.toml"));
    assert!(!said.contains("have been judged on these pairs"), "{said}");
    stage.write("mine.conf", "loops 300\nmode slow\n");
    let said = stage.said("validate count.toml --config mine.conf");
    let line = "2 configurations have been judged on these pairs so far; the probability that one of them looks \
                better by luck alone is up to 10 %.";
    assert!(said.contains(line), "{said}");
    // On other instances, this is the only configuration that has been judged.
    let said = stage.said("validate count.toml --config mine.conf --instances x y z u v w");
    assert!(!said.contains("have been judged on these pairs"), "{said}");
}
