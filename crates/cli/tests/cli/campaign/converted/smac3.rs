//! A folder written by SMAC3.

use std::process::Command;

use super::{best, checked, converted, gain, load, program};
use crate::campaign::stage::Stage;
use crate::stderr;

/// A target that is called first by SMAC3 and then by captune. Its best settings are `n` = 7 and `fast`.
const TARGET: &str = r#"#!/bin/sh
for word; do
  case $word in
    --n=*) n=${word#*=} ;;
    --fast=*) fast=${word#*=} ;;
    --instance=*) size=${word#*=} ;;
    --seed=*) seed=${word#*=} ;;
  esac
done
factor=2
[ "$fast" = True ] && factor=1
echo "cost=$((size * factor * (10 + (n - 7) * (n - 7)) + seed % 3)); runtime=0.5; status=SUCCESS"
"#;

const SMAC3: &str = r#"
import sys
from ConfigSpace import ConfigurationSpace, Integer, Categorical
from smac import Scenario, AlgorithmConfigurationFacade as Facade
space = ConfigurationSpace(seed=1)
space.add([Categorical("fast", [False, True], default=False), Integer("n", (1, 50), default=30)])
sizes = ["10", "20", "30", "40"]
scenario = Scenario(space, name="small", instances=sizes, instance_features={s: [int(s), 1] for s in sizes},
                    n_trials=15, seed=3, output_directory="out")
Facade(scenario, sys.argv[1], overwrite=True, logging_level=50).optimize()
"#;

/// Runs a script with SMAC3, if it is installed. `CAPTUNE_PEERS` names a Python interpreter that can import
/// SMAC3.
fn smac3(stage: &Stage) -> bool {
    let python = std::env::var("CAPTUNE_PEERS").unwrap_or_else(|_| "python3".to_owned());
    let run = |script: &str| {
        let target = stage.folder.join("target");
        let mut command = Command::new(&python);
        command.args(["-W", "ignore", "-c", script]).arg(target).current_dir(&stage.folder).output()
    };
    if !run("import smac").is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} has no smac; CAPTUNE_PEERS may name a Python that has it");
        return false;
    }
    let output = run(SMAC3).unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    true
}

#[test]
fn a_run_of_smac3_is_continued() {
    let stage = Stage::new("");
    program(&stage, "target", TARGET);
    if !smac3(&stage) {
        return;
    }
    let said = converted(&stage, "out/small/3");
    assert!(!said.contains("not carried over"), "{said}");
    assert!(said.contains("then: captune import new.toml out/small/3/runhistory.json"), "{said}");
    let call = checked(&stage);
    assert_eq!(
        call,
        "FOLDER/target --seed=1 --instance=10 '--instance_features=[10.0,1.0]' --fast=False --n=30"
    );
    let imported = stderr(&stage.captune("import new.toml out/small/3/runhistory.json"));
    assert!(imported.starts_with("imported 15 of 15 runs (15 finished) of "), "{imported}");
    let theirs = load(&stage);
    let gain = gain(&stage, 60);
    let ours = load(&stage);
    for (theirs, ours) in theirs.history.trials().iter().zip(ours.history.trials()) {
        assert_eq!((theirs.key, &theirs.observation), (ours.key, &ours.observation));
    }
    assert!(gain > 10.0, "{gain}");
    assert_eq!(best(&stage)["fast"], true, "{}", best(&stage));
}
