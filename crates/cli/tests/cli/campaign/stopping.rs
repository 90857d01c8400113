//! Interrupting a campaign loses no trials.

use rustix::process::Signal;

use super::stage::{SCENARIO, Stage, stored_trials};
use crate::{code, stderr};

fn endless() -> String {
    SCENARIO.replace("trials = 40", "wall = \"1h\"")
}

#[test]
fn an_interrupt_stops_cleanly_and_the_same_command_resumes() {
    for signal in [Signal::INT, Signal::TERM, Signal::USR1] {
        let stage = Stage::new(&endless());
        let folder = stage.folder.join("count.campaign");
        let mut running = stage.start("run count.toml");
        let mut told = running.await_trials(5);
        running.signal(signal);
        let (output, events) = running.end();
        assert_eq!(code(&output), 130, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("Stopped: interrupted; run the same command again to resume."),
            "{output:?}"
        );
        told.extend(
            events
                .iter()
                .filter(|event| event["event"] == "trial_ended")
                .map(|e| e["trial"].as_u64().unwrap()),
        );
        told.sort_unstable();
        assert_eq!(stored_trials(&folder), told, "exactly the reported trials are stored");
        assert_eq!(stage.status("count.toml")["reason"], "interrupted");

        let resumed = stage.captune(&format!("run count.toml --trials {}", told.len() + 5));
        assert_eq!(code(&resumed), 0, "{}", stderr(&resumed));
        let kept = stored_trials(&folder);
        assert_eq!(kept.len(), told.len() + 5);
        assert!(told.iter().all(|id| kept.contains(id)));
    }
}

#[test]
fn a_second_interrupt_does_not_wait_and_loses_nothing() {
    let stage = Stage::new(&endless());
    let mut running = stage.start("run count.toml");
    let told = running.await_trials(5);
    running.signal(Signal::INT);
    running.signal(Signal::INT);
    let (output, _) = running.end();
    assert_eq!(code(&output), 130);
    let kept = stored_trials(&stage.folder.join("count.campaign"));
    assert!(told.iter().all(|id| kept.contains(id)), "{told:?} {kept:?}");
    let resumed = stage.captune(&format!("run count.toml --trials {}", kept.len() + 5));
    assert_eq!(code(&resumed), 0, "{}", stderr(&resumed));
}

#[test]
fn a_killed_campaign_is_reported_and_can_be_resumed() {
    let stage = Stage::new(&endless());
    let mut running = stage.start("run count.toml");
    let told = running.await_trials(5);
    running.signal(Signal::KILL);
    running.child.wait().unwrap();
    assert_eq!(stage.status("count.toml")["state"], "killed");
    assert!(stage.said("status count.toml").starts_with("counting: killed; `captune run` resumes it\n"));
    let kept = stored_trials(&stage.folder.join("count.campaign"));
    assert!(told.iter().all(|id| kept.contains(id)), "{told:?} {kept:?}");
    let resumed = stage.captune(&format!("run count.toml --trials {}", kept.len() + 5));
    assert_eq!(code(&resumed), 0, "{}", stderr(&resumed));
}

#[test]
fn an_interrupted_validation_is_completed_by_the_same_command() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 10"));
    let mut running = stage.start("run count.toml");
    while running.event().expect("the validation starts")["event"] != "validating" {}
    running.signal(Signal::INT);
    let (output, _) = running.end();
    let said = stderr(&output);
    assert_eq!(code(&output), 130, "{said}");
    assert!(
        said.contains("The validation was interrupted; run the same command again to complete it."),
        "{said}"
    );
    let output = stage.captune("run count.toml");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("on 24 pairs of 6 unseen instances"), "{}", stderr(&output));
}
