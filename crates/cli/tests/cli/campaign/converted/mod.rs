//! Scenarios from other configurators are converted, and their campaigns are run to the verdict.
//!
//! Small programs replace the solvers. They have the same interface, known best costs, and run times of
//! milliseconds.

mod irace;
mod smac;
mod smac3;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use store::{Loaded, Store};

use super::stage::Stage;
use crate::{code, stderr, stdout};

fn program(stage: &Stage, name: &str, text: &str) {
    let path = stage.write(name, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Copies all files in a folder that has no subfolders.
fn copy(from: &Path, stage: &Stage, to: &str) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{to}/{}", path.file_name().unwrap().to_str().unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        match std::fs::metadata(&path).unwrap().permissions().mode() & 0o100 {
            0 => drop(stage.write(&name, &text)),
            _ => program(stage, &name, &text),
        }
    }
}

/// Returns the messages from `captune init --from`.
fn converted(stage: &Stage, from: &str) -> String {
    let output = stage.captune(&format!("init new.toml --from {from}"));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stderr(&output)
}

/// Returns the command of a trial, as shown by `captune check`. Fails if the trial does not succeed.
fn checked(stage: &Stage) -> String {
    let output = stage.captune("check new.toml");
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let said = stdout(&output);
    assert_eq!(said.matches(" · cost ").count(), 1, "{said}");
    let call = said.lines().skip_while(|line| !line.starts_with("one trial of the ")).nth(1);
    stage.hidden(call.unwrap().trim())
}

/// Runs the campaign and returns the gain over the default in the verdict.
fn gain(stage: &Stage, trials: u64) -> f64 {
    let output = stage.captune(&format!("run new.toml --trials {trials} --workers 1"));
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains(&format!("Stopped: the budget of {trials} trials is spent.")), "{said}");
    assert_eq!(stage.status("new.campaign")["spent"]["trials"], trials);
    let verdict = said.lines().find_map(|line| line.strip_prefix("Verdict: "));
    let gain = verdict.and_then(|verdict| verdict.split_once("x better than the "));
    gain.unwrap_or_else(|| panic!("{said}")).0.parse().unwrap()
}

/// Returns the best configuration as JSON.
fn best(stage: &Stage) -> Value {
    serde_json::from_str(&stage.said("best new.campaign --as json")).unwrap()
}

fn load(stage: &Stage) -> Loaded {
    Store::read(&stage.folder.join("new.campaign")).unwrap().load().unwrap()
}

/// Returns the calls recorded by a program.
fn calls(stage: &Stage) -> Vec<String> {
    let text = std::fs::read_to_string(stage.folder.join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
