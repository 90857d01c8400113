//! A trial is lost if its supervisor is killed. Lost trials give no information about the target.

use engine::Status;

use super::stage::{SCENARIO, Stage};
use super::validation::validations;
use crate::{code, stderr};

/// Returns a target that kills its supervisor if its arguments match the pattern. The target stops doing so
/// once there is a file `peace` next to it.
fn killer(pattern: &str) -> String {
    let kill = format!("case \"$*\" in {pattern}) kill -9 $PPID; sleep 1 ;; esac");
    format!("#!/bin/sh\n[ -e \"${{0%/*}}/peace\" ] || {kill}\ncase \"$*\" in *slow*) sleep 0.1 ;; esac\n")
}

fn scenario() -> String {
    SCENARIO
        .replace("cpu_time", "wall_time")
        .replace("trials = 40", "trials = 12")
        .replace("loops = { integer = [100, 20000], default = 2000, log = true }\n", "")
        + "[parallel]\nworkers = 1\n[validation]\nseeds = 1\n"
}

#[test]
fn a_lost_trial_of_the_default_is_not_a_gain() {
    let stage = Stage::new(&scenario());
    stage.write("counter", &killer("*slow*' 'c' '*|*slow*' 'd' '*"));
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(
        said.contains(
            "4 of 6 pairs were measured with both configurations; trials of the other pairs were lost"
        ),
        "{said}"
    );
    assert!(said.contains(" on 4 unseen instances"), "{said}");
    assert!(validations(&stage).iter().all(|row| row.record.status() == Status::Finished));
    // Once the target no longer kills its supervisor, the same command runs the lost trials again.
    stage.write("peace", "");
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains(" on 6 unseen instances"), "{said}");
    assert_eq!(validations(&stage).len(), 12);
}

#[test]
fn a_validation_without_any_trial_says_so() {
    let stage = Stage::new(&(scenario() + "when = \"never\"\n"));
    stage.write("counter", &killer("*' 'c' '*|*' 'd' '*|*' 'e' '*|*' 'f' '*|*' 'g' '*|*' 'h' '*"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let output = stage.captune("validate count.campaign --progress json");
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let last = String::from_utf8(output.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(last.lines().last().unwrap()).unwrap();
    assert_eq!((&last["verdict"], &last["gave_up"]["why"]), (&serde_json::Value::Null, &"lost".into()));
    assert_eq!(last["gave_up"]["reason"], "the supervisor was lost");
}

#[test]
fn a_campaign_whose_trials_are_lost_stops_and_counts_them() {
    let stage = Stage::new(&scenario());
    stage.write("counter", &killer("*"));
    let output = stage.captune("run count.toml --trials 1000 --progress lines");
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("! Trial 0 was lost: the supervisor was lost"), "{said}");
    assert!(said.contains("error: too many trials were lost: 10 of 10."), "{said}");
    assert!(said.contains("So far:  nothing has been measured.\n"), "{said}");
    let status = stage.status("count.campaign");
    // Another trial may have been running when the tenth lost trial was reported.
    let lost = status["lost"].as_u64().unwrap();
    assert!((10..=11).contains(&lost), "{status}");
    assert!(said.contains(&format!(", {lost} trials lost.\n")), "{said}");
    assert_eq!(status["trials"]["lost"], lost);
    assert!(stage.said("status count.campaign").contains(&format!("{lost} trials: 100 % lost")));
    // The next session continues the count of lost trials.
    stage.write("peace", "");
    let output = stage.captune("run count.toml --trials 20");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains(&format!(", {lost} trials lost.\n")), "{said}");
}
