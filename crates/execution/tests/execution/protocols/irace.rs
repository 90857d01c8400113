//! Target runners for irace.

use std::process::Command;
use std::sync::Arc;

use engine::{Cap, Reading, Status};
use scenario::testkit::Stage;

use super::{called, observed, program, reason, recording, run, scenario};

const COST: &str = "minimise = \"cost\"";
const CAPPED: &str = "minimise = \"cost\"\ncutoff = 30\ncapped_by = \"argument\"";

#[test]
fn a_runner_is_called_as_by_irace() {
    let stage = Stage::new();
    let script = recording(&stage, "echo 12.5 0.25");
    let account = run(&scenario(&stage, "irace", &script, COST), Cap::NONE);
    let parameters = ["--x=2.5", "--fast=true", "--mode=a b"];
    assert_eq!(called(&stage), [["always", "1", "1", "17", "one"].as_slice(), &parameters].concat());
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(12.5))));
    assert_eq!(account.detail.outputs["time"], 0.25);
    // The bound, in whole seconds, is passed only if there is one.
    run(&scenario(&stage, "irace", &script, CAPPED), Cap::at(3.2));
    assert_eq!(called(&stage)[..6], ["always", "1", "1", "17", "one", "4"]);
    run(&scenario(&stage, "irace", &script, &format!("{CAPPED}\ngrain = 0.1")), Cap::at(3.21));
    assert_eq!(called(&stage)[5], "3.3");
}

/// irace passes its switches to a shell, which splits them at spaces.
#[test]
fn switches_are_split_into_words() {
    let stage = Stage::new();
    program(&stage, "target", &format!("#!/bin/sh\n{}\n", recording(&stage, "echo 1")));
    stage.file(
        "parameters.txt",
        "a \"--a  \" i (5, 5)\nb \"--set b=\" i (6, 6)\nc \"-c\" i (7, 7)\nd \"\" c (x)\ne \" \" c (y)\n",
    );
    let text = "[target]\ncommand = [\"./target\"]\nprotocol = \"irace\"\n[objective]\nminimise = \"cost\"\n\
        [budget]\ntrials = 1\n[space]\nfrom = \"parameters.txt\"\n";
    run(&Arc::new(stage.read(text)), Cap::NONE);
    assert_eq!(called(&stage)[4..], ["--a", "5", "--set", "b=6", "-c7", "x", "y"]);
    // Without a shell, a space inside a switch is part of the word.
    let text = text.replace("[\"./target\"]", "[\"./target\", \"{params}\", \"{seed}\"]");
    let text =
        text.replace("protocol = \"irace\"\n", "").replace("\"cost\"", "\"wall_time\"\ncutoff = \"60s\"");
    run(&Arc::new(stage.read(&text)), Cap::NONE);
    assert_eq!(called(&stage)[..6], ["--a", "5", "--set b=6", "-c7", "x", "y"]);
}

#[test]
fn a_cost_at_the_bound_is_a_lower_bound() {
    let stage = Stage::new();
    let at =
        |answer: &str, cap| run(&scenario(&stage, "irace", &format!("echo {answer}"), CAPPED), Cap::at(cap));
    assert_eq!(observed(&at("2.5 2.5", 3.2)), (Status::Finished, Some(Reading::Exact(2.5))));
    assert_eq!(observed(&at("40 4", 3.2)), (Status::Capped, Some(Reading::AtLeast(3.2))));
    assert_eq!(observed(&at("30 30", 30.0)), (Status::Timeout, Some(Reading::AtLeast(30.0))));
}

#[test]
fn a_missing_answer_is_a_crash() {
    let stage = Stage::new();
    let why = |script: &str| reason(&run(&scenario(&stage, "irace", script, COST), Cap::NONE)).to_owned();
    assert_eq!(why("echo Inf"), "the target rejected the configuration");
    assert_eq!(why("echo best: 3"), "exit 0 but no answer");
    assert_eq!(why("echo 3; exit 2"), "exit 2");
    assert_eq!(why("exit 1"), "exit 1 and no answer");
}

const RUNNER: &str = r#"#!/bin/sh
echo "$@" >> "${0%/*}/calls"
x=${7#-x}
echo $((x * x + ${#4})) 0.5
"#;

/// irace itself calls the same runner with the same arguments as captune.
#[test]
fn irace_itself_calls_the_same_runner() {
    let has_irace = Command::new("Rscript").args(["-e", "library(irace)"]).output();
    if !has_irace.is_ok_and(|output| output.status.success()) {
        println!("skipped: irace is not installed");
        return;
    }
    let stage = Stage::new();
    program(&stage, "target-runner", RUNNER);
    stage.file("parameters.txt", "mode \"--mode \" c (fast, slow)\nx \"-x\" i (1, 50)\n");
    let script = format!(
        "library(irace); setwd('{}'); s <- list(targetRunner='./target-runner', maxExperiments=120, seed=7, \
         trainInstancesDir='', instances=c('abc', 'defgh'), logFile='', quiet=TRUE); \
         invisible(irace(scenario=s, parameters=readParameters(file='parameters.txt')))",
        stage.folder.display()
    );
    let output = Command::new("Rscript").args(["-e", &script]).output().unwrap();
    let calls = std::fs::read_to_string(stage.folder.join("calls")).unwrap_or_default();
    assert!(!calls.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));

    let text = "[target]\ncommand = [\"./target-runner\"]\nprotocol = \"irace\"\n[objective]\nminimise = \"cost\"\n\
        [instances]\nlist = [\"abc\", \"defgh\"]\n[budget]\ntrials = 1\n[space]\nfrom = \"parameters.txt\"\n";
    let scenario = Arc::new(stage.read(text));
    for theirs in calls.lines().take(3) {
        let words: Vec<&str> = theirs.split(' ').collect();
        let &[_, _, _, instance, switch, mode, x] = &words[..] else { panic!("{theirs}") };
        assert_eq!(switch, "--mode");
        let mut trial = scenario::testkit::trial(&scenario, u32::from(instance == "defgh"), Cap::NONE);
        let x = x.strip_prefix("-x").unwrap().parse::<i64>().unwrap();
        trial.configuration = scenario.space.configuration([("mode", mode.into()), ("x", x.into())]).unwrap();
        let target = super::target(&scenario);
        let account = execution::Target::run(&target, &trial, &execution::Leash::new()).unwrap();
        assert_eq!(observed(&account).0, Status::Finished, "{:?}", account.detail);
        let calls = std::fs::read_to_string(stage.folder.join("calls")).unwrap();
        let ours: Vec<&str> = calls.lines().last().unwrap().split(' ').collect();
        // The seeds and the numbers of configurations and instances differ, so they are not compared.
        assert_eq!(ours[3..], words[3..]);
        assert_eq!(ours.len(), words.len());
    }
}
