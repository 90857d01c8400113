//! Targets that never succeed: captune claims no result.

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr, stdout};

const BROKEN: &str = "#!/bin/sh\necho no licence >&2\nexit 9\n";

fn stage(scenario: &str) -> Stage {
    let stage = Stage::new(scenario);
    stage.write("counter", BROKEN);
    stage
}

/// Checks that a campaign explains its failure in full, and that there is no best configuration.
fn is_refused(stage: &Stage, line: &str) {
    let output = stage.captune(line);
    let said = stderr(&output);
    assert_eq!(code(&output), 3, "{said}");
    assert!(said.contains("error: the target never succeeded"), "{said}");
    assert!(said.contains("failed: exit 9\n") && said.contains("| no licence\n"), "{said}");
    assert!(!said.contains("Verdict:") && !said.contains("Keep the default"), "{said}");
    for form in ["", " --as cmd", " --as json"] {
        let output = stage.captune(&format!("best count.campaign{form}"));
        assert_eq!((code(&output), stdout(&output)), (3, String::new()), "{form}");
        assert!(stderr(&output).contains("error: there is no best configuration: every trial of "));
    }
    assert!(stage.said("status count.campaign").contains("best     none: every trial of "));
    assert_eq!(stage.status("count.campaign")["best"], serde_json::Value::Null);
}

#[test]
fn failures_are_explained_even_with_a_tiny_budget() {
    for trials in [1, 2] {
        let stage = stage(&SCENARIO.replace("trials = 40", &format!("trials = {trials}")));
        is_refused(&stage, "run count.toml --workers 1");
        // The same holds for a second session, in which no trial runs.
        is_refused(&stage, "run count.toml --workers 1");
    }
}

#[test]
fn failures_are_explained_even_with_a_tiny_space() {
    let scenario = SCENARIO
        .replace("[budget]\n", "[racing]\ndeterministic = true\n[budget]\n")
        .replace("list = [\"a\", \"b\"]", "list = [\"a\", \"b\", \"i\"]")
        .replace(", \"--seed={seed}\"", "")
        .replace("loops = { integer = [100, 20000], default = 2000, log = true }\n", "");
    is_refused(&stage(&scenario), "run count.toml --workers 1");
}

/// The campaign stops, says what to do, and continues once that is done.
#[test]
fn a_program_that_disappears_stops_the_campaign() {
    let stage = Stage::new(SCENARIO);
    let program = stage.folder.join("counter");
    let counter = std::fs::read_to_string(&program).unwrap();
    let leaving = "cd ${0%/*}; echo x >> calls\n[ $(wc -l < calls) = 5 ] && mv counter away\necho counted\n";
    stage.write("counter", &counter.replace("echo counted\n", leaving));
    let output = stage.captune("run count.toml --workers 1");
    let said = stderr(&output);
    assert_eq!(code(&output), 3, "{said}");
    assert!(said.contains("error: could not start the target: "), "{said}");
    assert!(said.contains("; check the path"), "{said}");
    std::fs::rename(stage.folder.join("away"), program).unwrap();
    let output = stage.captune("run count.toml --workers 1 --trials 12");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stage.status("count.campaign")["spent"]["trials"], 12);
}

#[test]
fn a_failing_default_is_beaten_by_a_configuration_that_succeeds() {
    let stage =
        Stage::new(&SCENARIO.replace(
            "\"slow\", \"fast\"], default = \"slow\"",
            "\"broken\", \"fast\"], default = \"broken\"",
        ));
    let output = stage.captune("run count.toml --workers 1 --progress none");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stage.said("best count.campaign --as cmd").contains("--mode=fast"));
}

#[test]
fn a_few_lost_trials_are_not_a_success() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 3"));
    stage.write("counter", "#!/bin/sh\nkill -9 $PPID; sleep 1\n");
    for _ in 0..2 {
        let output = stage.captune("run count.toml --workers 1");
        let said = stderr(&output);
        assert_eq!(code(&output), 1, "{said}");
        assert!(
            said.contains("too many trials were lost: 3 of 3. The last one (the supervisor was lost):"),
            "{said}"
        );
    }
}
