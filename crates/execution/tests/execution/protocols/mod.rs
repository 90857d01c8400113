//! Tests targets that were made for other configurators or that use JSON.

mod aclib;
mod irace;
mod json;
mod mistakes;
mod server;
mod smac3;

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use engine::{Cap, Reading, Status};
use execution::{Account, Leash, ProcessTarget, Target, TargetError};
use scenario::Scenario;
use scenario::testkit::{Stage, trial};

use crate::SUPERVISOR;

/// Writes an executable file.
fn program(stage: &Stage, name: &str, text: &str) {
    let path = stage.file(name, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn target(scenario: &Arc<Scenario>) -> ProcessTarget {
    ProcessTarget::new(Arc::clone(scenario)).guardian(SUPERVISOR)
}

fn try_run(scenario: &Arc<Scenario>, cap: Cap) -> Result<Account, TargetError> {
    target(scenario).run(&trial(scenario, 0, cap), &Leash::new())
}

fn run(scenario: &Arc<Scenario>, cap: Cap) -> Account {
    try_run(scenario, cap).unwrap_or_else(|error| panic!("{error}: {error:?}"))
}

fn observed(account: &Account) -> (Status, Option<Reading>) {
    (account.observation.status(), account.observation.cost())
}

fn reason(account: &Account) -> &str {
    account.detail.reason.as_deref().unwrap_or_default()
}

/// Returns a scenario with an `sh` script as its target.
fn scenario(stage: &Stage, protocol: &str, script: &str, objective: &str) -> Arc<Scenario> {
    program(stage, "target", &format!("#!/bin/sh\n{script}\n"));
    let text = format!(
        "[target]\ncommand = [\"./target\", \"always\"]\nprotocol = \"{protocol}\"\n[objective]\n{objective}\n\
         [instances]\nlist = [\"one\", \"two\"]\n[budget]\ntrials = 1\n[space]\n\
         x = {{ float = [0.0, 9.0], default = 2.5 }}\nfast = {{ boolean = true }}\n\
         mode = {{ choices = [\"a b\", \"c\"], default = \"a b\" }}\n"
    );
    Arc::new(stage.read(&text))
}

/// Returns a script that writes its arguments to the file `called`, one per line.
fn recording(stage: &Stage, then: &str) -> String {
    format!("for word; do echo \"$word\"; done > {}/called\n{then}", stage.folder.display())
}

fn called(stage: &Stage) -> Vec<String> {
    let text = std::fs::read_to_string(stage.folder.join("called")).unwrap();
    text.lines().map(str::to_owned).collect()
}
