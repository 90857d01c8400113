//! Single trials: checking them, running them again, and explaining why they failed.

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr, stdout};

fn with_broken_mode() -> String {
    SCENARIO.replace(r#"["slow", "fast"]"#, r#"["slow", "fast", "broken"]"#)
}

#[test]
fn a_check_shows_the_command_and_runs_it() {
    let stage = Stage::new(SCENARIO);
    let output = stage.captune("check count.toml");
    let said = stage.hidden(&stdout(&output));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(said.contains("budget: 40 trials\nlimits per trial: CPU time 2s, wall time 9s\n"), "{said}");
    let command =
        "one trial of the default on a with seed 1:\n  FOLDER/counter --loops=2000 --mode=slow a --seed=1\n";
    assert!(said.contains(command), "{said}");
    let result = said.lines().last().unwrap();
    // Memory is not expected, because it is shown only if it was sampled before the trial ended.
    for part in ["  finished · cost ", " · cpu ", " · wall ", " · exit code 0"] {
        assert!(result.contains(part), "{result}");
    }
    assert!(!stage.folder.join("count.campaign").exists(), "nothing is stored");
    let printed = stdout(&stage.captune("check --no-run count.toml"));
    assert!(stage.hidden(&printed).ends_with(command), "{printed}");
}

#[test]
fn a_failing_check_is_explained() {
    let stage = Stage::new(&SCENARIO.replace("[objective]", "success = { exit = [10, 20] }\n[objective]"));
    let output = stage.captune("check count.toml");
    assert_eq!(code(&output), 3);
    let said = stage.hidden(&stderr(&output));
    let start = "captune: error: the trial failed\n  FOLDER/counter --loops=2000 --mode=slow a --seed=1\n  \
                 failed: exit 0\n  standard output:\n  | counted\n\nhint: if exit code 0 means success, set ";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn failures_are_grouped_and_can_be_run_again() {
    let stage = Stage::new(&with_broken_mode());
    let output = stage.captune("run count.toml");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains(" failed: exit 7 (see `captune failures count.campaign`)"),
        "{output:?}"
    );
    let said = stage.said("failures count.campaign");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].ends_with(": exit 7"), "{said}");
    assert!(said.contains("  standard error:\n  | cannot count in broken mode\n"), "{said}");
    let rerun = lines.last().unwrap().trim().strip_prefix("captune ").unwrap();
    assert!(rerun.starts_with("rerun count.campaign "), "{said}");

    let again = stage.captune(rerun);
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    let shown = stage.hidden(&stderr(&again));
    assert!(shown.starts_with("captune: FOLDER/counter --loops="), "{shown}");
    assert!(shown.contains("\ncannot count in broken mode\n"), "{shown}");
    let row = |name: &str| {
        shown.lines().find(|line| line.trim_start().starts_with(name)).unwrap().trim().to_owned()
    };
    let words = |name: &str| row(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words("ended"), ["ended", "crashed", "crashed"]);
    assert_eq!(words("exit"), ["exit", "exit", "code", "7", "exit", "code", "7"]);
    assert_eq!(words("because"), ["because", "exit", "7", "exit", "7"]);
}

#[test]
fn without_failures_there_is_nothing_to_show() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 5")), 0);
    assert_eq!(stage.said("failures count.toml"), "no failed trials\n");
    let again = stage.captune("rerun count.toml 1");
    assert_eq!((code(&again), stdout(&again).as_str()), (0, "counted\n"), "{}", stderr(&again));
    let none = stage.captune("rerun count.toml 999");
    assert_eq!(code(&none), 2);
    assert!(
        stderr(&none).contains("there is no trial 999 in count.campaign\nhint: choose a trial up to "),
        "{none:?}"
    );
}

#[test]
fn a_target_that_never_succeeds_is_explained_and_a_corrected_scenario_starts_again() {
    let stage = Stage::new(&SCENARIO.replace("[objective]", "success = { exit = 3 }\n[objective]"));
    let output = stage.command("run count.toml").env("MYSOLVER_LICENSE", "x").output().unwrap();
    let said = stage.hidden(&stderr(&output));
    assert_eq!(code(&output), 3, "{said}");
    let (_, explained) = said.split_once("captune: error: the target never succeeded: ").expect(&said);
    assert!(explained.contains("\n  FOLDER/counter --loops=2000 --mode=slow "), "{said}");
    assert!(explained.contains("  failed: exit 0\n  standard output:\n  | counted\n"), "{said}");
    assert!(
        explained.contains("hint: if exit code 0 means success, set `success = { exit = [0] }`"),
        "{said}"
    );
    assert!(!explained.contains("MYSOLVER_LICENSE"), "the target does not complain about a licence: {said}");

    stage.write("count.toml", &SCENARIO.replace("trials = 40", "trials = 5"));
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("the previous one is kept in count.campaign/campaign-1.sqlite"), "{said}");
}
