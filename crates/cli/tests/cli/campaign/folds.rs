//! Cross-validated campaigns.

use std::collections::BTreeMap;

use campaign::folds::FoldPlan;
use rustix::process::Signal;
use store::{Store, StoredValidation};

use super::reporting::{answer, cookie, serve};
use super::stage::{SCENARIO, Stage, stored_trials};
use crate::{code, stderr};

/// Returns a scenario with eight instances in four folds.
fn scenario() -> String {
    SCENARIO
        .replace("list = [\"a\", \"b\"]", "list = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]")
        .replace("test = [\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]", "test = \"folds: 4\"")
        .replace("trials = 40", "trials = 80")
}

fn validations(stage: &Stage, fold: usize) -> Vec<StoredValidation> {
    let folder = stage.folder.join(format!("count.campaign/fold-{fold}"));
    Store::read(&folder).unwrap().validations().unwrap()
}

/// Returns the instances that a fold was tuned on.
fn tuned_on(stage: &Stage, fold: usize) -> Vec<String> {
    let folder = stage.folder.join(format!("count.campaign/fold-{fold}"));
    Store::read(&folder).unwrap().charter().unwrap().instances
}

fn plan(stage: &Stage) -> FoldPlan {
    FoldPlan::read(&stage.folder.join("count.campaign")).unwrap().unwrap()
}

#[test]
fn every_instance_is_tested_by_a_campaign_that_never_used_it() {
    let stage = Stage::new(&scenario());
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(
        said.contains("8 instances in 4 folds") && said.contains("fold 4 of 4: 6 instances + 2 unseen"),
        "{said}"
    );
    assert!(said.contains("on 24 pairs of 8 unseen instances"), "{said}");
    assert!(
        said.contains(
            "did not use this instance. The result is the gain from tuning, not from one configuration."
        ),
        "{said}"
    );
    let mut tested: BTreeMap<String, usize> = BTreeMap::new();
    for fold in 1..=4 {
        let rows = validations(&stage, fold);
        let tuned_on = tuned_on(&stage, fold);
        assert!(rows.iter().all(|row| !tuned_on.contains(&row.instance)), "{rows:?}");
        rows.iter().filter(|row| row.record.trial.key.config.0 == 0).for_each(|row| {
            *tested.entry(row.instance.clone()).or_default() += 1;
        });
        let status = stage.status(&format!("count.campaign/fold-{fold}"));
        assert_eq!((&status["spent"]["trials"], &status["budget"]["trials"]), (&20.into(), &20.into()));
    }
    assert!(tested.len() == 8 && tested.values().all(|&times| times == 3), "{tested:?}");
    // `status` shows the verdict on all folds and the configuration to use.
    let status = stage.status("count.toml");
    assert_eq!(
        (status["verdict"]["instances"].as_u64(), status["verdict"]["pairs"].as_u64()),
        (Some(8), Some(24))
    );
    let folds = status["folds"].as_array().unwrap();
    let gain = |fold: &serde_json::Value| fold["training"]["ratio"].as_f64().unwrap_or(0.0);
    let most = folds.iter().map(gain).fold(0.0, f64::max);
    let number = status["chosen"]["fold"].as_u64().unwrap();
    assert_eq!(gain(&folds[number as usize - 1]), most);
    let best = stage.said("best count.campaign");
    assert!(
        best.starts_with(&format!("fold {number}: the largest gain over the default in training")),
        "{best}"
    );
    let of_fold = stage.said(&format!("best count.campaign/fold-{number} --as json"));
    assert_eq!(stage.said("best count.campaign --as json"), of_fold);
    let text = stage.said("status count.campaign");
    assert!(text.starts_with("counting: 4 folds, 4 started\nfold-1   stopped: budget spent"), "{text}");
    for line in ["failures count.campaign", "validate count.campaign", "rerun count.campaign 1"] {
        let output = stage.captune(line);
        let said = stderr(&output);
        assert!(
            code(&output) == 2 && said.contains("name one of them, such as count.campaign/fold-1"),
            "{said}"
        );
    }
    stage.said("failures count.campaign/fold-2");
    // Nothing is run again unless the budget grows.
    let output = stage.captune("run count.campaign");
    assert_eq!(stderr(&output).matches(": already finished, in ").count(), 4, "{}", stderr(&output));
    assert!(stderr(&output).contains("on 24 pairs of 8 unseen instances"), "{}", stderr(&output));
    assert_eq!(stage.status("count.campaign/fold-1")["sessions"], 1);
    assert_eq!(code(&stage.captune("run count.toml --trials 100")), 0);
    assert_eq!(stage.status("count.campaign/fold-3")["spent"]["trials"], 25);
}

