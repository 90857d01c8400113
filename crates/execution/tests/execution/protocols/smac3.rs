//! Scripts for SMAC3.

use std::process::Command;
use std::sync::Arc;

use engine::{Cap, Reading, Status};
use scenario::testkit::Stage;

use super::{called, observed, program, reason, recording, run, scenario};

const COST: &str = "minimise = \"cost\"";

#[test]
fn a_script_is_called_as_by_smac3() {
    let stage = Stage::new();
    let script =
        recording(&stage, "echo 'cost=0.5; runtime=0.25; status=SUCCESS; additional_info=x'; exit 1");
    let account = run(&scenario(&stage, "smac3", &script, COST), Cap::NONE);
    let call = ["always", "--seed=17", "--instance=one", "--instance_features=[]"];
    assert_eq!(called(&stage), [call.as_slice(), &["--x=2.5", "--fast=True", "--mode=a b"]].concat());
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(0.5))));
    assert_eq!(account.detail.outputs["runtime"], 0.25);
    let capped = format!("{COST}\ncutoff = 30\ncapped_by = \"argument\"");
    run(&scenario(&stage, "smac3", &script, &capped), Cap::at(1.5));
    assert_eq!(called(&stage)[4], "--cutoff=1.500");
}

#[test]
fn statuses_have_the_meaning_of_smac3() {
    let stage = Stage::new();
    let capped = format!("{COST}\ncutoff = 30\ncapped_by = \"argument\"");
    let at = |answer: &str, objective: &str| {
        run(&scenario(&stage, "smac3", &format!("echo '{answer}'"), objective), Cap::at(5.0))
    };
    assert_eq!(
        observed(&at("cost=5; status=TIMEOUT", &capped)),
        (Status::Capped, Some(Reading::AtLeast(5.0)))
    );
    // SMAC3 ignores the cost unless the status is `SUCCESS`.
    assert_eq!(reason(&at("cost=5; status=TIMEOUT", COST)), "the target reported a timeout");
    assert_eq!(observed(&at("cost=5; status=MEMORYOUT", COST)).0, Status::Memory);
    assert_eq!(reason(&at("cost=5; status=CRASHED", COST)), "the target reported a crash");
    assert_eq!(reason(&at("runtime=5", COST)), "exit 0 but no answer");
}

/// Features of an instance are passed to the target, as in SMAC3.
#[test]
fn features_are_passed() {
    let stage = Stage::new();
    stage.file("features.csv", "name,rows,cols\none,1.5,2\n");
    program(&stage, "target", &format!("#!/bin/sh\n{}\n", recording(&stage, "echo cost=1")));
    let text = "[target]\ncommand = [\"./target\"]\nprotocol = \"smac3\"\n[objective]\nminimise = \"cost\"\n\
        [instances]\nlist = [\"one\"]\nfeatures = \"features.csv\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
    run(&Arc::new(stage.read(text)), Cap::NONE);
    assert_eq!(called(&stage)[2], "--instance_features=[1.5,2.0]");
}

const SCRIPT: &str = r#"#!/bin/sh
echo "$@" >> "${0%/*}/calls"
for word; do case $word in --n=*) n=${word#--n=} ;; esac; done
echo "cost=$((n * n)); runtime=0.5; status=SUCCESS"
"#;

/// `SMAC3_PYTHON` names a Python interpreter that has SMAC3 installed, if `python3` does not have it.
const SMAC: &str = r#"
import sys
from ConfigSpace import ConfigurationSpace, Integer, Categorical
from smac import Scenario, AlgorithmConfigurationFacade as Facade
space = ConfigurationSpace(seed=1)
space.add([Categorical("fast", [True, False], default=True), Integer("n", (1, 9), default=4)])
scenario = Scenario(space, instances=["a", "b"], instance_features={"a": [1.5, 2], "b": [3.25, 4]}, n_trials=4,
                    deterministic=True, output_directory=sys.argv[1] + "/smac3")
best = Facade(scenario, sys.argv[1] + "/target", overwrite=True, logging_level=50).optimize()
"#;

/// SMAC3 itself calls the same script with the same arguments as captune.
#[test]
fn smac3_itself_calls_the_same_script() {
    let python = std::env::var("SMAC3_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_smac = Command::new(&python).args(["-c", "import smac"]).output();
    if !has_smac.is_ok_and(|output| output.status.success()) {
        println!("skipped: SMAC3 is not installed; set SMAC3_PYTHON to an interpreter that has it");
        return;
    }
    let stage = Stage::new();
    program(&stage, "target", SCRIPT);
    let smac = stage.file("tune.py", SMAC);
    let output = Command::new(&python).arg(smac).arg(&stage.folder).output().unwrap();
    let calls = std::fs::read_to_string(stage.folder.join("calls")).unwrap_or_default();
    assert_eq!(calls.lines().count(), 4, "{}", String::from_utf8_lossy(&output.stderr));

    stage.file("features.csv", "name,f,g\na,1.5,2\nb,3.25,4\n");
    let text = "[target]\ncommand = [\"./target\"]\nprotocol = \"smac3\"\n[objective]\nminimise = \"cost\"\n\
        [instances]\nlist = [\"a\", \"b\"]\nfeatures = \"features.csv\"\n[racing]\ndeterministic = true\n\
        [budget]\ntrials = 1\n[space]\nfast = { boolean = true }\nn = { integer = [1, 9], default = 4 }\n";
    let scenario = Arc::new(stage.read(text));
    for theirs in calls.lines() {
        let value = |name: &str| {
            let start = format!("--{name}=");
            theirs.split(' ').find_map(|word| word.strip_prefix(&start)).unwrap_or_else(|| panic!("{theirs}"))
        };
        let mut trial = scenario::testkit::trial(&scenario, u32::from(value("instance") == "b"), Cap::NONE);
        let (fast, n) = (value("fast") == "True", value("n").parse::<i64>().unwrap());
        trial.configuration = scenario.space.configuration([("fast", fast.into()), ("n", n.into())]).unwrap();
        let target = super::target(&scenario);
        let account = execution::Target::run(&target, &trial, &execution::Leash::new()).unwrap();
        assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact((n * n) as f64))));
        let calls = std::fs::read_to_string(stage.folder.join("calls")).unwrap();
        // Seeds differ, and numbers may be formatted differently.
        let words = |line: &str| -> Vec<String> {
            let words = line.split(' ').filter(|word| !word.starts_with("--seed="));
            words.map(|word| word.replace("2.0]", "2]").replace("4.0]", "4]")).collect()
        };
        assert_eq!(words(calls.lines().last().unwrap()), words(theirs));
        assert!(theirs.contains("--seed="));
    }
}
