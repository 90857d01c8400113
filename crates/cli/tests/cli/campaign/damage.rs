//! Stores that are damaged, and disks that are full.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr};

#[test]
fn every_verb_ends_with_five_at_a_damaged_store() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 6")), 0);
    let path = stage.folder.join("count.campaign/campaign.sqlite");
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    // All pages but the first, which says whose file it is.
    let length = file.metadata().unwrap().len();
    file.write_all_at(&vec![0xff; length as usize - 4096], 4096).unwrap();
    for line in [
        "export count.campaign --to csv",
        "export count.campaign --to json",
        "export count.campaign --to csv -o all.csv",
        "export count.campaign --to smac3 -o smac3",
        "status count.campaign",
        "best count.campaign",
        "failures count.campaign",
        "rerun count.campaign 1",
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
fn no_room_is_no_fault_of_the_arguments() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 3")), 0);
    let output = stage.captune("export count.campaign --to csv -o /dev/full");
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("cannot write /dev/full") && said.contains("hint: free some room"), "{said}");
}
