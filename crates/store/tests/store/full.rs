//! Tests full disks and other disk failures: they are reported, and no batch is acknowledged unless it is
//! stored.

use std::path::Path;
use std::process::{Command, Output};

use store::Store;

use super::child::{acknowledged, command};
use super::stage::{Folder, trial};

/// Returns a command that runs a shell script, which prepares the environment and then runs the child as
/// `"$@"`.
fn behind(script: &str, folder: &Path) -> Command {
    let child = command(folder);
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(child.get_program()).args(child.get_args());
    shell.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("FOLDER", folder);
    shell
}

/// Returns the number of batches that were acknowledged to the child, and the failure that ended it.
fn result(output: &Output) -> (u32, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    let failure = text.lines().find_map(|line| line.strip_prefix("failed "));
    let errors = String::from_utf8_lossy(&output.stderr);
    let failure = failure.unwrap_or_else(|| panic!("the store did not fail: {text} {errors}"));
    assert!(output.status.success(), "{errors}");
    (text.lines().filter_map(acknowledged).next_back().unwrap(), failure.to_owned())
}

/// Checks that the store is intact and has all acknowledged batches.
fn check(folder: &Path, known: u32) {
    let store = Store::open(folder).unwrap();
    store.reader().verify().unwrap();
    let history = store.load().unwrap().history;
    assert!(known > 0 && history.configurations().len() as u32 >= known);
    for (row, stored) in history.trials().iter().enumerate() {
        assert_eq!(*stored, trial(row as u64, row as u32 / 2).trial);
    }
}

#[test]
fn a_full_disk_is_reported() {
    let folder = Folder::new();
    // Only the child sees the small disk. The contents of the disk are copied before it disappears.
    let script = r#"
        mkdir "$FOLDER/disk" && mount -t tmpfs -o size=700k none "$FOLDER/disk" || exit 77
        CAMPAIGN_TEST_FOLDER="$FOLDER/disk" "$@"; code=$?
        cp "$FOLDER"/disk/campaign.* "$FOLDER"
        exit $code"#;
    let Some(output) = on_small_disks(script, folder.path()) else { return };
    let (known, failure) = result(&output);
    assert!(failure.starts_with("no room left for ") && failure.contains("campaign.sqlite"), "{failure}");
    check(folder.path(), known);
}

/// The disk may be full when the store is created, when its log is created, or later. SQLite reports a
/// different error in each case.
#[test]
fn a_disk_that_is_full_from_the_start_is_reported() {
    let folder = Folder::new();
    let script = r#"
        mkdir "$FOLDER/disk"
        for size in $(seq 32 4 192); do
          mount -t tmpfs -o size=${size}k none "$FOLDER/disk" || exit 77
          CAMPAIGN_TEST_FOLDER="$FOLDER/disk" "$@" 2>&1
          umount "$FOLDER/disk"
          echo "ended $size"
        done"#;
    let Some(output) = on_small_disks(script, folder.path()) else { return };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let outputs: Vec<&str> = text.split("ended ").collect();
    assert_eq!(outputs.len(), 42, "{text}");
    for one in &outputs[..41] {
        let named = ["no room left for ", "Full {", "StorageFull"].iter().any(|words| one.contains(words));
        assert!(named, "{one}");
    }
}

/// Runs a script that mounts file systems and runs the child; returns `None` if mounting is not allowed.
fn on_small_disks(script: &str, folder: &Path) -> Option<Output> {
    let inner = behind(script, folder);
    let mut outer = Command::new("unshare");
    outer.args(["--user", "--map-root-user", "--mount"]).arg(inner.get_program()).args(inner.get_args());
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    match outer.output() {
        Ok(output) if output.status.code() != Some(77) && !refused(&output) => Some(output),
        _ => {
            println!("skipped: file systems cannot be mounted on this machine");
            None
        }
    }
}

/// Returns whether `unshare` itself failed.
fn refused(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("unshare")
}

#[test]
fn a_file_size_limit_is_reported() {
    let folder = Folder::new();
    let output = behind("trap '' XFSZ; ulimit -f 600; exec \"$@\"", folder.path()).output().unwrap();
    let (known, failure) = result(&output);
    assert!(failure.starts_with("cannot use ") || failure.starts_with("no room left"), "{failure}");
    check(folder.path(), known);
}
