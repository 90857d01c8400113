//! Damaged or missing stores, full disks, and text with control characters that could affect the terminal.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use store::Store;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr, stdout};

/// Flips a bit in the cost of a trial. The damage is noticed only when the trials are read. Returns the
/// number of the trial.
fn flip_a_trial(folder: &Path) -> String {
    let path = folder.join("campaign.sqlite");
    let whole = std::fs::read(&path).unwrap();
    let status = b"finished";
    let flip = |place: usize| {
        let mut flipped = whole.clone();
        // In the stored row, the cost follows the status.
        flipped[place + status.len() + 3] ^= 1;
        std::fs::write(&path, flipped).unwrap();
        let failed = Store::read(folder).ok()?.load().err()?.to_string();
        let (_, trial) = failed.split_once("damaged: trial ")?;
        Some(trial.split_once(" (row ")?.0.to_owned())
    };
    let mut places = (0..whole.len()).filter(|&place| whole[place..].starts_with(status));
    places.find_map(flip).expect("a trial has finished")
}

#[test]
fn every_verb_returns_5_for_a_damaged_store() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 6")), 0);
    let trial = flip_a_trial(&stage.folder.join("count.campaign"));
    for line in [
        "export count.campaign --to csv",
        "export count.campaign --to json",
        "export count.campaign --to csv -o all.csv",
        "export count.campaign --to smac3 -o smac3",
        "status count.campaign",
        "report count.campaign",
        "best count.campaign",
        &format!("rerun count.campaign {trial}"),
        "compare count.campaign count.campaign",
        "validate count.campaign",
        "run count.campaign",
        "run count.toml",
        "import count.toml count.campaign --dir other",
    ] {
        let output = stage.captune(line);
        let said = stderr(&output);
        assert_eq!(code(&output), 5, "{line}: {said}");
        assert!(said.contains("campaign.sqlite is damaged"), "{line}: {said}");
    }
    assert!(!stage.folder.join("all.csv").exists());
}

#[test]
fn a_full_disk_is_not_an_error_in_the_arguments() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 3")), 0);
    let output = stage.captune("export count.campaign --to csv -o /dev/full");
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("cannot write /dev/full") && said.contains("hint: free some disk space"), "{said}");
}

#[test]
fn output_of_a_target_cannot_move_the_cursor() {
    let scenario = SCENARIO.replace("[target]\n", "[target]\nprotocol = \"json\"\n");
    let stage = Stage::new(&scenario);
    let path = stage.write(
        "target",
        "#!/bin/sh\necho '{\"status\": \"aborted\", \"reason\": \"no\\u001b[2J\\u0007\\u009b licence\"}'\n",
    );
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let line = scenario.lines().find(|line| line.starts_with("command")).unwrap();
    stage.write("count.toml", &scenario.replace(line, "command = [\"./target\"]"));
    for line in ["check count.toml", "run count.toml"] {
        let output = stage.captune(line);
        let said = stderr(&output) + &stdout(&output);
        assert_ne!(code(&output), 0, "{said}");
        assert!(said.contains("no?[2J?? licence"), "{line}: {said}");
        assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{line}: {said:?}");
    }
}

#[test]
fn file_names_cannot_move_the_cursor() {
    let stage = Stage::new(SCENARIO);
    let output = stage.command("status").arg("a\u{1b}[2Jb").output().unwrap();
    let said = stderr(&output);
    assert!(said.contains("a?[2Jb") && !said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_removed_store_stops_the_campaign_and_is_named() {
    let stage = Stage::new(SCENARIO);
    let mut running = stage.start("run count.toml --trials 100000");
    running.await_trials(2);
    std::fs::remove_file(stage.folder.join("count.campaign/campaign.sqlite")).unwrap();
    let (output, _) = running.end();
    let said = stderr(&output);
    assert_eq!(code(&output), 5, "{said}");
    assert!(said.contains("campaign.sqlite is gone: it was removed, renamed or replaced"), "{said}");
}
