//! No room left, and other failures of the disk: said in words, nothing acknowledged that is not there.

use std::path::Path;
use std::process::{Command, Output};

use store::Store;

use super::child::{acknowledged, command};
use super::stage::{Folder, trial};

/// The child with something in place before it starts: a shell script that ends in `exec "$@"`.
fn behind(script: &str, folder: &Path) -> Command {
    let child = command(folder);
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(child.get_program()).args(child.get_args());
    shell.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("FOLDER", folder);
    shell
}

/// What the child was told: acknowledged batches, and the failure that ended it.
fn told(output: &Output) -> (u32, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    let failure = text.lines().find_map(|line| line.strip_prefix("failed "));
    let errors = String::from_utf8_lossy(&output.stderr);
    let failure = failure.unwrap_or_else(|| panic!("the store did not fail: {text} {errors}"));
    assert!(output.status.success(), "{errors}");
    (text.lines().filter_map(acknowledged).next_back().unwrap(), failure.to_owned())
}

/// Whole, with what was acknowledged.
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
fn a_full_disk() {
    let folder = Folder::new();
    // The small disk is visible to the child alone; what is on it is copied out before it vanishes.
    let script = r#"
        mkdir "$FOLDER/disk" && mount -t tmpfs -o size=700k none "$FOLDER/disk" || exit 77
        CAMPAIGN_TEST_FOLDER="$FOLDER/disk" "$@"; code=$?
        cp "$FOLDER"/disk/campaign.* "$FOLDER"
        exit $code"#;
    let Some(output) = on_small_disks(script, folder.path()) else { return };
    let (known, failure) = told(&output);
    assert!(failure.starts_with("no room left for ") && failure.contains("campaign.sqlite"), "{failure}");
    check(folder.path(), known);
}

/// Room may end while the store is created, while its log is begun, or later: SQLite has several words for it.
#[test]
fn a_disk_that_is_full_from_the_start() {
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
    let told: Vec<&str> = text.split("ended ").collect();
    assert_eq!(told.len(), 42, "{text}");
    for one in &told[..41] {
        let named = ["no room left for ", "Full {", "StorageFull"].iter().any(|words| one.contains(words));
        assert!(named, "{one}");
    }
}

/// Runs the child behind a script that may mount; `None` where that is not allowed.
fn on_small_disks(script: &str, folder: &Path) -> Option<Output> {
    let inner = behind(script, folder);
    let mut outer = Command::new("unshare");
    outer.args(["--user", "--map-root-user", "--mount"]).arg(inner.get_program()).args(inner.get_args());
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    match outer.output() {
        Ok(output) if output.status.code() != Some(77) && !refused(&output) => Some(output),
        _ => {
            println!("skipped: no file system can be mounted here");
            None
        }
    }
}

/// Whether `unshare` itself was refused.
fn refused(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("unshare")
}

#[test]
fn a_file_that_may_not_grow() {
    let folder = Folder::new();
    let output = behind("trap '' XFSZ; ulimit -f 600; exec \"$@\"", folder.path()).output().unwrap();
    let (known, failure) = told(&output);
    assert!(failure.starts_with("cannot use ") || failure.starts_with("no room left"), "{failure}");
    check(folder.path(), known);
}
