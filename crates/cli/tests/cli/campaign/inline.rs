//! A command with parameters in it, in place of a scenario.

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
fn a_command_is_tuned_and_its_scenario_is_written_down() {
    let stage = Stage::new("");
    stage.write("in/a.txt", "");
    stage.write("in/b.txt", "");
    let options = "--instances in/*.txt --cutoff 2s --trials 15 --workers 1";
    let output = run(&stage, options, &COMMAND);
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.starts_with("the scenario is in captune.toml\n"), "{said}");
    assert!(said.contains("15 trials, "), "{said}");
    let text = std::fs::read_to_string(stage.folder.join("captune.toml")).unwrap();
    insta::assert_snapshot!(text);
    // It is a scenario like any other, and the same command goes on with it.
    assert_eq!(code(&stage.captune("check captune.toml --no-run")), 0);
    let again = run(&stage, options, &COMMAND);
    assert!(stderr(&again).starts_with("the scenario is in captune.toml, as before\n"), "{again:?}");
    assert!(stderr(&again).contains("going on in captune.campaign"), "{again:?}");
    // So it is for all who name none, and the campaign is called after it wherever it is opened.
    for line in ["check --no-run", "run", "status", "best", "failures"] {
        assert_eq!(code(&stage.captune(line)), 0, "{line}");
    }
    let by_folder = stderr(&stage.captune("run captune.campaign"));
    assert!(by_folder.contains(" · captune · 3 parameters"), "{by_folder}");
}

/// Without a seed the command does the same each time, but not in the same time.
#[test]
fn a_small_space_is_measured_again_until_the_budget_is_spent() {
    let stage = Stage::new("");
    stage.write("in/a.txt", "");
    stage.write("in/b.txt", "");
    // Both take the same time, so that no one can be told to be worse.
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
fn a_scenario_that_says_something_else_is_not_replaced() {
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

/// A bar without quotes is a pipe: the rest of the line never comes here. The guide shows what is said.
#[test]
fn what_a_shell_has_kept_is_explained_as_the_guide_shows() {
    let stage = Stage::new("");
    stage.write("cnf/a.cnf", "");
    let options = "--instances cnf/*.cnf --cutoff 10s --budget 40s --success-exit 10,20";
    let output = run(&stage, options, &["minisat", "-rinc={1.1..4.0", "=", "2}", "-ccmin-mode={0"]);
    assert_eq!(code(&output), 2);
    let guide = document("docs/guides/your-first-scenario.md");
    assert!(blocks(&guide, "text").contains(&stderr(&output)), "{}", stderr(&output));
}

#[test]
fn all_mistakes_of_a_command_are_shown_at_once() {
    let stage = Stage::new("");
    let output = run(&stage, "--minimise cpu_time", &["./counter", "-a={9..1}", "-b={x|x}", "{instance}"]);
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stderr(&output));
    assert!(!stage.folder.join("captune.toml").exists());
}

#[test]
fn mistakes_in_options_are_shown_with_those_in_ranges() {
    let stage = Stage::new("");
    let options = "--cutoff soon --instances none/*.cnf --test 200% --trials 5";
    let output = run(&stage, options, &["./counter", "-a={9..1}", "{instance}"]);
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stage.hidden(&stderr(&output)));
    // Also where the command itself is sound: no scenario is left behind that cannot be run.
    let output = run(&stage, options, &["./counter", "-a={1..9}", "{instance}"]);
    assert_eq!((code(&output), stderr(&output).contains("`--cutoff` is not a duration")), (2, true));
    assert!(!stage.folder.join("captune.toml").exists());
    let output = run(&stage, "--minimise sped --trials 5", &["./counter", "-a={1..9}", "{seed}"]);
    assert!(stderr(&output).contains("`--minimise` cannot be `sped`"), "{}", stderr(&output));
}
