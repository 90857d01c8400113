//! Tests trials as lines of JSON, with a new process for each trial.

use std::sync::Arc;

use engine::{Cap, Reading, Status};
use scenario::testkit::{Stage, trial};

use super::{observed, program, reason, run, scenario, target};

const COST: &str = "minimise = \"cost\"\ncutoff = 30\ncapped_by = \"argument\"";

#[test]
fn the_request_and_the_answer_are_lines_of_json() {
    let stage = Stage::new();
    let script = format!(
        "cat > {}/request; echo '{{\"cost\": 1}}'; echo noise; echo '{{\"cost\": 2.5}}'; echo bye",
        stage.folder.display()
    );
    let scenario = scenario(&stage, "json", &script, COST);
    let account = run(&scenario, Cap::at(4.0));
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(2.5))));
    let request = std::fs::read_to_string(stage.folder.join("request")).unwrap();
    let request: serde_json::Value = serde_json::from_str(&request).unwrap();
    let expected = serde_json::json!({
        "trial": 0, "configuration": { "x": 2.5, "fast": true, "mode": "a b" }, "instance": "one",
        "seed": 17, "cap": 4.0, "cutoff": 30.0,
    });
    assert_eq!(request, expected);
}

/// The command line that captune shows can be pasted into a shell.
#[test]
fn the_shown_command_line_gives_the_same_request() {
    let stage = Stage::new();
    let scenario = scenario(&stage, "json", "cat", COST);
    let line = target(&scenario).command_line(&trial(&scenario, 0, Cap::at(4.0))).unwrap();
    let shown = std::process::Command::new("sh").args(["-c", &line.to_string()]).output().unwrap();
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), format!("{}\n", line.request.unwrap()));
}

#[test]
fn an_answer_reports_how_the_trial_ended() {
    let stage = Stage::new();
    let at = |answer: &str| run(&scenario(&stage, "json", &format!("echo '{answer}'"), COST), Cap::at(4.0));
    assert_eq!(observed(&at(r#"{"status": "capped"}"#)), (Status::Capped, Some(Reading::AtLeast(4.0))));
    assert_eq!(observed(&at(r#"{"status": "memory"}"#)).0, Status::Memory);
    assert_eq!(reason(&at(r#"{"status": "crashed", "reason": "no licence"}"#)), "no licence");
    assert_eq!(reason(&at(r#"{"status": "finished"}"#)), "the answer has no `cost`");
    assert_eq!(reason(&at("cost 3")), "exit 0 but no answer");
}

#[test]
fn outputs_are_found_in_the_answer() {
    let stage = Stage::new();
    program(
        &stage,
        "target",
        "#!/bin/sh\necho '{\"cost\": 9, \"outputs\": {\"latency\": {\"p99\": 3.5}, \"runs\": [1, 2]}}'\n",
    );
    let text = "[target]\ncommand = [\"./target\"]\nprotocol = \"json\"\n[objective]\nminimise = \"p99\"\n\
        [outputs]\np99 = { key = \"latency.p99\" }\nsecond = { key = \"runs.1\" }\n[budget]\ntrials = 1\n\
        [space]\nx = { integer = [1, 9] }\n";
    let account = run(&Arc::new(stage.read(text)), Cap::NONE);
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(3.5))));
    assert_eq!(account.detail.outputs["second"], 2.0);
    assert_eq!(account.detail.outputs["cost"], 9.0);
}
