//! Output in a terminal: permanent lines, and a status block that is redrawn.

use super::stage::{SCENARIO, Stage};
use crate::{CAPTUNE, installed, stdout};

/// Returns what captune writes to a terminal.
fn received(stage: &Stage, colour: bool) -> String {
    let line = format!("{CAPTUNE} run count.toml --trials 15");
    let mut command = std::process::Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .current_dir(&stage.folder)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR");
    if !colour {
        command.env("NO_COLOR", "1");
    }
    stdout(&command.output().unwrap())
}

#[test]
fn a_block_is_drawn_and_removed_in_a_terminal() {
    if !installed("script") {
        return;
    }
    let painted = received(&Stage::new(SCENARIO), true);
    for part in ["\u{1b}[3A\u{1b}[J", " busy · ", "Ctrl-C stops", "\u{1b}[1;32m", "new best", "Stopped:"] {
        assert!(painted.contains(part), "{part:?} is missing in {painted}");
    }
    let (_, end) = painted.rsplit_once("\u{1b}[J").unwrap();
    assert!(!end.contains("busy"), "the block is removed at the end: {end}");
    let plain = received(&Stage::new(SCENARIO), false);
    assert!(plain.contains("\u{1b}[3A\u{1b}[J") && !plain.contains("\u{1b}[1;32m"), "{plain}");
}
