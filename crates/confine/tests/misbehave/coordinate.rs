//! A caller of the runner as a process of its own, for tests that kill it or look what it leaves.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use confine::{Command, Control, Finished, LaunchError, Limits};

/// `coordinate TIER WHAT...`: runs another misbehaviour of this program, or a program given by its
/// path, without any limit but a minute of wall time, and prints its record.
pub(crate) fn once(words: &[String]) {
    show(run(&words[0], &words[1..], std::env::var_os("READY")));
}

/// `coordinate-both TIER WHAT...`: the same twice at a time; the second is ready at `$READY2`.
pub(crate) fn both(words: &[String]) {
    std::thread::scope(|scope| {
        for name in ["READY", "READY2"] {
            scope.spawn(move || show(run(&words[0], &words[1..], std::env::var_os(name))));
        }
    });
}

fn show(result: Result<Finished, LaunchError>) {
    match result {
        Ok(finished) => println!("{finished:?}"),
        Err(error) => println!("error: {error}"),
    }
}

/// `coordinate-many TIER COUNT`: runs a target that leaves an orphan that many times, and prints how
/// many descriptors and children it has more than after the first, and how many control groups.
pub(crate) fn many(tier: &str, count: usize) {
    let orphan = ["orphan".to_owned()];
    let descriptors = || std::fs::read_dir("/proc/self/fd").expect("/proc").count();
    run(tier, &orphan, None).expect("a run");
    let before = descriptors();
    for _ in 1..count {
        run(tier, &orphan, None).expect("a run");
    }
    let children = std::fs::read_to_string(format!("/proc/self/task/{}/children", std::process::id()));
    println!("descriptors {}", descriptors() - before);
    // The guardian is the one child it keeps.
    println!("children {}", children.expect("/proc").split_whitespace().count() - 1);
    println!("groups {}", groups(Path::new("/sys/fs/cgroup")));
}

/// Control groups named after this process, anywhere below a folder.
fn groups(folder: &Path) -> usize {
    let ours = format!("captune-run-{}-", std::process::id());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .map(|entry| {
            usize::from(entry.file_name().to_string_lossy().starts_with(&ours)) + groups(&entry.path())
        })
        .sum()
}

fn run(tier: &str, words: &[String], ready: Option<OsString>) -> Result<Finished, LaunchError> {
    let this = std::env::current_exe().expect("this program");
    let command = match words[0].starts_with('/') {
        true => Command::new(&words[0]).args(&words[1..]),
        false => Command::new(this).args(words),
    };
    let mut command = command.tier(tier.parse().expect("a tier")).pass_env("ALIVE");
    if let Some(ready) = ready {
        command = command.env("READY", ready);
    }
    let limits = Limits { wall: Some(Duration::from_secs(60)), ..Limits::default() };
    confine::run(&command, &limits, &Control::new())
}