#[test]
fn a_killed_run_keeps_its_folds_and_distributes_new_instances() {
    let stage = Stage::new(&scenario());
    let mut running = stage.start("run count.toml");
    running.await_trials(25);
    running.signal(Signal::KILL);
    running.end();
    let before = plan(&stage);
    let first = stored_trials(&stage.folder.join("count.campaign/fold-1"));
    stage.write("count.toml", &scenario().replace("\"h\"]", "\"h\", \"i\", \"j\"]"));
    let output = stage.captune("run count.toml");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let after = plan(&stage);
    assert!(before.folds.iter().zip(&after.folds).all(|(old, new)| new.starts_with(old)), "{after:?}");
    assert_eq!(after.folds.concat().len(), 10);
    let told = stored_trials(&stage.folder.join("count.campaign/fold-1"));
    assert!(told.starts_with(&first), "{first:?} {told:?}");
    assert!(stderr(&output).contains(" of 10 unseen instances"), "{}", stderr(&output));
    for fold in 1..=4 {
        let own = &after.folds[fold - 1];
        assert!(tuned_on(&stage, fold).iter().all(|name| !own.contains(name)), "fold {fold}");
    }
}

#[test]
fn a_fold_with_an_incomplete_validation_is_not_finished() {
    let stage = Stage::new(&format!("{}[validation]\nbudget = \"1us\"\n", scenario()));
    assert_eq!(code(&stage.captune("run count.toml --workers 1")), 0);
    let incomplete: Vec<usize> = (1..=4).filter(|&fold| validations(&stage, fold).len() < 12).collect();
    assert!(!incomplete.is_empty());
    let said = stderr(&stage.captune("run count.toml --workers 1"));
    let ended = said.matches(": already finished, in ").count();
    assert_eq!(ended, 4 - incomplete.len(), "{said}");
}

#[test]
fn folds_without_a_gain_count_with_a_ratio_of_one() {
    let fastest = scenario()
        .replace("default = 2000", "default = 100")
        .replace("mode = { choices = [\"slow\", \"fast\"], default = \"slow\" }\n", "")
        .replace("minimise = \"cpu_time\"\ncutoff = \"2s\"", "minimise = \"loops\"")
        + "[outputs]\nloops = { pattern = 'loops (\\d+)' }\n";
    let stage = Stage::new(&fastest);
    stage.write(
        "counter",
        "#!/bin/sh\nfor w in \"$@\"; do case $w in --loops=*) echo loops ${w#*=} ;; esac; done\n",
    );
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("than the default was found in any fold. Keep the default."), "{said}");
    let rows: Vec<StoredValidation> = (1..=4).flat_map(|fold| validations(&stage, fold)).collect();
    assert!(rows.len() == 24 && rows.iter().all(|row| row.record.trial.key.config.0 == 0), "{rows:?}");
    assert_eq!(stage.status("count.campaign")["verdict"]["ratio"], 1.0);
}

#[test]
fn a_folder_has_either_folds_or_one_campaign() {
    let stage = Stage::new(&scenario());
    let output = stage.captune("import count.toml nowhere");
    assert_eq!(code(&output), 2);
    assert_eq!(code(&stage.captune("run count.toml --trials 4")), 0);
    for text in [scenario().replace("folds: 4", "folds: 3"), scenario().replace("folds: 4", "25%")] {
        stage.write("count.toml", &text);
        let output = stage.captune("run count.toml");
        let said = stderr(&output);
        assert!(code(&output) == 2 && said.contains("instances.test: folds: 4 -> "), "{said}");
    }
    stage.write("other.toml", &scenario().replace("folds: 4", "25%"));
    assert_eq!(code(&stage.captune("run other.toml --trials 4")), 0);
    stage.write("other.toml", &scenario());
    let said = stderr(&stage.captune("run other.toml"));
    assert!(said.contains("instances.test: one campaign -> folds: 4"), "{said}");
}

#[test]
fn each_fold_has_a_report_and_all_are_served_side_by_side() {
    let stage = Stage::new(&scenario());
    assert_eq!(code(&stage.captune("run count.toml --trials 24")), 0);
    let output = stage.captune("report count.toml");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("captune status count.campaign"), "{}", stderr(&output));
    for fold in 1..=4 {
        let html =
            std::fs::read_to_string(stage.folder.join(format!("count.campaign/fold-{fold}/report.html")));
        assert!(html.unwrap().contains("<section id=\"trials\">"));
    }
    let refused = stage.captune("report count.toml -o all.html");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("count.campaign/fold-1"), "{}", stderr(&refused));
    let (mut server, address, path) = serve(&stage, "serve count.toml");
    let list = answer(&address, "", &cookie(&address, &path));
    server.kill().unwrap();
    server.wait().unwrap();
    for fold in 1..=4 {
        assert!(list.contains(&format!("counting fold {fold}")), "{list}");
    }
}
