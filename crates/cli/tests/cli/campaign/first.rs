//! The first campaigns in the guide, with fewer trials.

use std::os::unix::fs::symlink;
use std::process::Command;

use super::stage::Stage;
use crate::documents::{blocks, document};
use crate::{CAPTUNE, code, installed, root, stderr};

/// Runs the commands in a section of the guide, with a smaller budget.
fn commands_run(title: &str, program: &str, prepare: impl FnOnce(&Stage)) {
    if !installed(program) || !installed("bash") || !installed("python3") {
        return;
    }
    let guide = document("docs/guides/your-first-scenario.md");
    let (_, section) = guide.split_once(&format!("\n### {title}")).unwrap();
    let script = &blocks(section.split("\n### ").next().unwrap(), "sh")[0];
    let budget = script.split_once("--budget ").unwrap().1.split(' ').next().unwrap();
    let script = script.replace(&format!("--budget {budget}"), "--trials 5");
    let stage = Stage::new("");
    prepare(&stage);
    std::fs::create_dir(stage.folder.join("bin")).unwrap();
    symlink(CAPTUNE, stage.folder.join("bin/captune")).unwrap();
    let path = format!("{}/bin:{}", stage.folder.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-ec", &script])
        .env("PATH", path)
        .env("examples", root().join("examples"))
        .env("NO_COLOR", "1")
        .current_dir(&stage.folder)
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{script}\n{said}");
    assert!(said.contains("Stopped: the budget of 5 trials is spent."), "{said}");
    assert!(!said.contains("warning") && !said.contains(" failed: "), "{said}");
}

#[test]
fn minisat_is_tuned_as_the_guide_shows() {
    commands_run("minisat", "minisat", |stage| {
        for number in 1..=8 {
            stage.write(&format!("cnf/{number}.cnf"), "p cnf 2 2\n1 2 0\n-1 2 0\n");
        }
    });
}

#[test]
fn cbc_is_tuned_as_the_guide_shows() {
    commands_run("cbc", "cbc", |_| {});
}

#[test]
fn sqlite_is_tuned_as_the_guide_shows() {
    commands_run("sqlite3", "sqlite3", |_| {});
}
