//! `captune run` with a command instead of a scenario.

use super::stage::Stage;
use crate::documents::{blocks, document};
use crate::{CAPTUNE, code, stderr};
use std::process::{Command, Output};

const COMMAND: [&str; 6] = [
    "./counter",
    "--loops={100..20000 log = 2000}",
    "--mode={slow|fast = slow}",
    "{instance}",
    "{--quiet|}",
    "--seed={seed}",
];

fn run(stage: &Stage, options: &str, command: &[&str]) -> Output {
    let mut captune = Command::new(CAPTUNE);
    captune.arg("run").args(options.split_whitespace()).arg("--").args(command);
    captune.current_dir(&stage.folder).env("NO_COLOR", "1").output().unwrap()
}

#[test]
fn a_command_is_tuned_and_its_scenario_is_written() {
    let stage = Stage::new("");
    stage.write("in/a.txt", "");
    stage.write("in/b.txt", "");
    let options = "--instances in/*.txt --cutoff 2s --trials 15 --workers 1";
    let output = run(&stage, options, &COMMAND);
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.starts_with("wrote the scenario to captune.toml\n"), "{said}");
    assert!(said.contains("15 trials, "), "{said}");
    let text = std::fs::read_to_string(stage.folder.join("captune.toml")).unwrap();
    insta::assert_snapshot!(text);
    // The file is an ordinary scenario, and the same command resumes the campaign.
    assert_eq!(code(&stage.captune("check captune.toml --no-run")), 0);
    let again = run(&stage, options, &COMMAND);
    assert!(
        stderr(&again).starts_with("using the scenario in captune.toml, which is unchanged\n"),
        "{again:?}"
    );
    assert!(stderr(&again).contains("resuming captune.campaign"), "{again:?}");
    // Other verbs use this scenario by default, and the campaign is named after it.
    for line in ["check --no-run", "run", "status", "best", "failures"] {
        assert_eq!(code(&stage.captune(line)), 0, "{line}");
    }
    let by_folder = stderr(&stage.captune("run captune.campaign"));
    assert!(by_folder.contains(" · captune · 3 parameters"), "{by_folder}");
}

/// Without a seed, the command does the same work each time, but the times differ.
#[test]
fn a_small_space_is_measured_again_until_the_budget_is_spent() {
    let stage = Stage::new("");
    stage.write("in/a.txt", "");
    stage.write("in/b.txt", "");
    // Both levels take the same time, so that neither is worse.
    let command = ["sh", "-c", "sleep 0.1 # $0 $1", "-{level: 1..2 = 1}", "{instance}"];
    let output = run(
        &stage,
        "--instances in/*.txt --minimise wall_time --cutoff 2s --trials 24 --workers 1",
        &command,
    );
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    let text = std::fs::read_to_string(stage.folder.join("captune.toml")).unwrap();
    assert!(text.contains("deterministic = true"), "{text}");
    assert!(
        said.contains("Stopped: the budget of 24 trials is spent. 24 trials, 2 configurations"),
        "{said}"
    );
}

#[test]
fn a_different_scenario_is_not_replaced() {
    let stage = Stage::new("");
    stage.write("mine.toml", "# precious\n");
    let command = ["./counter", "--loops={100..200}", "{seed}"];
    let refused = run(&stage, "mine.toml --cutoff 2s --trials 2", &command);
    assert_eq!(code(&refused), 2);
    insta::assert_snapshot!(stderr(&refused));
    assert_eq!(std::fs::read_to_string(stage.folder.join("mine.toml")).unwrap(), "# precious\n");
    let forced = run(&stage, "mine.toml --cutoff 2s --trials 2 --force", &command);
    assert_eq!(code(&forced), 0, "{}", stderr(&forced));
    assert!(stage.folder.join("mine.campaign").is_dir());
}

/// The shell treats an unquoted `|` as a pipe, so captune gets only part of the command. The guide shows the
/// message.
#[test]
fn missing_quotes_are_explained_as_in_the_guide() {
    let stage = Stage::new("");
    stage.write("cnf/a.cnf", "");
    let options = "--instances cnf/*.cnf --cutoff 10s --budget 40s --success-exit 10,20";
    let output = run(&stage, options, &["minisat", "-rinc={1.1..4.0", "=", "2}", "-ccmin-mode={0"]);
    assert_eq!(code(&output), 2);
    let guide = document("docs/guides/your-first-scenario.md");
    assert!(blocks(&guide, "text").contains(&stderr(&output)), "{}", stderr(&output));
}

#[test]
fn all_errors_in_a_command_are_shown_at_once() {
    let stage = Stage::new("");
    let output = run(&stage, "--minimise cpu_time", &["./counter", "-a={9..1}", "-b={x|x}", "{instance}"]);
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stderr(&output));
    assert!(!stage.folder.join("captune.toml").exists());
}

#[test]
fn errors_in_options_are_shown_with_those_in_ranges() {
    let stage = Stage::new("");
    let options = "--cutoff soon --instances none/*.cnf --test 200% --trials 5";
    let output = run(&stage, options, &["./counter", "-a={9..1}", "{instance}"]);
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stage.hidden(&stderr(&output)));
    // The options are also checked if the command is valid. A scenario that cannot be run is not written.
    let output = run(&stage, options, &["./counter", "-a={1..9}", "{instance}"]);
    assert_eq!((code(&output), stderr(&output).contains("`--cutoff` is not a duration")), (2, true));
    assert!(!stage.folder.join("captune.toml").exists());
    let output = run(&stage, "--minimise sped --trials 5", &["./counter", "-a={1..9}", "{seed}"]);
    assert!(stderr(&output).contains("`--minimise` cannot be `sped`"), "{}", stderr(&output));
}
