//! Readings of constrained outputs.

use std::sync::Arc;

use engine::Reading::{AtLeast, Exact};
use engine::{Cap, Reading, Status};
use execution::{Account, Leash, ProcessTarget, Target, TargetError};
use scenario::testkit::{Stage, trial};

use crate::SUPERVISOR;

fn text(objective: &str, rest: &str) -> String {
    format!(
        "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{param:x}}\", \"{{seed}}\"]\n[objective]\n\
         {objective}\n[outputs]\nerror = {{ pattern = 'error (\\S+)' }}\n[budget]\ntrials = 1\n[space]\n\
         x = {{ integer = [1, 9], default = 3 }}\n{rest}\n"
    )
}

fn run(script: &str, objective: &str, rest: &str) -> Result<Account, TargetError> {
    let stage = Stage::new();
    stage.file("script.sh", script);
    let scenario = Arc::new(stage.read(&text(objective, rest)));
    let target = ProcessTarget::new(Arc::clone(&scenario)).guardian(SUPERVISOR);
    target.run(&trial(&scenario, 0, Cap::NONE), &Leash::new())
}

const TIME: &str = "minimise = \"wall_time\"\ncutoff = \"20s\"";
const ERROR: &str = "[constraints]\nerror = \">= 0.1\"";

fn readings(script: &str, objective: &str, rest: &str) -> (Status, Vec<Option<Reading>>) {
    let account = run(script, objective, rest).unwrap();
    (account.observation.status(), account.observation.constraints().to_vec())
}

#[test]
fn a_finished_trial_has_exact_readings() {
    assert_eq!(readings("echo error 0.25", TIME, ERROR), (Status::Finished, vec![Some(Exact(-0.25))]));
    for unmeasured in ["nan", "inf", "-inf", "NaN"] {
        assert_eq!(
            readings(&format!("echo error {unmeasured}"), TIME, ERROR),
            (Status::Finished, vec![None])
        );
    }
}

#[test]
fn an_output_that_is_not_printed_fails_the_trial_as_a_missing_cost_does() {
    for (script, why) in [
        ("echo nothing of it", "no match for output `error`"),
        ("echo error none", "output `error` is not a finite number"),
    ] {
        let account = run(script, TIME, ERROR).unwrap();
        assert_eq!(account.observation.status(), Status::Crashed, "{script}");
        assert_eq!(account.detail.reason.as_deref(), Some(why));
        assert!(!account.detail.stdout_tail.is_empty(), "its output is kept");
        assert_eq!(account.observation.constraints(), [None]);
    }
}

#[test]
fn a_killed_trial_gives_lower_bounds_on_what_it_used() {
    let bounds = "[constraints]\nwall_time = { bound = \"<= 200ms\", over = \"max\" }\nerror = \"<= 1\"\n\
                  solved = \">= 0.5\"";
    let objective = "minimise = \"wall_time\"\ncutoff = \"300ms\"";
    let (status, readings) = readings("echo error 0.5; exec sleep 60", objective, bounds);
    assert_eq!(status, Status::Timeout);
    // The target might have printed another value later.
    let [error, solved, wall] = readings[..] else { panic!("{readings:?}") };
    assert_eq!((error, solved), (None, Some(Exact(0.0))));
    assert!(matches!(wall, Some(AtLeast(seconds)) if seconds >= 0.3), "{wall:?}");
}

#[test]
fn a_trial_stopped_by_the_memory_limit_used_at_least_that() {
    let bounds = "[limits]\nmemory = \"64MiB\"\n[constraints]\nmemory = \"<= 32MiB\"";
    // Use many processes, each well below the limit. A single process would fail to allocate the memory and
    // exit by itself.
    let hold = "(x=$(head -c 4000000 /dev/zero | tr '\\0' a); sleep 60; : $x) &";
    let script = format!("{}\nwait", [hold; 30].join("\n"));
    let account = match run(&script, TIME, bounds) {
        Ok(account) if account.observation.status() == Status::Memory => account,
        other => {
            println!("skipped: no memory limit stops a trial on this machine: {other:?}");
            return;
        }
    };
    let readings = account.observation.constraints();
    let limit = f64::from(64 << 20);
    assert!(matches!(readings, [Some(AtLeast(bytes))] if *bytes >= limit), "{readings:?}");
}
